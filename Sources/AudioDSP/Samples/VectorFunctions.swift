// Functions of eight samples at once, of additions and multiplications alone: the same to the bit on every machine.
extension SIMD8<Float> {
    /// tanh x by Lambert's continued fraction (1761) x / (1 + x² / (3 + x² / (5 + …))), cut after ten steps and
    /// written as one quotient of polynomials in x². Error: at most 3.6e-7 with |x| limited to 7.45, where the cut
    /// fraction reaches 1; at most 1e-6 with the rounding of single precision.
    var hyperbolicTangent: Self {
        @inline(__always) @_noLocks @_noAllocation get {
            let x = limited(to: 7.45)
            let u = x * x
            var numerator = u * 7.273_091_945_557_423e-11 + 1.560_078_222_322_067_2e-7
            numerator = numerator * u + 4.914_246_400_314_511_5e-5
            numerator = numerator * u + 4.678_362_573_099_415e-3
            numerator = numerator * u + 0.142_857_142_857_142_85
            numerator = numerator * u + 1
            var denominator = u * 4.800_240_684_067_899e-9 + 3.276_164_266_876_341_4e-6
            denominator = denominator * u + 5.503_955_968_352_253e-4
            denominator = denominator * u + 3.007_518_796_992_481e-2
            denominator = denominator * u + 0.476_190_476_190_476_2
            denominator = denominator * u + 1
            return (x * numerator / denominator).limited(to: 1)
        }
    }

    /// sin(π x / 2) for |x| ≤ 4096. Error: at most 2e-7.
    var sineOfQuarterTurns: Self {
        @inline(__always) @_noLocks @_noAllocation get {
            let half = self * 0.5 + Self.integerShift
            let halfTurns = half - Self.integerShift
            let rest = self - halfTurns * 2
            // An odd number of half turns turns the sign.
            let sign = half.bits &<< 31
            return Self(bits: (rest * (rest * rest).sineSlope).bits ^ sign)
        }
    }

    /// sin(π x / 2) / (π x / 2) for |x| ≤ 4096. Error: at most 2e-7.
    var sineOverAngle: Self {
        @inline(__always) @_noLocks @_noAllocation get {
            let near = (self * self).sineSlope * 0.636_619_8
            let far = sineOfQuarterTurns * 0.636_619_8 / self
            return far.replacing(with: near, where: magnitudes .<= 1)
        }
    }

    /// sin(π x / 2) / x for |x| ≤ 1, as a polynomial in u = x², which this is. Error: at most 7e-9 and rounding.
    private var sineSlope: Self {
        @inline(__always) @_noLocks @_noAllocation get {
            var sum = self * 1.516_751_1e-4 - 4.674_150_67e-3
            sum = sum * self + 0.079_689_923
            sum = sum * self - 0.645_963_76
            return sum * self + 1.570_796_3
        }
    }

    /// ln(1 + exp(−2 x)) for x ≥ 0: what ln(2 cosh x) is more than x. Error: at most 3e-7.
    var softness: Self {
        @inline(__always) @_noLocks @_noAllocation get {
            // Below 2⁻¹⁰⁰ nothing is left to add, and the exponent must not run out.
            let e = (self * -2.885_390_1).replacing(with: -100, where: self .> 34).powerOfTwo
            var sum = e * 0.005_253_458 - 0.029_588_508
            sum = sum * e + 0.078_361_67
            sum = sum * e - 0.136_747_7
            sum = sum * e + 0.191_114_31
            sum = sum * e - 0.248_443_7
            sum = sum * e + 0.333_192_7
            sum = sum * e - 0.499_995_02
            sum = sum * e + 0.999_999_97
            return sum * e
        }
    }

    /// 2 to the power of x, for −126 < x < 127, exact for whole x. Error: at most 3e-7 of the value.
    var powerOfTwo: Self {
        @inline(__always) @_noLocks @_noAllocation get {
            let shifted = self + Self.integerShift
            let rest = self - (shifted - Self.integerShift)
            // The best polynomial that is 1 at 0: a gain of 0 dB leaves each sample as it is.
            var exponential = rest * 0.001_326_472_7 + 0.009_671_513
            exponential = exponential * rest + 0.055_507_336
            exponential = exponential * rest + 0.240_222_42
            exponential = exponential * rest + 0.693_147
            exponential = exponential * rest + 1
            // Times a power of two: what the shift has left in the low bits is added to the exponent.
            return Self(bits: exponential.bits &+ (shifted.bits &<< 23))
        }
    }

    /// The logarithm to base 2, for normal numbers above 0. Error: at most 2e-7 and rounding.
    var logarithmOfTwo: Self {
        @inline(__always) @_noLocks @_noAllocation get {
            // The number is 2^exponent · mantissa, with the mantissa in √½…√2; the constant is √½'s bits.
            let offset = bits &- SIMD8<UInt32>(repeating: 0x3f35_04f3)
            let exponent = SIMD8<Int32>(truncatingIfNeeded: offset) &>> 23
            let mantissa = Self(bits: (offset & 0x007f_ffff) &+ 0x3f35_04f3)
            // 2 artanh s = ln mantissa.
            let s = (mantissa - 1) / (mantissa + 1)
            let u = s * s
            var sum = u * 0.412_198_6 + 0.577_078_02
            sum = sum * u + 0.961_796_7
            sum = sum * u + 2.885_390_1
            return Self(exponent) + s * sum
        }
    }

    /// 1.5 · 2²³: added to a number below 2²², it leaves the nearest integer in the low bits.
    private static var integerShift: Float { @inline(__always) @_noLocks @_noAllocation get { 12_582_912 } }

    private var bits: SIMD8<UInt32> {
        @inline(__always) @_noLocks @_noAllocation get {
            // SAFETY: both types are eight times 32 bits.
            unsafe unsafeBitCast(self, to: SIMD8<UInt32>.self)
        }
    }

    @inline(__always) @_noLocks @_noAllocation
    private init(bits: SIMD8<UInt32>) {
        // SAFETY: as above.
        self = unsafe unsafeBitCast(bits, to: Self.self)
    }
}
