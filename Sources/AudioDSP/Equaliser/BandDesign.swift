import func Glibc.cos
import func Glibc.exp
import func Glibc.expm1
import func Glibc.sin

/// How a band becomes a digital filter whose response follows that of the analogue one up to half the sample rate, where the
/// usual bilinear transform squeezes it ("cramping").
///
/// After M. Vicanek, "Matched Second Order Digital Filters" (2016): the poles are those of the sampled analogue filter
/// (impulse invariance), and the numerator has the power of the analogue response at 0, at half the sample rate and at a
/// frequency between. Other than there, that is done for low pass, peak and shelves alike, and for the notch the other way
/// round: its zeros lie where they must, and the denominator is matched. A cut is the inverse of a boost, and a high shelf
/// the gain times a low shelf of the inverse gain. The analogue prototypes are those of R. Bristow-Johnson's "Cookbook
/// Formulae for Audio EQ Biquad Filter Coefficients".
///
/// The largest deviation from the prototype up to 20 kHz, in dB, where either of them is above −60 dB, over all Q and gains
/// that a band takes; in brackets that of the bilinear transform. For bands of up to 10, 16 and 20 kHz:
///
/// | kind | 44.1 kHz: 10 | 16 | 20 kHz | 48 kHz: 10 | 16 | 20 kHz |
/// |---|---|---|---|---|---|---|
/// | low pass | 1.2 (27.1) | 1.3 (27.1) | 1.4 (27.1) | 1.1 (18.2) | 1.1 (18.2) | 1.1 (18.2) |
/// | high pass | 2.5 (10.0) | 2.5 (11.2) | 7.2 (27.1) | 2.0 (7.0) | 2.0 (8.7) | 3.8 (18.2) |
/// | notch | 1.3 (12.3) | 2.0 (15.6) | 3.0 (19.4) | 1.2 (9.1) | 1.8 (11.4) | 2.4 (14.1) |
/// | peak | 1.0 (11.9) | 1.4 (13.1) | 1.7 (15.0) | 1.0 (8.4) | 1.2 (9.8) | 1.7 (11.6) |
/// | shelf, Q up to 1 | 0.7 (7.1) | 0.9 (9.0) | 0.9 (10.0) | 0.7 (5.1) | 0.8 (7.9) | 0.8 (7.9) |
/// | shelf, Q up to 2 | 2.2 (7.2) | 2.2 (13.2) | 2.2 (14.9) | 2.2 (6.3) | 2.2 (12.1) | 2.2 (12.5) |
///
/// The worst cases are gains of ±24 dB and a Q below 0.3; the high pass at 20 kHz is off by 7 dB with a Q of 40, at 1 kHz.
///
/// Thread: control.
struct BandDesign {
    private let band: EqualiserBand
    /// The frequency as an angle: π is half the sample rate.
    private let angle: Double

    /// The filter of a band at a sample rate in hertz.
    static func biquad(_ band: EqualiserBand, sampleRate: Int) -> Biquad {
        let half = Double(max(1, sampleRate)) / 2
        let design = BandDesign(band: band, angle: .pi * min(band.hertz / half, 0.999))
        return design.biquad
    }

    private var biquad: Biquad {
        let q = band.kind.isShelf ? min(band.q, EqualiserBand.highestShelfQ) : band.q
        let gain = Decibels.linear(abs(band.decibels))
        let isCut = band.decibels < 0
        switch band.kind {
        case .lowPass: return lowPass(q)
        case .highPass: return highPass(q)
        case .notch: return notch(q)
        case .peak: return isCut ? peak(q, gain).inverse : peak(q, gain)
        case .lowShelf: return isCut ? lowShelf(q, gain).inverse : lowShelf(q, gain)
        case .highShelf: return isCut ? lowShelf(q, gain) * (1 / gain) : lowShelf(q, gain).inverse * gain
        }
    }

    /// Where the power is matched between 0 and half the sample rate: at the band's frequency, but for high ones below it.
    private var middle: Double {
        let part = angle / .pi
        return angle / (1 + 0.5 * part * part).squareRoot()
    }

    /// 1 / (s² + s/Q + 1)
    private func lowPass(_ q: Double) -> Biquad {
        matched(PolePair(angle: angle, q: q)) { x in 1 / ((1 - x) * (1 - x) + x / (q * q)) }
    }

    /// (s² + s√G/Q + 1) / (s² + s/(√G Q) + 1), for a gain G above 1
    private func peak(_ q: Double, _ gain: Double) -> Biquad {
        matched(PolePair(angle: angle, q: q * gain.squareRoot())) { x in
            let distance = (1 - x) * (1 - x)
            return (distance + x * gain / (q * q)) / (distance + x / (gain * q * q))
        }
    }

