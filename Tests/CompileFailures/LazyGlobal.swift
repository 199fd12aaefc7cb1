// expect: global/static variable initialization can cause locking
import CThreads

private let start = cthreads_monotonic_nanoseconds()

@_noLocks @_noAllocation
func process() -> UInt64 {
    cthreads_monotonic_nanoseconds() - start
}
