import Glibc

/// Keeps this process's memory from being swapped out, which would make the audio thread wait for a disk.
public enum MemoryLock {
    /// Locks what is touched: now, and in future too where there is no limit. Under a limit a lock on the future would
    /// make the allocation fail that reaches it. Thread: control.
    ///
    /// - Returns: whether the kernel permitted it. It does for root, and within the limit of `ulimit -l`.
    public static func lock() -> Bool {
        // On fault: untouched pages, as of eight-megabyte stacks, are not brought in for the sake of locking them.
        let onFault: CInt = 4
        return mlockall(CInt(MCL_CURRENT) | (holdsInFuture ? CInt(MCL_FUTURE) : 0) | onFault) == 0
    }

    private static var holdsInFuture: Bool {
        var limit = rlimit()
        let isKnown = unsafe getrlimit(CInt(bitPattern: __RLIMIT_MEMLOCK.rawValue), &limit) == 0
        return geteuid() == 0 || isKnown && limit.rlim_cur == rlim_t.max
    }

    /// Gives the memory free again. Thread: control.
    public static func unlock() { munlockall() }
}
