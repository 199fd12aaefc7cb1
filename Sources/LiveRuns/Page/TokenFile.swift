import AudioReports
import AudioStreaming
import CommandSyntax
import Glibc
import Threads

/// A file that holds the page's token while the run lasts. Only its owner can read it.
///
/// It is locked as long as it is in use. One without a lock is of a program that was killed: the next one removes it.
final class TokenFile {
    let path: String
    private let descriptor: CInt
    private var isThere = true

    /// Earlier releases locked none of theirs, which had another name.
    private static let mark = "iounit-page-token-"

    /// The user's folder for running programs, else that for temporary files.
    static var usualFolder: String {
        let folder = Environment["XDG_RUNTIME_DIR"] ?? ""
        return folder.hasPrefix("/") ? folder : "/tmp"
    }

    /// Under a name that nobody can foresee.
    ///
    /// - Throws: `cannotCreate`.
    init(_ token: AccessToken, in folder: String = TokenFile.usualFolder) throws(Failure) {
        Self.removeAbandoned(in: folder)
        (path, descriptor) = try Self.make(in: folder)
        guard WholeWrite.write(Array("\(token.revealed)\n".utf8), to: descriptor) else {
            let reason = FileError.reason
            remove()
            throw Self.refusal(path, reason)
        }
    }

    deinit { remove() }

    private static func make(in folder: String) throws(Failure) -> (path: String, descriptor: CInt) {
        while true {
            let path = "\(folder)/\(mark)" + String(UInt64.random(in: .min ... .max), radix: 16)
            let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw refusal(path, FileError.reason) }
            // Before it was locked, another program may have taken it for abandoned. On a file system without locks none does.
            let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            var facts = stat()
            if !isTaken, unsafe fstat(descriptor, &facts) == 0, facts.st_nlink > 0 { return (path, descriptor) }
            close(descriptor)
        }
    }

    private static func removeAbandoned(in folder: String) {
        for name in Folder.names(in: folder) ?? [] where name.hasPrefix(mark) {
            let path = "\(folder)/\(name)"
            let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var facts = stat()
            guard unsafe fstat(descriptor, &facts) == 0, facts.st_uid == geteuid(), facts.st_mode & S_IFMT == S_IFREG,
                flock(descriptor, LOCK_EX | LOCK_NB) == 0
            else { continue }
            _ = unsafe unlink(path)
        }
    }

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
        close(descriptor)
    }
}
