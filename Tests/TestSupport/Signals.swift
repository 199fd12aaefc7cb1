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

/// A sine in each of so many interleaved channels, each of another pitch.
public func chord(frames: Int, channels: Int, sampleRate: Int) -> [Float] {
    (0..<frames * channels).map { index in
        let (frame, channel) = (index / channels, index % channels)
        return Float(0.4 * sin(2 * Double.pi * Double(200 + 50 * channel) * Double(frame) / Double(sampleRate)))
    }
}

/// Frames that say where they stand: 1, 2, 3 … Integers are exact below 2²⁴, and 0 is silence.
public func numbered(_ range: Range<Int>) -> [Float] { range.map { Float($0 + 1) } }

/// The first place in which two signals differ; where all that both have is the same, the end of the shorter one. For long ones: a
/// comparison that fails would print them whole.
public func firstDifference(_ left: [Float], _ right: [Float]) -> Int? {
    for index in 0..<min(left.count, right.count) where left[index] != right[index] { return index }
    return left.count == right.count ? nil : min(left.count, right.count)
}

/// The first place in which two signals are not the same to the bit, as far as both go.
public func firstDifferingBits(_ left: [Float], _ right: [Float]) -> Int? {
    (0..<min(left.count, right.count)).first { left[$0].bitPattern != right[$0].bitPattern }
}

extension [Float] {
    /// What two signals must share to be the same to the bit: 0 and −0 differ here, and NaN equals itself.
    public var bits: [UInt32] { map(\.bitPattern) }
}

extension Collection<Float> {
    public var isFinite: Bool { withContiguousStorageIfAvailable(Self.isFinite) ?? allSatisfy(\.isFinite) }

    private static func isFinite(_ samples: UnsafeBufferPointer<Float>) -> Bool { samples.allSatisfy { $0.isFinite } }

    /// The largest step from one sample to the next. NaN where a sample is.
    public var largestStep: Float {
        withContiguousStorageIfAvailable(Self.largestStep) ?? Array(self).withUnsafeBufferPointer(Self.largestStep)
    }

    private static func largestStep(_ samples: UnsafeBufferPointer<Float>) -> Float {
        // A maximum leaves NaN out.
        zip(samples, samples.dropFirst()).reduce(0) { largest, pair in
            let step = abs(pair.1 - pair.0)
            return step <= largest ? largest : step > largest ? step : .nan
        }
    }
}
