import AudioReports
import AudioStreaming
import CommandSyntax
import Glibc
import Threads

/// A file that holds the page's token while the run lasts. Only its owner can read it.
final class TokenFile {
    let path: String
    private var isThere = true

    /// In the user's folder for running programs, else in that for temporary files, under a name that nobody can foresee.
    ///
    /// - Throws: `cannotCreate`.
    init(_ token: AccessToken) throws(Failure) {
        let folder = Environment["XDG_RUNTIME_DIR"] ?? ""
        let name = "iounit-token-" + String(UInt64.random(in: .min ... .max), radix: 16)
        path = "\(folder.hasPrefix("/") ? folder : "/tmp")/\(name)"
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.refusal(path, FileError.reason) }
        defer { close(descriptor) }
        guard WholeWrite.write(Array("\(token.revealed)\n".utf8), to: descriptor) else {
            let reason = FileError.reason
            remove()
            throw Self.refusal(path, reason)
        }
    }

    deinit { remove() }

    private static func refusal(_ path: String, _ reason: String) -> Failure {
        Failure(
            .cannotCreate,
            "the page's token cannot be written to \(shown(path)): \(reason); give a token of your own with --page-token"
        )
    }

    /// Calling it again does nothing.
    func remove() {
        guard isThere else { return }
        isThere = false
        _ = unsafe unlink(path)
    }
}
