import func Glibc.cos
import func Glibc.log10
import func Glibc.sin

/// The coefficients of a digital filter of second order: (b₀ + b₁ z⁻¹ + b₂ z⁻²) / (1 + a₁ z⁻¹ + a₂ z⁻²).
package struct Biquad: BitwiseCopyable, Sendable, Equatable {
    package var b0: Double
    package var b1: Double
    package var b2: Double
    package var a1: Double
    package var a2: Double

    @_noLocks @_noAllocation
    package init(b0: Double, b1: Double, b2: Double, a1: Double, a2: Double) {
        self.b0 = b0
        self.b1 = b1
        self.b2 = b2
        self.a1 = a1
        self.a2 = a2
    }

    /// Passes the sound on as it is.
    package static var identity: Biquad { @_noLocks @_noAllocation get { Biquad(b0: 1, b1: 0, b2: 0, a1: 0, a2: 0) } }

    @_noLocks @_noAllocation
    package static func == (one: Biquad, other: Biquad) -> Bool {
        one.b0 == other.b0 && one.b1 == other.b1 && one.b2 == other.b2 && one.a1 == other.a1 && one.a2 == other.a2
    }

    /// Undoes what this filter does. Its zeros must lie within the unit circle.
    var inverse: Biquad { Biquad(b0: 1 / b0, b1: a1 / b0, b2: a2 / b0, a1: b1 / b0, a2: b2 / b0) }

    static func * (biquad: Biquad, gain: Double) -> Biquad {
        Biquad(b0: biquad.b0 * gain, b1: biquad.b1 * gain, b2: biquad.b2 * gain, a1: biquad.a1, a2: biquad.a2)
    }

    /// The gain in dB at an angle of 0…π, which is half the sample rate.
    package func decibels(at angle: Double) -> Double {
        /// |c₀ + c₁ z⁻¹ + c₂ z⁻²|²
        func power(_ c0: Double, _ c1: Double, _ c2: Double) -> Double {
            let real = c0 + c1 * cos(angle) + c2 * cos(2 * angle)
            let imaginary = c1 * sin(angle) + c2 * sin(2 * angle)
            return real * real + imaginary * imaginary
        }
        return 10 * log10(power(b0, b1, b2) / power(1, a1, a2))
    }

    /// The distance of the slower pole from 0; stable below 1.
    package var radius: Double {
        let discriminant = a1 * a1 - 4 * a2
        return discriminant < 0 ? a2.squareRoot() : (abs(a1) + discriminant.squareRoot()) / 2
    }
}

/// A filter with its memory, for one sample after the other (transposed direct form II).
package struct BiquadMemory {
    package let filter: Biquad
    package var first = 0.0
    package var second = 0.0

    package init(_ filter: Biquad) { self.filter = filter }

    @inlinable package mutating func process(_ sample: Double) -> Double {
        let output = filter.b0 * sample + first
        first = filter.b1 * sample - filter.a1 * output + second
        second = filter.b2 * sample - filter.a2 * output
        return output
    }

    /// From now on it has heard nothing.
    package mutating func clear() { (first, second) = (0, 0) }
}
