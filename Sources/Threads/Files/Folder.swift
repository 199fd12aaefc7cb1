import Glibc

/// Folders of the file system.
package enum Folder {
    /// The one in which this process works; the root where that is gone.
    package static var current: String {
        // SAFETY: the text is ours to free.
        guard let text = unsafe getcwd(nil, 0) else { return "/" }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    /// Whether there is a folder of this path.
    package static func exists(_ path: String) -> Bool {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    /// The names of what is in one, in no order, without `.` and `..`; `nil` where it cannot be read.
    package static func names(in path: String) -> [String]? {
        guard let directory = unsafe opendir(path) else { return nil }
        return unsafe names(in: directory)
    }

    /// The same of one that is open; closes it.
    package static func names(in directory: OpaquePointer) -> [String] {
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // SAFETY: the kernel ends each name with a zero.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Makes a folder, and those that it is in, where they are not there. Returns whether it is there now; if not, `errno`
    /// tells why.
    ///
    /// - Parameter permissions: of those that are made, as of `chmod`; the user's umask takes away from them.
    package static func make(_ path: String, permissions: mode_t = 0o777) -> Bool {
        if exists(path) { return true }
        let parent = FilePath(path).folder
        guard parent.isEmpty || parent == path || make(parent, permissions: permissions) else { return false }
        // Another program may make it at the same time.
        return unsafe mkdir(path, permissions) == 0 || errno == EEXIST && exists(path)
    }
}
