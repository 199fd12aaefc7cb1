import AudioReports
import Glibc
import Threads

/// Where the user's settings are, or others that belong to them: `iounit/config` in the folder that XDG_CONFIG_HOME names, else in `~/.config`.
package struct SettingsPlace {
    package let path: String
    /// What to do where the file cannot be read.
    private let remedy: String

    /// A file that `--no-config` does not leave out.
    package init(path: String) { (self.path, remedy) = (path, "mend it, or remove it") }

    /// - Parameter name: of the file.
    /// - Returns: `nil` for a user who has no home.
    package init?(environment: [String: String] = Environment.all, name: String = "config") {
        remedy = "mend it, or leave it out with --no-config"
        guard let path = UserFile.path(name, in: .configuration, environment) else { return nil }
        self.path = path
    }

    /// The text of the file; `nil` where there is none.
    ///
    /// - Throws: `config` where it cannot be read, or is no text.
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
        guard let bytes = SmallFile.bytes(from: descriptor, limit: SettingsFile.largestBytes + 1) else {
            throw unreadable("it cannot be read to its end (\(FileError.reason))")
        }
        guard bytes.count <= SettingsFile.largestBytes else { throw unreadable("it is larger than 1 MiB") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw unreadable("it is no text in UTF-8") }
        return text
    }

    /// Changes the text under a lock, and writes it whole or not at all, for this user alone.
    ///
    /// - Throws: what `change` throws; `cannotCreate`, `inputOutput`.
    package func update(_ change: (String) throws -> String) throws {
        try UserFile(path, of: "the settings").replace { try change(try read() ?? "") }
    }

    private func unreadable(_ reason: String) -> Failure {
        Failure(
            .configuration,
            "cannot read the settings in \(shown(path)): \(reason); \(remedy)")
    }
}
