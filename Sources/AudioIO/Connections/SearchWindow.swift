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

/// JACK has not made a connection though both ports are there, as where the one that came back is of another type, or its client is
/// not active yet. It is asked again in a while, which is twice as long each time, and at once where ports come, go or are renamed.
struct Refusal: Sendable {
    /// How long after a refusal JACK is asked again: the first time, and at the most.
    private static let patienceNanoseconds: ClosedRange<UInt64> = 50_000_000...4_000_000_000
    private let waitNanoseconds: UInt64
    /// JACK is not asked again before.
    let endNanoseconds: UInt64

    init(after last: Refusal?, atNanoseconds now: UInt64) {
        let range = Self.patienceNanoseconds
        waitNanoseconds = min(last.map { 2 * $0.waitNanoseconds } ?? range.lowerBound, range.upperBound)
        endNanoseconds = now + waitNanoseconds
    }
}
