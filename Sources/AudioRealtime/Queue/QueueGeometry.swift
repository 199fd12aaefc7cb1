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
    ///   - bufferCount: within `counts`.
    public init(bufferFrames: Int, bufferCount: Int) {
        self.bufferFrames = bufferFrames
        self.bufferCount = bufferCount
    }

    /// From an input to an output, in frames.
    public var latencyFrames: Int { (bufferCount - 1) * bufferFrames }

    /// Whether a worker that takes no time is in time on this period.
    public func isFeasible(periodFrames: Int) -> Bool {
        (bufferCount - 2) * bufferFrames >= periodFrames - greatestCommonDivisor(bufferFrames, periodFrames)
    }

    /// How many buffers of this length are needed on a period.
    public func leastCount(periodFrames: Int) -> Int {
        let missing = periodFrames - greatestCommonDivisor(bufferFrames, periodFrames)
        return 2 + (missing + bufferFrames - 1) / bufferFrames
    }

    /// The next length, from this one on, at which as many buffers are enough.
    public func leastFrames(periodFrames: Int) -> Int {
        var longer = self
        // Ends at a multiple of the period at the latest, where two buffers are enough.
        while !longer.isFeasible(periodFrames: periodFrames) { longer.bufferFrames += 1 }
        return longer.bufferFrames
    }

    private func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
        var (one, other) = (one, other)
        while other != 0 { (one, other) = (other, one % other) }
        return one
    }
}
