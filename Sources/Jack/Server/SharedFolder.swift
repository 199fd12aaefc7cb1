import Glibc
import Threads

/// A folder that every user may write to, as /dev/shm: of what is in it only this user's own files are removed.
///
/// A name is looked for in this folder alone, and no link is followed: what others have put here leads nowhere else.
/// Thread: control.
struct SharedFolder: ~Copyable {
    private let descriptor: CInt

    private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

    /// `nil` where there is none.
    init?(_ path: String) { self.init(descriptor: unsafe open(path, Self.flags)) }

    private init?(descriptor: CInt) {
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// What is in it. Empty where that cannot be read.
    var names: [String] {
        // Its end closes the descriptor, so that it gets one of its own.
        guard let directory = unsafe fdopendir(openat(descriptor, ".", Self.flags)) else { return [] }
        return unsafe Folder.names(in: directory)
    }

    /// Removes a file, socket or link of this user's. Returns whether it did.
    @discardableResult
    func removeOwn(_ name: String) -> Bool {
        guard let kind = ownKind(name), kind != S_IFDIR else { return false }
        return unsafe unlinkat(descriptor, name, 0) == 0
    }

    /// Removes a folder of this user's with the files in it; not what holds folders.
    func removeOwnFolder(_ name: String) {
        guard ownKind(name) == S_IFDIR else { return }
        guard let folder = SharedFolder(descriptor: unsafe openat(descriptor, name, Self.flags | O_NOFOLLOW)) else {
            return
        }
        for file in folder.names { folder.removeOwn(file) }
        _ = unsafe unlinkat(descriptor, name, AT_REMOVEDIR)
    }

    /// Opens a file, `O_RDONLY` or `O_RDWR`; −1 where there is none, or something else than a file.
    func openFile(_ name: String, to access: CInt) -> CInt {
        guard Self.isComponent(name) else { return -1 }
        let file = unsafe openat(descriptor, name, access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        var facts = stat()
        guard file >= 0, unsafe fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            if file >= 0 { close(file) }
            return -1
        }
        return file
    }

    /// The kind of a thing in the folder that is this user's.
    private func ownKind(_ name: String) -> mode_t? {
        var facts = stat()
        guard Self.isComponent(name), unsafe fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0,
            facts.st_uid == geteuid()
        else { return nil }
        return facts.st_mode & S_IFMT
    }

    private static func isComponent(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }
}
