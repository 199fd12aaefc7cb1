/// The size of a queue, and what follows from it by arithmetic alone.
///
/// A queue of N buffers of B frames begins with N − 1 buffers' worth of silence, so that a frame comes out
/// (N − 1) · B frames after it came in, on any period.
///
/// Whether it can work at all depends on the period P. Let the frames be numbered from 0. A worker can begin with a
/// buffer only when the cycle is over that fills it, and what it returns, even if it takes no time, is played in the
/// next cycle at the earliest. The buffer that is full at frame x, a multiple of B, is full in the cycle that ends at
/// ⌈x / P⌉ · P, and its first frame is due at x − B + (N − 1) · B = x + (N − 2) · B, in the cycle number
/// ⌊(x + (N − 2) · B) / P⌋, which must be ⌈x / P⌉ or later. Where P divides x it always is. Else, with r the rest of
/// x / P, it is where r + (N − 2) · B ≥ P. The rests that occur are the multiples of g = gcd(B, P), and the least of
/// them is g. So the queue works if and only if (N − 2) · B ≥ P − g.
public struct QueueGeometry: Sendable, Equatable {
    /// Length of a buffer, 1 or more.
    public var bufferFrames: Int
    /// How many buffers there are.
    public var bufferCount: Int

    /// Of `bufferCount`.
    public static let counts = 2...64

    /// - Parameters:
    ///   - bufferFrames: 1 or more.
    ///   - bufferCount: 2 or more; a queue has one of `counts`.
    public init(bufferFrames: Int, bufferCount: Int) {
        self.bufferFrames = bufferFrames
        self.bufferCount = bufferCount
    }

    // Numbers out of range are computed with as the nearest: no product is too great, and no search without an end.
    private var frames: Int { min(max(bufferFrames, 1), 1 << 30) }
    private var count: Int { min(max(bufferCount, 2), 1 << 30) }
    private static func held(period: Int) -> Int { min(max(period, 1), 1 << 20) }

    /// From an input to an output, in frames.
    public var latencyFrames: Int { (count - 1) * frames }

    /// Whether a worker that takes no time is in time on this period.
    public func isFeasible(periodFrames: Int) -> Bool { isFeasible(frames, Self.held(period: periodFrames)) }

    private func isFeasible(_ frames: Int, _ period: Int) -> Bool {
        (count - 2) * frames >= period - greatestCommonDivisor(frames, period)
    }

    /// How many buffers of this length are needed on a period.
    public func leastCount(periodFrames: Int) -> Int {
        let period = Self.held(period: periodFrames)
        let missing = period - greatestCommonDivisor(frames, period)
        return 2 + (missing + frames - 1) / frames
    }

    /// The next length, from this one on, at which as many buffers are enough.
    public func leastFrames(periodFrames: Int) -> Int {
        let period = Self.held(period: periodFrames)
        var longer = frames
        // Ends at a multiple of the period at the latest, where two buffers are enough.
        while !isFeasible(longer, period) { longer += 1 }
        return longer
    }

    private func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
        var (one, other) = (one, other)
        while other != 0 { (one, other) = (other, one % other) }
        return one
    }
}
