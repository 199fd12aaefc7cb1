import Threads

/// When a target is tried again that cannot be reached: soon at first, then less and less often, and never many senders at
/// the same moment.
package struct Reconnection: Sendable {
    private static let firstSeconds = 0.5
    private static let longestSeconds = 15.0

    private(set) var failures = 0
    /// When the next attempt is due, on the monotonic clock.
    package private(set) var nextNanoseconds: UInt64 = 0

    package init() {}

    /// How long to wait before the next attempt, after one more failure: twice as long each time up to 15 s, of which a
    /// random half is left out.
    mutating func wait(using generator: inout some RandomNumberGenerator) -> Double {
        let longest = min(Self.longestSeconds, Self.firstSeconds * Double(1 << min(failures, 10)))
        failures += 1
        return longest * Double.random(in: 0.5...1, using: &generator)
    }

    /// Puts the next attempt off, after one more failure.
    package mutating func putOff(at now: UInt64 = MonotonicClock.nanoseconds()) {
        var generator = SystemRandomNumberGenerator()
        nextNanoseconds = now + UInt64(wait(using: &generator) * 1e9)
    }

    /// It was reached.
    mutating func succeed() { failures = 0 }
}
