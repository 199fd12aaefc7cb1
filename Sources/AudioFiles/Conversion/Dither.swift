import Threads

/// What is added before samples are rounded to integers, so that the error does not depend on the signal.
public enum Dither: String, Sendable, CaseIterable {
    /// Nothing: samples that are multiples of the LSB stay what they are.
    case none
    /// Noise of triangular probability density within ±1 LSB (TPDF). Mean and power of the whole error, q²/4, do not
    /// depend on the signal (Lipshitz, Wannamaker and Vanderkooy, "Quantization and Dither", JAES 40, 1992).
    case triangular
    /// The same, with the error of earlier samples fed back, so that the error has less power where hearing is keen.
    ///
    /// At 44.1 and 48 kHz the filter is the five-tap one of Lipshitz, Vanderkooy and Wannamaker ("Minimally Audible Noise
    /// Shaping", JAES 39, 1991): 1 − 2.033 z⁻¹ + 2.165 z⁻² − 1.959 z⁻³ + 1.590 z⁻⁴ − 0.6149 z⁻⁵. At any other rate it is
    /// the first-order high-pass 1 − z⁻¹. The whole error has more power than without: 12 and 3 dB.
    case noiseShaped
}

/// A stream's dither.
struct DitherGenerator {
    private let law: Dither
    private let seed: UInt64
    /// Steps to full scale.
    private let scale: Double
    private let taps: (Double, Double, Double, Double, Double)
    private let channels: Int
    /// The number of samples so far: noise is a function of it, so that blocks of any length give the same.
    private var position: UInt64 = 0
    /// The last five errors of each channel in LSB, the latest first.
    private var errors: [Double]

    init(_ law: Dither, seed: UInt64, bits: Int, channels: Int, sampleRate: Int) {
        self.law = law
        self.seed = seed
        self.channels = channels
        scale = Double(1 << (bits - 1))
        let isKnown = sampleRate == 44_100 || sampleRate == 48_000
        taps = isKnown ? (2.033, -2.165, 1.959, -1.590, 0.6149) : (1, 0, 0, 0, 0)
        errors = [Double](repeating: 0, count: law == .noiseShaped ? 5 * channels : 0)
    }

    mutating func reset() {
        position = 0
        for index in errors.indices { errors[index] = 0 }
    }

    /// Prepares interleaved samples for rounding.
    mutating func apply(_ frames: Int, to samples: inout [Double]) {
        let count = frames * channels
        switch law {
        case .none: break
        case .triangular:
            let step = 1 / scale
            let (seed, position) = (seed, position)
            unsafe samples.withUnsafeMutableBufferPointer { samples in
                precondition(samples.count >= count)
                for index in 0..<count {
                    // SAFETY: checked on the line before.
                    unsafe samples[index] += step * Self.noise(seed, position &+ UInt64(truncatingIfNeeded: index))
                }
            }
        case .noiseShaped: shape(frames, &samples)
        }
        position &+= UInt64(count)
    }

    /// Rounds here, because the next sample needs the error. It is that of rounding alone: what clipping adds would be
    /// fed back without end.
    private mutating func shape(_ frames: Int, _ samples: inout [Double]) {
        let (c, seed, scale, channels, start) = (taps, seed, scale, channels, position)
        unsafe samples.withUnsafeMutableBufferPointer { samples in
            precondition(samples.count >= frames * channels)
            for channel in 0..<channels {
                var e = (
                    errors[5 * channel], errors[5 * channel + 1], errors[5 * channel + 2], errors[5 * channel + 3],
                    errors[5 * channel + 4]
                )
                for frame in 0..<frames {
                    let index = frame * channels + channel
                    let fed = c.0 * e.0 + c.1 * e.1 + c.2 * e.2 + c.3 * e.3 + c.4 * e.4
                    // SAFETY: checked on the first line.
                    let wanted = unsafe min(max(samples[index] * scale, -2 * scale), 2 * scale) - fed
                    let noise = Self.noise(seed, start &+ UInt64(truncatingIfNeeded: index))
                    let rounded = (wanted + noise).roundedToEven
                    e = (rounded - wanted, e.0, e.1, e.2, e.3)
                    unsafe samples[index] = rounded / scale
                }
                errors[5 * channel] = e.0
                errors[5 * channel + 1] = e.1
                errors[5 * channel + 2] = e.2
                errors[5 * channel + 3] = e.3
                errors[5 * channel + 4] = e.4
            }
        }
    }

    /// The sum of two even distributions over ±1/2. Both come from one number of the seed's sequence.
    @inline(__always)
    private static func noise(_ seed: UInt64, _ index: UInt64) -> Double {
        let mixed = SplitMix64.number(index, ofSeed: seed)
        let high = Double(Int32(truncatingIfNeeded: mixed >> 32))
        let low = Double(Int32(truncatingIfNeeded: mixed))
        return (high + low) * (1 / 4_294_967_296)
    }
}

extension Double {
    /// The nearest integer, of two the even one, for magnitudes below 2⁵¹: between 2⁵² and 2⁵³ a double has no fraction, so
    /// that an addition there rounds. `rounded` is a call into the C library where the machine is not known to have an
    /// instruction.
    var roundedToEven: Double { @inline(__always) get { (self + Self.integerShift) - Self.integerShift } }

    /// The integer in the low bits, for magnitudes below 2³¹ that have no fraction.
    var integerBits: Int32 {
        @inline(__always) get { Int32(truncatingIfNeeded: (self + Self.integerShift).bitPattern) }
    }

    private static var integerShift: Double { @inline(__always) get { 6_755_399_441_055_744 } }
}
