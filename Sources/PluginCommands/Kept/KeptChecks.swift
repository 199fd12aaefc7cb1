import AudioReports
import CommandSyntax
import Glibc
import PluginChecks
import Threads

/// What checks have found, in one file of the user's: `iounit/plugin-checks.json` in the folder that XDG_STATE_HOME names, else
/// in `~/.local/state`.
package struct KeptChecks: Sendable {
    /// Newest last.
    package private(set) var checks: [KeptCheck] = []
    /// Why the file is not used, in one sentence; `nil` where it is, or where there is none.
    package private(set) var trouble: String?
    /// `nil` for a user who has no home.
    package let path: String?
    /// Whether the file may be written over.
    private var isOurs = true

    private static let fileName = "plugin-checks.json"
    private static let schema = "iounit.plugin-checks/1"
    /// Some six times as many as Debian has plug-ins.
    private static let mostChecks = 4096
    private static let mostBytes = 8 << 20

    private struct Content: Codable {
        var schema: String
        var checks: [KeptCheck]
    }

    /// Reads the file. What is not this user's, or no such file, is not used.
    package init(environment: [String: String] = Environment.all) {
        path = UserFile.path(Self.fileName, in: .state, environment)
        if let path { read(path) }
    }

    private mutating func read(_ path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno != ENOENT && errno != ENOTDIR { distrust(FileError.reason, isOurs: false) }
            return
        }
        defer { close(descriptor) }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            return distrust("it is no file", isOurs: false)
        }
        guard facts.st_uid == geteuid() else { return distrust("it is another user's", isOurs: false) }
        guard facts.st_mode & (S_IWGRP | S_IWOTH) == 0 else { return distrust("others may write to it") }
        guard let bytes = SmallFile.bytes(from: descriptor, limit: Self.mostBytes + 1) else {
            return distrust(FileError.reason)
        }
        guard bytes.count <= Self.mostBytes else { return distrust("it is larger than 8 MiB") }
        guard let content: Content = decodeJSON(bytes), content.schema == Self.schema else {
            return distrust("it is damaged, or of another version of iounit")
        }
        checks = content.checks.suffix(Self.mostChecks)
    }

    private mutating func distrust(_ reason: String, isOurs: Bool = true) {
        self.isOurs = isOurs
        trouble =
            "earlier plug-in checks are not used: \(shown(path ?? "")): \(reason); remove the file, and check the plug-ins again"
    }

    /// What is known of a plug-in. Thread: any that may wait.
    ///
    /// - Parameter library: path of its binary.
    /// - Throws: `cannotRead` where the binary cannot be compared.
    package func standing(of uri: String, library: String) throws(FileError) -> KeptStanding {
        guard let last = checks.last(where: { $0.uri == uri }) else { return .notChecked }
        let hash = try BinaryHash.all(of: [library])[library]
        let known = checks.last { $0.uri == uri && $0.hash == hash && $0.edition == PluginCheck.edition }
        return known.map(KeptStanding.checked) ?? .changed(last)
    }

    /// Adds what was found now, in the place of what was known of the same builds. The oldest go where there are too many.
    ///
    /// A check without a verdict, as one that had too little time, leaves a warning in its place.
    ///
    /// - Throws: `cannotCreate`, `inputOutput`.
    static func keep(_ new: [KeptCheck], environment: [String: String] = Environment.all) throws {
        guard let path = UserFile.path(fileName, in: .state, environment), !new.isEmpty else { return }
        try UserFile(path, of: "the results of plug-in checks").replace {
            let kept = KeptChecks(environment: environment)
            if let trouble = kept.trouble, !kept.isOurs { throw Failure(.cannotCreate, trouble) }
            let warnings = Set(
                kept.checks.filter { $0.isWarning && $0.edition == PluginCheck.edition }.map { [$0.uri, $0.hash] })
            let news = new.filter { $0.verdict != .notJudged || !warnings.contains([$0.uri, $0.hash]) }
            let builds = Set(news.map { [$0.uri, $0.hash] })
            let checks = kept.checks.filter { !builds.contains([$0.uri, $0.hash]) } + news
            return try encodeJSON(Content(schema: schema, checks: checks.suffix(mostChecks))) + "\n"
        }
    }
}

