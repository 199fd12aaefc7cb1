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

    /// Evenly over ±0.7, in steps of a number of bits, so that a codec of integers can say it to the bit.
    public mutating func steppedNoise(count: Int, bits: Int) -> [Float] {
        let scale = Float(1 << (bits - 1))
        return (0..<count).map { _ in (Float.random(in: -0.7..<0.7, using: &self) * scale).rounded() / scale }
    }

    /// Normally distributed samples.
    public mutating func noise(count: Int, rms: Double = 1) -> [Float] {
        (0..<count).map { _ in Float(rms * normal()) }
    }

    /// Of mean 0 and variance 1 (Box and Muller, 1958).
    public mutating func normal() -> Double {
        let radius = (-2 * log(Double.random(in: 1e-12...1, using: &self))).squareRoot()
        return radius * cos(Double.random(in: 0...(2 * .pi), using: &self))
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
