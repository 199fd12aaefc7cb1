import AudioRealtime

/// Says when to look into a tap again: just behind the moment at which its next block is there. What waits in the tap, up to the time
/// between two looks, is jitter to a receiver.
struct BlockPace {
    private let least: UInt64
    /// When the next block is due.
    private var due: UInt64?
    private var period: UInt64 = 0

    /// What a callback takes until its block is in the tap, as a rule.
    private static let marginNanoseconds: UInt64 = 150_000
    /// How soon one that is late is looked for again, and for how long so soon.
    private static let againNanoseconds: UInt64 = 250_000
    private static let lateNanoseconds: UInt64 = 5_000_000
    /// A server that freewheels has blocks at any time.
    private static let mostNanoseconds: UInt64 = 10_000_000

    /// - Parameter nanoseconds: how often it is of use, at the most; within 1…10 ms.
    init(every nanoseconds: UInt64) { least = max(1_000_000, min(nanoseconds, Self.mostNanoseconds)) }

    mutating func take(_ block: TapBlock) {
        period = UInt64(Double(block.frames) * 1e9 / Double(max(1, block.run.sampleRate)))
        due = block.entryNanoseconds + period
    }

    /// - Parameter now: on the monotonic clock, as the result.
    func next(after now: UInt64) -> UInt64 {
        let latest = now + Self.mostNanoseconds
        guard let due, period > 0 else { return latest }
        // Of short blocks several at once, as many as are of use.
        let time = due + Self.marginNanoseconds + (least - 1) / period * period
        guard time > now else { return now + (now - time < Self.lateNanoseconds ? Self.againNanoseconds : least) }
        return min(latest, time)
    }
}
