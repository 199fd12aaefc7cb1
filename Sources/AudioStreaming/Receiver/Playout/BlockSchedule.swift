import AudioRealtime

/// Which frames of a stream the callbacks read, and when: what must be in the feed by now, and what may still come.
///
/// It knows no clock: times are given to it.
struct BlockSchedule {
    /// Of the last callback that is known.
    let reading: ReceiverReading
    /// Frames of the stream in a block.
    let frames: Double
    /// Between two callbacks.
    let periodNanoseconds: Double
    /// Frames behind a block that its resampler reads.
    let lookahead: Int
    /// By how much the worker wakes up later than it wants to, in nanoseconds.
    let lateness: Double

    /// How long before a callback its frames must be there: what a worker needs to wake up and decode.
    static let marginNanoseconds: UInt64 = 500_000

    /// The frame before which all must be written now: what the callbacks read for which it is too late soon. What only a later one
    /// reads may still come.
    func needed(at now: UInt64) -> Int { frame(behindBlocks: blocks(at: now).rounded(.down)) }

    /// The frame before which nothing is waited for any more that a later packet has overtaken, since it holds that packet up, and
    /// all behind it. A worker that wakes up late must decide earlier by as much, or the whole block is silent. It could not take a
    /// packet that comes in between anyway. What comes no later than the buffer holds is always waited for.
    func overtaken(at now: UInt64) -> Int {
        let blocks = blocks(at: now)
        return frame(behindBlocks: min(blocks, (blocks + lateness / periodNanoseconds).rounded(.down)))
    }

    /// When a frame becomes one of those.
    func time(of frame: Int, isOvertaken: Bool) -> UInt64 {
        let blocks = (Double(frame - lookahead) - reading.streamFrame) / frames
        var callbacks = max(1, min(blocks.rounded(.down), 1e6))
        if isOvertaken { callbacks = max(min(blocks - 1, callbacks), callbacks - lateness / periodNanoseconds) }
        return reading.entryNanoseconds + UInt64(max(1, callbacks * periodNanoseconds).rounded(.up))
            - Self.marginNanoseconds
    }

    /// Blocks from the last callback's on, up to the one whose time has come, of which a part has passed.
    private func blocks(at now: UInt64) -> Double {
        let passed = Double(now + Self.marginNanoseconds) - Double(reading.entryNanoseconds)
        return max(0, passed / periodNanoseconds) + 1
    }

    private func frame(behindBlocks count: Double) -> Int {
        Int((reading.streamFrame + count * frames).rounded(.up)) + lookahead
    }
}
