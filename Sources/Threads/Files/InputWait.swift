import CThreads
import Glibc

/// Waits for files to be read, up to a moment: `poll` knows whole milliseconds only, which is long beside a period of JACK.
package enum InputWait {
    /// - Parameters:
    ///   - descriptors: they are not read here.
    ///   - deadline: on the monotonic clock, in nanoseconds.
    /// - Returns: whether one of them can be read, or has ended.
    ///
    /// Thread: any that may block.
    package static func wait(for descriptors: [CInt], untilNanoseconds deadline: UInt64) -> Bool {
        var files = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let now = MonotonicClock.nanoseconds()
        // SAFETY: as many as there are.
        return unsafe cthreads_poll(&files, nfds_t(files.count), deadline > now ? deadline - now : 0) > 0
    }
}
