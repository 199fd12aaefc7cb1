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