    /// A (s² + s√A/Q + A) / (A s² + s√A/Q + 1) with A = √G, for a gain G above 1
    private func lowShelf(_ q: Double, _ gain: Double) -> Biquad {
        let a = gain.squareRoot()
        return matched(PolePair(angle: angle / a.squareRoot(), q: q)) { x in
            let slope = x * a / (q * q)
            return gain * ((a - x) * (a - x) + slope) / ((1 - a * x) * (1 - a * x) + slope)
        }
    }

    /// s² / (s² + s/Q + 1): two zeros at 0 leave a factor, which is matched at the corner.
    private func highPass(_ q: Double) -> Biquad {
        let poles = PolePair(angle: angle, q: q)
        let factor = q * poles.power(at: angle).squareRoot() / (4 * Powers(angle).high)
        return Biquad(b0: factor, b1: -2 * factor, b2: factor, a1: poles.a1, a2: poles.a2)
    }

    /// (s² + 1) / (s² + s/Q + 1): the zeros lie on the unit circle, and the denominator is matched at the lower of the two
    /// frequencies where 3 dB are lost.
    private func notch(_ q: Double) -> Biquad {
        let half = 1 / (2 * q)
        let edge = angle / (half + (1 + half * half).squareRoot())
        let c = cos(angle)
        func power(_ w: Double) -> Double { 4 * (cos(w) - c) * (cos(w) - c) }
        func inverse(_ w: Double) -> Double {
            let x = w / angle * (w / angle)
            return 1 + x / (q * q * (1 - x) * (1 - x))
        }
        let (a0, a1, a2) = Powers.polynomial(
            low: power(0), high: power(.pi) * inverse(.pi), at: edge, power(edge) * inverse(edge))
        return Biquad(b0: 1 / a0, b1: -2 * c / a0, b2: 1 / a0, a1: a1 / a0, a2: a2 / a0)
    }

    /// - Parameter response: the analogue power gain at the square of a frequency, which is 1 for the band's own.
    private func matched(_ poles: PolePair, _ response: (Double) -> Double) -> Biquad {
        func power(_ w: Double) -> Double { poles.power(at: w) * response(w / angle * (w / angle)) }
        let (b0, b1, b2) = Powers.polynomial(low: power(0), high: power(.pi), at: middle, power(middle))
        return Biquad(b0: b0, b1: b1, b2: b2, a1: poles.a1, a2: poles.a2)
    }
}

/// The poles of a resonance that is sampled: exp(s T), for both s of s² + s/Q + 1.
private struct PolePair {
    private let angle: Double
    /// 1 / (2 Q)
    private let damping: Double

    init(angle: Double, q: Double) {
        self.angle = angle
        damping = 1 / (2 * q)
    }

    /// The angle of the poles where they are no real numbers.
    private var turn: Double { angle * max(0, 1 - damping * damping).squareRoot() }
    /// How fast either of two real poles decays: in frames⁻¹.
    private var rates: (slow: Double, fast: Double) {
        let sum = damping + max(0, damping * damping - 1).squareRoot()
        return (angle / sum, angle * sum)
    }

    var a1: Double {
        damping < 1 ? -2 * exp(-damping * angle) * cos(turn) : -exp(-rates.slow) - exp(-rates.fast)
    }
    var a2: Double { exp(-2 * damping * angle) }

    /// |1 + a₁ z⁻¹ + a₂ z⁻²|² as the product of both distances, which loses no digits where the poles lie close to 1.
    func power(at w: Double) -> Double {
        func power(_ decay: Double, _ w: Double) -> Double {
            let distance = expm1(-decay)
            return distance * distance + 4 * exp(-decay) * sin(w / 2) * sin(w / 2)
        }
        if damping < 1 { return power(damping * angle, w - turn) * power(damping * angle, w + turn) }
        return power(rates.slow, w) * power(rates.fast, w)
    }
}

/// The power of a polynomial of second order in z⁻¹ at an angle is a sum of three terms: its powers at 0 and at π with these
/// weights, and −4 times its outer coefficients with the third.
private struct Powers {
    let low: Double
    let high: Double
    let middle: Double

    init(_ angle: Double) {
        high = sin(angle / 2) * sin(angle / 2)
        low = cos(angle / 2) * cos(angle / 2)
        middle = 4 * low * high
    }

    /// The polynomial that has these powers at 0, at π and at `angle`, with its zeros within the unit circle.
    static func polynomial(low: Double, high: Double, at angle: Double, _ power: Double) -> (Double, Double, Double) {
        let weights = Powers(angle)
        let outer = (power - low * weights.low - high * weights.high) / weights.middle
        let sum = (low.squareRoot() + high.squareRoot()) / 2
        let first = (sum + max(0, sum * sum + outer).squareRoot()) / 2
        return (first, (low.squareRoot() - high.squareRoot()) / 2, -outer / (4 * first))
    }
}

extension EqualiserBand {
    /// The band as a filter at a sample rate in hertz, whether it is on or not. Thread: control.
    package func biquad(sampleRate: Int) -> Biquad { BandDesign.biquad(self, sampleRate: sampleRate) }
}
