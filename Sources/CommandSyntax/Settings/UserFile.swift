import AudioDSP
import AudioReports
import Glibc
import Threads

/// A file of this user's, which several runs of the program may change at once: it is whole at any time.
package struct UserFile: Sendable {
    package let path: String
    /// What is in it, as an error has it: "the settings".
    private let content: String
    /// What the names of drafts begin with, behind a dot: no other file of a user's has it.
    package static let draftMark = "iounit-draft"

    package init(_ path: String, of content: String) { (self.path, self.content) = (path, content) }

    /// The folders in which the XDG base directory specification has a program keep its files.
    package enum Base {
        case configuration, state

        fileprivate var variable: String { self == .state ? "XDG_STATE_HOME" : "XDG_CONFIG_HOME" }
        fileprivate var usual: String { self == .state ? ".local/state" : ".config" }
    }

    /// The path of a file of ours in the folder that the variable names, else in the usual one at home.
    ///
    /// - Returns: `nil` for a user who has no home.
    package static func path(_ name: String, in base: Base, _ environment: [String: String]) -> String? {
        // The specification has relative paths ignored.
        if let folder = environment[base.variable], folder.hasPrefix("/") {
            return FilePath(folder).appending("iounit/\(name)")
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return FilePath(home).appending("\(base.usual)/iounit/\(name)")
    }

    /// How long a run that plays waits for another program: it hears of no key meanwhile.
    package static let livePatienceSeconds = 0.5

    /// Writes it under a lock, whole or not at all, for this user alone.
    ///
    /// - Parameters:
    ///   - patienceSeconds: how long another program may have the lock.
    ///   - text: called under the lock, so that it may read what the file has.
    /// - Throws: what `text` throws; `cannotCreate`, `inputOutput`.
    package func replace(patienceSeconds: Double = 5, _ text: () throws -> String) throws {
        let folder = FilePath(path).folder
        guard Folder.make(folder, permissions: 0o700) else {
            throw Failure(
                .cannotCreate, "cannot make the folder \(shown(folder)) for \(content): \(FileError.reason)")
        }
        // Of two programs that save at once, the second waits for the first.
        let lock = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if lock >= 0 { close(lock) } }
        // Nobody else writes in this folder then: a draft in it is of a program that was killed.
        if lock >= 0, try waitForLock(lock, patienceSeconds) {
            for name in Folder.names(in: folder) ?? [] where name.hasPrefix(".\(Self.draftMark)-") {
                unsafe unlinkat(lock, name, 0)
            }
        }
        // An interruption in between would leave a draft behind.
        try SignalMask([SIGINT, SIGTERM, SIGHUP]).hold {
            let text = try text()
            let file = try OutputFile(path, replacing: true, permissions: 0o600, mark: Self.draftMark)
            try file.finish(with: text)
        }
    }

    /// Returns whether it has the lock: on a file system without locks nobody has, and there is nobody to wait for.
    private func waitForLock(_ descriptor: CInt, _ seconds: Double) throws(Failure) -> Bool {
        for _ in 0..<Int(seconds * 100) {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            usleep(10_000)
        }
        throw Failure(
            .inputOutput, "another program has held \(content) in \(shown(path)) for \(shortest(seconds)) s; try again")
    }
}

/// Where the user's settings are, or others that belong to them: `iounit/config` in the folder that XDG_CONFIG_HOME names, else in `~/.config`.
package struct SettingsPlace {
    package let path: String
    /// What to do where the file cannot be read.
    private let remedy: String
    /// Whether it lies where nobody but the user has anything to write. On a disk that several systems share, all files may
    /// look as if anybody could.
    private let isAtHome: Bool

    /// A file that `--no-config` does not leave out, wherever it is.
    package init(path: String) { (self.path, remedy, isAtHome) = (path, "mend it, or remove it", false) }

    /// - Parameters:
    ///   - name: of the file.
    ///   - isOptional: whether `--no-config` leaves it out.
    /// - Returns: `nil` for a user who has no home.
    package init?(
        environment: [String: String] = Environment.all, name: String = "config", isOptional: Bool = true
    ) {
        (remedy, isAtHome) = ("mend it" + (isOptional ? ", or leave it out with --no-config" : ""), true)
        guard let path = UserFile.path(name, in: .configuration, environment) else { return nil }
        self.path = path
    }

    /// The text of the file; `nil` where there is none.
    ///
    /// - Throws: `config` where it cannot be read, is no text, or any user could have written it.
    package func read() throws(Failure) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw unreadable(FileError.reason)
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw unreadable("it is no file")
        }
        // A group may be the user's own, as distributions make it with a umask of 002.
        guard !isAtHome || status.st_mode & S_IWOTH == 0 else {
            throw unreadable("any user may write to it (chmod o-w forbids that)")
        }
        guard let bytes = SmallFile.bytes(from: descriptor, limit: SettingsFile.largestBytes + 1) else {
            throw unreadable("it cannot be read to its end (\(FileError.reason))")
        }
        guard bytes.count <= SettingsFile.largestBytes else { throw unreadable("it is larger than 1 MiB") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw unreadable("it is no text in UTF-8") }
        return text
    }

    /// Changes the text under a lock, and writes it whole or not at all, for this user alone.
    ///
    /// - Parameter patienceSeconds: as of `UserFile.replace`.
    /// - Throws: what `change` throws; `cannotCreate`, `inputOutput`.
    package func update(patienceSeconds: Double = 5, _ change: (String) throws -> String) throws {
        try UserFile(path, of: "the settings").replace(patienceSeconds: patienceSeconds) {
            try change(try read() ?? "")
        }
    }

    private func unreadable(_ reason: String) -> Failure {
        Failure(
            .configuration,
            "cannot read the settings in \(shown(path)): \(reason); \(remedy)")
    }
}
