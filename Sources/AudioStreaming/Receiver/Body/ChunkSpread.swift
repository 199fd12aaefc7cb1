/// Spreads the packets that come together over the time that they last: each gets the time at which it would have come by itself, and
/// all of them later by as much as the longest chunk lasted before anything was heard.
///
/// So it is with Ogg, whose pages may hold a second, and with servers that send a block at a time. Without this the clock of the sender
/// would be known ten times worse, and found after minutes. It stays the same: a larger one later on would be taken for a clock that
/// has become slower, and what longer chunks need is found out by how late their packets are.
struct ChunkSpread: Sendable {
    /// How much later all are, in nanoseconds: what the longest chunk lasts, but for its first packet.
    let delay: UInt64

    private static let longest: UInt64 = 2_000_000_000
    private static let tolerance: UInt64 = 5_000_000

    /// - Parameter span: what the longest chunk lasts, but for its first packet.
    init(longestSpan span: UInt64 = 0) { delay = span > Self.tolerance ? min(span, Self.longest) : 0 }

    /// When a packet ought to have come that came with later ones.
    ///
    /// - Parameter rest: what those behind it in its chunk last.
    func time(arrival: UInt64, rest: UInt64) -> UInt64 {
        // One that is late by more than that is late.
        arrival + delay - min(rest, delay)
    }
}
