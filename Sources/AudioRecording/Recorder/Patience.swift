import Synchronization
import Threads

/// How long a recording that is to end may still take for what can last: hours of silence, a pipe that nobody reads.
final class Patience: Sendable {
    private let stopNanoseconds = Atomic<UInt64>(.max)

    /// From now on it counts.
    func begin() {
        _ = stopNanoseconds.compareExchange(
            expected: .max, desired: MonotonicClock.nanoseconds(), ordering: .sequentiallyConsistent)
    }

    /// Whether the recording is to end.
    var hasBegun: Bool { stopNanoseconds.load(ordering: .sequentiallyConsistent) != .max }

    /// Whether so many seconds have gone by since.
    func isOver(after seconds: Double) -> Bool {
        let stop = stopNanoseconds.load(ordering: .sequentiallyConsistent)
        return stop != .max && MonotonicClock.nanoseconds() > stop + UInt64(seconds * 1e9)
    }
}
