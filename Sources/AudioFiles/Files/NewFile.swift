import Glibc

/// A file that was just made for sound, or emptied for it.
struct NewFile {
    let path: String
    let descriptor: CInt
    private let operation: String

    /// - Parameter force: empties a regular file that is there already. Nothing else is ever written over.
    /// - Throws: `exists`, `cannotCreate`.
    init(path: String, force: Bool, operation: String) throws(SoundFileError) {
        self.path = path
        self.operation = operation
        let made = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
        if made >= 0 {
            descriptor = made
        } else {
            let code = errno
            guard code == EEXIST else { throw Self.failure(path, code, operation) }
            descriptor = try Self.empty(path, isPermitted: force, operation)
        }
        try proveThereIsRoom()
    }

    /// On a full disk a file can be created and nothing written to it.
    private func proveThereIsRoom() throws(SoundFileError) {
        let page = [UInt8](repeating: 0, count: 4096)
        // SAFETY: the page is written from its beginning to its end.
        let count = unsafe page.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        let code = count < 0 ? errno : ENOSPC
        if count == page.count && ftruncate(descriptor, 0) == 0 { return }
        remove()
        close()
        throw Self.failure(path, code, operation)
    }

    /// Returns whether all that was written has arrived.
    @discardableResult
    func close() -> Bool { Glibc.close(descriptor) == 0 }

    /// Removes the file, unless its name is another's by now.
    func remove() {
        var ours = stat()
        var named = stat()
        guard unsafe fstat(descriptor, &ours) == 0, unsafe lstat(path, &named) == 0 else { return }
        if ours.st_ino == named.st_ino && ours.st_dev == named.st_dev { _ = unsafe unlink(path) }
    }

    private static func empty(
        _ path: String, isPermitted: Bool, _ operation: String
    ) throws(SoundFileError) -> CInt {
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
        // What is named may have changed since: hence the same questions again, without waiting for a pipe's reader.
        let opened = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { throw failure(path, errno, operation) }
        guard unsafe fstat(opened, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, ftruncate(opened, 0) == 0 else {
            Glibc.close(opened)
            throw refuse("it cannot be emptied; name another")
        }
        return opened
    }

    private static func failure(_ path: String, _ code: CInt, _ operation: String) -> SoundFileError {
        let reason =
            switch code {
            case ENOENT: "its folder does not exist; create it first"
            case ENOTDIR: "what should be its folder is a file; check the path"
            case EACCES, EPERM: "this user may not write there; choose another folder"
            case EROFS: "the file system is read-only; choose another folder"
            case ENOSPC, EDQUOT, EFBIG: "the disk is full; free some space"
            case EISDIR: "it is a directory; name a file in it"
            case ENAMETOOLONG: "the name is too long; choose a shorter one"
            default: "\(systemError(code))"
            }
        return SoundFileError(.cannotCreate, operation, path, reason)
    }
}
