import CThreads
import Glibc

/// What a thread has cost so far.
public struct ThreadUsage: Sendable, Equatable {
    /// Processor time in nanoseconds.
    public var processorNanoseconds: UInt64
    /// Times that it gave the processor up, to wait.
    public var voluntarySwitches: UInt64
    /// Times that another thread took the processor from it.
    public var involuntarySwitches: UInt64

    /// Of a thread that a program made up, as in a test; see the properties.
    public init(processorNanoseconds: UInt64, voluntarySwitches: UInt64, involuntarySwitches: UInt64) {
        self.processorNanoseconds = processorNanoseconds
        self.voluntarySwitches = voluntarySwitches
        self.involuntarySwitches = involuntarySwitches
    }

    /// Asks the kernel. `nil` where it knows no such thread of this process.
    ///
    /// - Parameter thread: the kernel's number of it.
    package init?(thread: Int32) {
        var time = timespec()
        guard thread > 0, unsafe clock_gettime(cthreads_thread_clock(thread), &time) == 0,
            let text = SmallFile.text("/proc/self/task/\(thread)/status")
        else { return nil }
        var found: [Substring: UInt64] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(whereSeparator: { $0 == ":" || $0 == "\t" || $0 == " " })
            if parts.count == 2, let number = UInt64(parts[1]) { found[parts[0]] = number }
        }
        guard let voluntary = found["voluntary_ctxt_switches"], let involuntary = found["nonvoluntary_ctxt_switches"]
        else { return nil }
        self.init(
            processorNanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec),
            voluntarySwitches: voluntary, involuntarySwitches: involuntary)
    }

    /// The kernel's number of the calling thread.
    package static var callingThread: Int32 { cthreads_thread_number() }
}
