import Threads

/// For how long ports are searched after a change: JACK announces a port before one can connect to it, and lists one that is
/// gone for a while.
struct SearchWindow: Sendable {
    private static let nanoseconds: UInt64 = 1_000_000_000
    /// On the monotonic clock; `nil` while there is nothing to search for.
    private var deadlineNanoseconds: UInt64?

    var isOpen: Bool { deadlineNanoseconds != nil }

    /// Something has changed.
    mutating func open(atNanoseconds now: UInt64 = MonotonicClock.nanoseconds()) {
        deadlineNanoseconds = now + Self.nanoseconds
    }

    /// A search has ended. The window closes only behind a search that began after its deadline, however late that was: a busy
    /// machine may not get to any before.
    mutating func noteSearch(begunAtNanoseconds start: UInt64) {
        if let deadlineNanoseconds, start >= deadlineNanoseconds { self.deadlineNanoseconds = nil }
    }
}
