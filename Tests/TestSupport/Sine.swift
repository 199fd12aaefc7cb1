import Glibc

/// A sine, the same in each of so many interleaved channels. `from` is the number of its first frame; `phase` in radians.
public func sine(
    _ hertz: Double, amplitude: Double = 0.5, frames: Int, channels: Int = 1, sampleRate: Int = 48_000,
    phase: Double = 0, from first: Int = 0
) -> [Float] {
    (0..<frames * channels).map { index in
        Float(amplitude * sin(2 * .pi * hertz * Double(first + index / channels) / Double(sampleRate) + phase))
    }
}
