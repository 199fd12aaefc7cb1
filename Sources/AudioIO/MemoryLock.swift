import Glibc

/// Keeps this process's memory from being swapped out, which would make the audio thread wait for a disk.
public enum MemoryLock {
    /// Locks what is touched, now and in future. Thread: control.
    ///
    /// - Returns: whether the kernel permitted it. It does for root, and within the limit of `ulimit -l`.
    public static func lock() -> Bool {
        // On fault: untouched pages, as of eight-megabyte stacks, are not brought in for the sake of locking them.
        let onFault: CInt = 4
        return mlockall(CInt(MCL_CURRENT) | CInt(MCL_FUTURE) | onFault) == 0
    }

    /// Gives the memory free again. Thread: control.
    public static func unlock() { munlockall() }
}
