import AudioDSP
import Glibc

/// The analogue filters that the bands are to be: R. Bristow-Johnson, "Cookbook Formulae for Audio EQ Biquad Filter
/// Coefficients", and what the bilinear transform makes of them.
struct Prototype {
    let kind: EqualiserBand.Kind
    let hertz: Double
    let q: Double
    let decibels: Double

    init(_ band: EqualiserBand) {
        kind = band.kind
        hertz = band.hertz
        q = band.q
        decibels = band.decibels
    }

    /// The square root of the gain.
    private var a: Double { pow(10, decibels / 40) }

    /// The gain in dB at a frequency in hertz.
    func decibels(at frequency: Double) -> Double {
        let x = frequency / hertz
        let root = a.squareRoot() / q
        // Each polynomial in s = jx: what is real, and what is imaginary.
        let (top, bottom): ((Double, Double), (Double, Double)) =
            switch kind {
            case .lowPass: ((1, 0), (1 - x * x, x / q))
            case .highPass: ((-x * x, 0), (1 - x * x, x / q))
            case .notch: ((1 - x * x, 0), (1 - x * x, x / q))
            case .peak: ((1 - x * x, x * a / q), (1 - x * x, x / a / q))
            case .lowShelf: ((a * (a - x * x), a * x * root), (1 - a * x * x, x * root))
            case .highShelf: ((a * (1 - a * x * x), a * x * root), (a - x * x, x * root))
            }
        return 20 * log10(hypot(top.0, top.1) / hypot(bottom.0, bottom.1))
    }

    /// The coefficients that the bilinear transform gives.
    func bilinear(sampleRate: Double) -> Biquad {
        let w = 2 * Double.pi * hertz / sampleRate
        let c = cos(w)
        let alpha = sin(w) / (2 * q)
        let root = 2 * a.squareRoot() * alpha
        let (b, d): ([Double], [Double]) =
            switch kind {
            case .lowPass: ([(1 - c) / 2, 1 - c, (1 - c) / 2], [1 + alpha, -2 * c, 1 - alpha])
            case .highPass: ([(1 + c) / 2, -1 - c, (1 + c) / 2], [1 + alpha, -2 * c, 1 - alpha])
            case .notch: ([1, -2 * c, 1], [1 + alpha, -2 * c, 1 - alpha])
            case .peak: ([1 + alpha * a, -2 * c, 1 - alpha * a], [1 + alpha / a, -2 * c, 1 - alpha / a])
            case .lowShelf:
                (
                    [
                        a * (a + 1 - (a - 1) * c + root), 2 * a * (a - 1 - (a + 1) * c),
                        a * (a + 1 - (a - 1) * c - root),
                    ],
                    [a + 1 + (a - 1) * c + root, -2 * (a - 1 + (a + 1) * c), a + 1 + (a - 1) * c - root]
                )
            case .highShelf:
                (
                    [
                        a * (a + 1 + (a - 1) * c + root), -2 * a * (a - 1 + (a + 1) * c),
                        a * (a + 1 + (a - 1) * c - root),
                    ],
                    [a + 1 - (a - 1) * c + root, 2 * (a - 1 - (a + 1) * c), a + 1 - (a - 1) * c - root]
                )
            }
        return Biquad(b0: b[0] / d[0], b1: b[1] / d[0], b2: b[2] / d[0], a1: d[1] / d[0], a2: d[2] / d[0])
    }
}

extension Biquad {
    /// The gain in dB at a frequency in hertz, by the sums of the coefficients' turns alone.
    func gain(atHertz hertz: Double, sampleRate: Double) -> Double {
        let angle = -2 * Double.pi * hertz / sampleRate
        func magnitude(_ zeroth: Double, _ first: Double, _ second: Double) -> Double {
            hypot(
                zeroth + first * cos(angle) + second * cos(2 * angle), first * sin(angle) + second * sin(2 * angle))
        }
        return 20 * log10(magnitude(b0, b1, b2) / magnitude(1, a1, a2))
    }

    /// The filter of one band.
    init(_ band: EqualiserBand, sampleRate: Int) {
        let setting = EqualiserSetting([band], sampleRate: sampleRate)
        self = setting.count == 0 ? .identity : setting.stages[0].biquad
    }
}
