import CThreads
import Glibc

/// The clock that everything is timed with: CLOCK_MONOTONIC. It never jumps, whatever is done to the wall clock.
public enum MonotonicClock {
    /// The present time in nanoseconds. Thread: any, also audio. Wait-free, no system call.
    @inlinable @_noLocks @_noAllocation
    public static func nanoseconds() -> UInt64 { cthreads_monotonic_nanoseconds() }

    /// Sleeps until a time of this clock. Thread: control or worker.
    public static func sleep(until nanoseconds: UInt64) {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }

    /// Sleeps for a time: a century at the most. Thread: control or worker.
    public static func sleep(milliseconds: Int) {
        let most = 100 * 366 * 86_400_000
        sleep(until: self.nanoseconds() + UInt64(max(0, min(milliseconds, most))) * 1_000_000)
    }
}
