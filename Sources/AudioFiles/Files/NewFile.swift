import Glibc
import Threads

/// A file that was just made for sound. Where it is to replace another, it is a draft until `claim`: if nothing comes of the new
/// file, the old one is still there.
final class NewFile {
    let path: String
    let descriptor: CInt
    private let operation: String
    /// Until it replaces the file of its name.
    private var draft: DraftFile?
    /// Whether another file still has its name.
    var isDraft: Bool { draft != nil }

    /// - Parameter force: whether it may replace a regular file. Nothing else is ever written over.
    /// - Throws: `exists`, `cannotCreate`.
    init(path: String, force: Bool, operation: String) throws(SoundFileError) {
        self.path = path
        self.operation = operation
        let made = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
        if made >= 0 {
            descriptor = made
        } else {
            let code = errno
            guard code == EEXIST else { throw Self.failure(path, code, operation) }
            let draft = try Self.makeDraft(for: path, isPermitted: force, operation)
            (descriptor, self.draft) = (draft.descriptor, draft)
        }
        try proveThereIsRoom()
    }

    /// On a full disk a file can be created and nothing written to it.
    private func proveThereIsRoom() throws(SoundFileError) {
        if hasRoom { return }
        let code = errno
        remove()
        close()
        throw Self.failure(path, code, operation)
    }

    /// Whether a page more goes behind its end, which stays where it is; if not, `errno` tells why.
    var hasRoom: Bool {
        guard let end = fileSize(descriptor) else { return false }
        let isWritten = WholeWrite.write([UInt8](repeating: 0, count: 4096), to: descriptor, at: end)
        let code = errno
        guard ftruncate(descriptor, off_t(end)) == 0 else { return false }
        errno = code
        return isWritten
    }

    /// Gives it its name where it replaces another file. Calling it again does nothing.
    ///
    /// - Throws: `io`.
    func claim() throws(SoundFileError) {
        guard draft?.claim(path) ?? true else {
            throw SoundFileError(.io, operation, path, "it cannot be replaced (\(FileError.reason))")
        }
        draft = nil
    }

    /// Returns whether all that was written has arrived.
    @discardableResult
    func close() -> Bool { Glibc.close(descriptor) == 0 }

    /// Removes the file, unless its name is another's by now.
    func remove() {
        if let draft { return draft.remove() }
        var ours = stat()
        var named = stat()
        guard unsafe fstat(descriptor, &ours) == 0, unsafe lstat(path, &named) == 0 else { return }
        if ours.st_ino == named.st_ino && ours.st_dev == named.st_dev { _ = unsafe unlink(path) }
    }

    /// - Returns: with the owner and the permissions of the file that it is to replace.
    private static func makeDraft(
        for path: String, isPermitted: Bool, _ operation: String
    ) throws(SoundFileError) -> DraftFile {
        func refuse(_ reason: String) -> SoundFileError { SoundFileError(.cannotCreate, operation, path, reason) }
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else { throw failure(path, errno, operation) }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw refuse("it is a directory; name a file in it")
        case S_IFLNK: throw refuse("it is a symbolic link; name the file itself")
        default: throw refuse("it is no regular file; name another")
        }
        guard isPermitted else {
            throw SoundFileError(
                .exists, operation, path, "there is a file of that name; choose another, or overwrite it with --force"
            )
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        guard unsafe access(path, W_OK) == 0, isReplaceable(facts, in: folder) else {
            throw failure(path, EACCES, operation)
        }
        guard let draft = DraftFile(in: AT_FDCWD, folder, permissions: 0o600) else {
            throw failure(path, errno, operation)
        }
        // Only root can give a file away. The permissions come last, because another owner takes some of them.
        _ = fchown(draft.descriptor, facts.st_uid, facts.st_gid)
        _ = fchmod(draft.descriptor, facts.st_mode & 0o777)
        return draft
    }

    /// Whether the folder lets this user replace the file: in one as /tmp, only the file's or the folder's owner may.
    private static func isReplaceable(_ file: stat, in folder: String) -> Bool {
        var facts = stat()
        guard unsafe stat(folder.isEmpty ? "." : folder, &facts) == 0 else { return false }
        return facts.st_mode & S_ISVTX == 0 || [file.st_uid, facts.st_uid, 0].contains(geteuid())
    }

    private static func failure(_ path: String, _ code: CInt, _ operation: String) -> SoundFileError {
        SoundFileError(.cannotCreate, operation, path, FileError.creation(code))
    }
}
