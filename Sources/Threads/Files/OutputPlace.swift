import Glibc

/// Where an output file is to be: a name in a folder that is held open, so that nobody can put another folder in its
/// place between a look at it and its use.
final class OutputPlace {
    let folder: CInt
    let name: String
    /// What there is of that name; `nil` for nothing.
    let kind: mode_t?

    /// Follows the links of a path to what they lead to, whether or not that is there.
    ///
    /// In a folder that others can write to, a link counts only where it is ours or the folder's owner's: any other may
    /// have been planted, so that we write over a file of ours that its maker may not touch.
    ///
    /// - Throws: `cannotCreate`.
    init(_ path: String) throws(FileError) {
        var (folder, name) = try Self.open(path, in: AT_FDCWD, path)
        for _ in 0..<FilePath.longestChain {
            var facts = stat()
            guard unsafe fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 else {
                guard errno == ENOENT else { throw Self.failure(path, closing: folder) }
                (self.folder, self.name, kind) = (folder, name, nil)
                return
            }
            var target = stat()
            let leadsSomewhere = unsafe fstatat(folder, name, &target, 0) == 0
            let isReplaceable = !leadsSomewhere || target.st_mode & S_IFMT == S_IFREG
            guard facts.st_mode & S_IFMT == S_IFLNK, isReplaceable else {
                (self.folder, self.name, kind) = (folder, name, target.st_mode & S_IFMT)
                return
            }
            guard Self.isTrusted(facts, in: folder) else {
                close(folder)
                throw .cannotCreate(
                    path: path,
                    reason: "it is another user's link in a folder that anybody can write to; name the file itself")
            }
            guard let next = FilePath.target(ofLink: name, in: folder) else {
                throw Self.failure(path, closing: folder)
            }
            let previous = folder
            defer { close(previous) }
            (folder, name) = try Self.open(next, in: folder, path)
        }
        errno = ELOOP
        throw Self.failure(path, closing: folder)
    }

    deinit { close(folder) }

    /// - Parameter given: what the user has named, for the error.
    private static func open(
        _ path: String, in start: CInt, _ given: String
    ) throws(FileError) -> (folder: CInt, name: String) {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        // With the slash, so that the root is one too. Not to be read: there are folders of which that is not permitted.
        let folder = unsafe openat(start, slash.map { String(path[...$0]) } ?? ".", __O_PATH | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .cannotCreate(path: given, reason: FileError.creation()) }
        return (folder, name.isEmpty ? "." : name)
    }

    private static func isTrusted(_ link: stat, in folder: CInt) -> Bool {
        var facts = stat()
        guard unsafe fstat(folder, &facts) == 0 else { return false }
        return facts.st_mode & S_IWOTH == 0 || link.st_uid == geteuid() || link.st_uid == facts.st_uid
    }

    private static func failure(_ path: String, closing folder: CInt) -> FileError {
        let reason = FileError.creation()
        close(folder)
        return .cannotCreate(path: path, reason: reason)
    }
}
