import Glibc

/// A file that gets its name when it is whole, or worth to be there. Until then it has none, and goes with the program however that
/// ends, SIGKILL too. Where a file system has no such files, as FAT and NFS, it has a name that nobody can foresee, and a program
/// that is killed leaves it behind.
package struct DraftFile {
    /// Open for writing; its user closes it, behind `claim`.
    package let descriptor: CInt
    /// An open one, or `AT_FDCWD`.
    private let folder: CInt
    private let name: String
    private var hasName: Bool

    /// - Parameters:
    ///   - folder: an open one, or `AT_FDCWD`.
    ///   - prefix: the folder from there, with a slash at its end; empty for that one.
    ///   - permissions: as of `chmod`; the user's umask takes away from them.
    ///   - mark: what a name that it has meanwhile begins with, behind a dot.
    ///   - staysBehind: whether it has such a name in any case, so that a program that is killed leaves what it has written.
    /// - Returns: `nil` where it cannot be made; `errno` tells why.
    package init?(
        in folder: CInt, _ prefix: String = "", permissions: mode_t = 0o666, mark: String = "iounit",
        staysBehind: Bool = false
    ) {
        self.folder = folder
        // Else it could be taken beforehand.
        name = "\(prefix).\(mark)-" + String(UInt64.random(in: .min ... .max), radix: 16)
        var made: CInt = -1
        if !staysBehind {
            made = unsafe openat(
                folder, prefix.isEmpty ? "." : prefix, __O_TMPFILE | O_WRONLY | O_CLOEXEC, permissions)
        }
        // It gets its name through there.
        if made >= 0, unsafe access(Self.path(of: made), F_OK) != 0 {
            close(made)
            made = -1
        }
        hasName = made < 0
        if hasName {
            made = unsafe openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
        }
        guard made >= 0 else { return nil }
        descriptor = made
    }

    /// Where the kernel has an open file, whatever its name.
    private static func path(of descriptor: CInt) -> String { "/proc/self/fd/\(descriptor)" }

    /// Gives it its name, in the same folder. Once.
    ///
    /// - Parameters:
    ///   - target: from the folder that is open.
    ///   - replacing: whether in the place of a file that has the name; if not, there is the error `EEXIST` for one.
    /// - Returns: whether it has the name now; if not, `errno` tells why.
    package mutating func claim(_ target: String, replacing: Bool = true) -> Bool {
        if !replacing {
            // A link is made only where nothing has that name.
            if link(as: target) {
                remove()
                hasName = false
                return true
            }
            // Not every file system has links.
            guard hasName, isFree(target) else { return false }
        } else if !hasName {
            guard link(as: name) else { return false }
            hasName = true
        }
        guard unsafe renameat(folder, name, folder, target) == 0 else { return false }
        hasName = false
        return true
    }

    private func link(as target: String) -> Bool {
        unsafe hasName
            ? linkat(folder, name, folder, target, 0) == 0
            : linkat(AT_FDCWD, Self.path(of: descriptor), folder, target, AT_SYMLINK_FOLLOW) == 0
    }

    private func isFree(_ target: String) -> Bool {
        var facts = stat()
        guard unsafe fstatat(folder, target, &facts, AT_SYMLINK_NOFOLLOW) == 0 else { return errno == ENOENT }
        errno = EEXIST
        return false
    }

    /// Removes the name that it has meanwhile.
    package func remove() { if hasName { unsafe unlinkat(folder, name, 0) } }
}
