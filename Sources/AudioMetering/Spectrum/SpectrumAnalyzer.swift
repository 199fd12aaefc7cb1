import Fourier
import Glibc

/// Measures how loud each frequency of a block of sound is.
///
/// The block is weighted by a Blackman-Harris window of four terms (F. J. Harris, 1978), whose side lobes lie 92 dB below a tone:
/// that is the floor beside a loud one. Far from it, and in silence, it is that of single precision, below −130 dB.
///
/// Thread: one at a time; it has memory of its own.
public final class SpectrumAnalyzer {
    /// Of a block: a power of two.
    public let frames: Int
    private let transform: RealTransform
    private let window: [Float]

    /// The lengths that a block can have.
    public static let lengths = 64...1 << 20
    /// How far the side lobes of the window lie below a tone, in dB: softer tones beside it are hidden.
    public static let sideLobeDecibels = -92.0

    /// - Parameter frames: rounded down to a power of two in `lengths`.
    public init(frames: Int) {
        let limited = max(Self.lengths.lowerBound, min(Self.lengths.upperBound, frames))
        let length = 1 << (Int.bitWidth - 1 - limited.leadingZeroBitCount)
        self.frames = length
        transform = RealTransform(length: length)
        let terms = [0.35875, -0.48829, 0.14128, -0.01168]
        // A tone at full scale has half of the window's sum in a line.
        let scale = 2 / (terms[0] * Double(length))
        window = (0..<length).map { frame in
            let angle = 2 * Double.pi * Double(frame) / Double(length)
            let weight = terms.enumerated().reduce(0) { $0 + $1.element * cos(Double($1.offset) * angle) }
            return Float(scale * weight)
        }
    }

    /// - Parameters:
    ///   - block: `frames` samples. One that is not finite counts as silence.
    ///   - sampleRate: in hertz, more than 0.
    public func lines(of block: [Float], sampleRate: Int) -> SpectrumLines {
        precondition(block.count == frames, "a block of another length than the analyzer's")
        let weighted = zip(block, window).map { $0.shown * $1 }
        let powers = transform.lines(of: weighted).map { $0.r * $0.r + $0.i * $0.i }
        return SpectrumLines(powers: powers, hertzPerLine: Double(sampleRate) / Double(frames))
    }
}

extension Float {
    /// What a sample counts as in a picture: one that is not finite is silence, and the loudest are so loud that no sum or square of
    /// them is beyond all numbers.
    var shown: Float { isFinite ? max(-1e18, min(self, 1e18)) : 0 }
}
