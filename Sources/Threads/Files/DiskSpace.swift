import Glibc

/// The room of the file system that a path lies in.
package struct DiskSpace {
    /// Two paths with the same one share the room.
    package let identifier: UInt64
    /// In bytes.
    package let total: Int
    /// What this user may still fill, in bytes.
    package let free: Int

    /// `nil` where there is nothing of that name, or the kernel does not tell.
    package init?(at path: String) {
        var (system, facts) = (statvfs(), stat())
        guard unsafe statvfs(path, &system) == 0, unsafe stat(path, &facts) == 0 else { return nil }
        // `f_fsid` is 0 for many that are not on a disk of this machine, as those of the network.
        identifier = UInt64(facts.st_dev)
        total = Self.bytes(system.f_blocks, of: system.f_frsize)
        free = Self.bytes(system.f_bavail, of: system.f_frsize)
    }

    /// A file system in user space may say that it has all the blocks that there can be.
    package static func bytes(_ blocks: UInt, of size: UInt) -> Int {
        let (bytes, isMore) = blocks.multipliedReportingOverflow(by: size)
        return isMore ? .max : Int(clamping: bytes)
    }
}