/// What a check has found of one build of a plug-in, for runs that come later.
///
/// A build is known by its URI and by what is in its binary. The description is not looked at: with other ranges the same code
/// does what it did. Nor are other libraries: reports give the day of the check.
package struct KeptCheck: Codable, Sendable, Equatable {
    package var uri: String
    /// SHA-256 of the binary.
    package var hash: String
    /// `PluginCheck.edition` of the check.
    package var edition: Int
    package var verdict: PluginVerdict
    /// What was found, as `allocation (steady, silence)`; empty where nothing was.
    package var found: String
    /// Of the check, in UTC, as `2026-11-25T14:09:00Z`.
    package var date: String

    /// Whether a run that hosts it says so.
    var isWarning: Bool { verdict.isBad }

    /// As 2026-11-25.
    var day: String { String(date.prefix(10)) }

    /// Verdict and findings.
    package var inWords: String { verdict.inWords + (found.isEmpty ? "" : ": \(found)") }
}

extension KeptCheck {
    private static let mostFound = 300
    private static let mostURI = 1000

    /// - Returns: `nil` where the URI is longer than what is kept.
    init?(_ result: PluginResult, hash: String, date: String) {
        guard result.uri.utf8.count <= Self.mostURI else { return nil }
        // As every host has it, whatever this check let pass.
        let result = result.judged(failing: FindingKind.failures)
        uri = result.uri
        self.hash = hash
        edition = PluginCheck.edition
        verdict = result.verdict
        found = String(result.summary.prefix(Self.mostFound))
        self.date = date
    }
}

/// What is known of a plug-in as it is installed now.
package enum KeptStanding: Equatable {
    case notChecked
    /// It was, as another build or by an older check.
    case changed(KeptCheck)
    case checked(KeptCheck)
}

/// What is in the binary of a plug-in, as SHA-256 in hexadecimal digits: by it a build that was checked is known again,
/// wherever it is installed.
enum BinaryHash {
    private static let program = "sha256sum"
    private static let deadlineSeconds = 60.0

    /// Of several files, by path. What cannot be read, or is no regular file, has none. Thread: any that may wait.
    ///
    /// - Throws: `cannotRead` where the program that computes it is missing or takes too long.
    static func all(of paths: some Sequence<String>) throws(FileError) -> [String: String] {
        // The program would wait for somebody who writes into a named pipe, and would find no end of a device as /dev/zero.
        let paths = Set(paths).filter { path in
            var facts = stat()
            guard path.hasPrefix("/"), unsafe stat(path, &facts) == 0 else { return false }
            return facts.st_mode & S_IFMT == S_IFREG
        }.sorted()
        guard !paths.isEmpty else { return [:] }
        // Of the C library and Foundation none has it here, and coreutils are on every system. With zeros at the ends of lines
        // a path is what it is.
        let outcome = ChildProcess.run([program, "--zero", "--"] + paths, deadlineSeconds: deadlineSeconds)
        // 1 where a file cannot be read.
        guard case .exited(let code) = outcome.end, code <= 1 else {
            let reason =
                if case .notStarted(let text) = outcome.end { "\(text); install coreutils" } else {
                    "\(program): \(outcome.end.inWords); try again"
                }
            throw .cannotRead(path: paths[0], reason: reason)
        }
        let lines = outcome.bytes.split(separator: 0).compactMap { line -> (path: String, hash: String)? in
            let text = String(decoding: line, as: UTF8.self)
            guard let gap = text.firstRange(of: "  ") else { return nil }
            return (String(text[gap.upperBound...]), String(text[..<gap.lowerBound]))
        }
        return Dictionary(lines.map { ($0.path, $0.hash) }) { first, _ in first }
    }
}
