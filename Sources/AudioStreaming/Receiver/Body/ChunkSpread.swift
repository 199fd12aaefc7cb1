/// Spreads the packets that come together over the time that they last: each gets the time at which it would have come by itself, and
/// all of them later by as much as the longest chunk lasts.
///
/// So it is with Ogg, whose pages may hold a second, and with servers that send a block at a time. Without this the clock of the sender
/// would be known ten times worse, and found after minutes.
struct ChunkSpread: Sendable {
    /// How much later all are, in nanoseconds: what the usual chunk lasts, but for its first packet.
    private(set) var delay: UInt64 = 0
    /// Longer ones that came since, with their times.
    private var longer: [(time: UInt64, span: UInt64)] = []

    private static let longest: UInt64 = 2_000_000_000
    private static let tolerance: UInt64 = 5_000_000
    /// So many in so long a time make a longer one the usual one.
    private static let count = 3
    private static let memory: UInt64 = 10_000_000_000

    /// Takes what a chunk lasts, but for its first packet.
    mutating func note(span: UInt64, at now: UInt64) {
        guard span > delay + Self.tolerance else { return }
        longer.removeAll { $0.time + Self.memory < now }
        longer.append((now, span))
        guard longer.count >= Self.count, let least = longer.map(\.span).min() else { return }
        delay = min(least, Self.longest)
        longer = []
    }

    /// Takes the longest of the chunks that came before anything was heard.
    mutating func begin(longestSpan span: UInt64) { delay = span > Self.tolerance ? min(span, Self.longest) : 0 }

    /// When a packet ought to have come that came with later ones.
    ///
    /// - Parameter rest: what those behind it in its chunk last.
    func time(arrival: UInt64, rest: UInt64) -> UInt64 {
        // One that is late by more than that is late.
        arrival + delay - min(rest, delay)
    }
}
