import Glibc
import Threads

/// Random numbers that are the same in every run, so that a test that fails once fails again.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var generator: SplitMix64

    public init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    public mutating func next() -> UInt64 { generator.next() }

    /// `count` samples spread evenly over ±`magnitude`.
    public mutating func signal(count: Int, magnitude: Float = 1) -> [Float] {
        (0..<count).map { _ in Float.random(in: -magnitude...magnitude, using: &self) }
    }

    /// Normally distributed samples (Box and Muller).
    public mutating func noise(count: Int, rms: Double) -> [Float] {
        (0..<count).map { _ in
            let radius = sqrt(-2 * log(Double.random(in: .leastNormalMagnitude...1, using: &self)))
            return Float(rms * radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self)))
        }
    }

    /// Lengths of blocks that cut `total` frames up: short, odd and empty ones among them.
    public mutating func split(_ total: Int, longest: Int = 400) -> [Int] {
        var lengths: [Int] = []
        var left = total
        while left > 0 {
            // Half of the blocks are about as short as a vector, where the edges are.
            let length = min(left, Int.random(in: 0...(Bool.random(using: &self) ? 17 : longest), using: &self))
            lengths.append(length)
            left -= length
        }
        return lengths
    }
}
