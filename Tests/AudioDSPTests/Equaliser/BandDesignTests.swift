import AudioDSP
import Glibc
import Testing

@Suite("A band of an equaliser")
struct BandDesignTests {
    private typealias Kind = EqualiserBand.Kind

    /// Frequencies from 20 Hz to `last`, as far apart from one another to the ear.
    private static func frequencies(to last: Double, count: Int) -> [Double] {
        (0..<count).map { 20 * pow(last / 20, Double($0) / Double(count - 1)) }
    }

    private static func bands(_ kind: Kind, to last: Double, count: Int) -> [EqualiserBand] {
        let isShelf = kind == .lowShelf || kind == .highShelf
        let qs = isShelf ? [0.1, 0.3, 0.5, 0.7071, 1, 2] : [0.1, 0.3, 0.7071, 1, 2, 5, 10, 40]
        let gains = kind.hasGain ? [-24.0, -12, -6, -3, 3, 6, 12, 24] : [0]
        return frequencies(to: last, count: count).flatMap { hertz in
            qs.flatMap { q in gains.map { EqualiserBand(kind, hertz: hertz, q: q, decibels: $0) } }
        }
    }

    /// The largest deviation from the analogue response up to 20 kHz, where either is above −60 dB.
    private static func deviation(_ bands: [EqualiserBand], sampleRate: Int, _ biquad: (EqualiserBand) -> Biquad)
        -> Double
    {
        let frequencies = frequencies(to: 20_000, count: 200)
        var largest = 0.0
        for band in bands {
            let prototype = Prototype(band)
            let biquad = biquad(band)
            for hertz in frequencies {
                let wanted = max(-60, prototype.decibels(at: hertz))
                let found = max(-60, biquad.gain(atHertz: hertz, sampleRate: Double(sampleRate)))
                largest = max(largest, abs(found - wanted))
            }
        }
        return largest
    }

    /// As documented: the largest deviation in dB at 44.1, 48 and 96 kHz, with frequencies up to 20 kHz.
    @Test(
        "is what its analogue prototype is up to 20 kHz, but for the documented deviation",
        arguments: [
            (Kind.lowPass, [1.4, 1.1, 0.2]), (.highPass, [7.3, 3.9, 0.6]), (.notch, [3.0, 2.5, 0.5]),
            (.peak, [1.8, 1.7, 0.5]), (.lowShelf, [2.2, 2.2, 1.6]), (.highShelf, [2.2, 2.2, 1.6]),
        ])
    func followsItsPrototype(_ kind: EqualiserBand.Kind, _ limits: [Double]) {
        for (sampleRate, limit) in zip([44_100, 48_000, 96_000], limits) {
            let bands = Self.bands(kind, to: 20_000, count: 20)
            let found = Self.deviation(bands, sampleRate: sampleRate) { Biquad($0, sampleRate: sampleRate) }
            #expect(found <= limit, "\(kind) at \(sampleRate) Hz: \(found) dB")
            let bilinear = Self.deviation(bands, sampleRate: sampleRate) {
                Prototype($0).bilinear(sampleRate: Double(sampleRate))
            }
            #expect(bilinear > found, "\(kind) at \(sampleRate) Hz: \(found) dB, bilinear \(bilinear) dB")
        }
    }

    @Test("has its gains where they are known", arguments: [44_100, 48_000, 96_000, 192_000])
    func knownGains(_ sampleRate: Int) {
        func gain(_ band: EqualiserBand, _ hertz: Double) -> Double {
            Biquad(band, sampleRate: sampleRate).gain(atHertz: hertz, sampleRate: Double(sampleRate))
        }
        func expect(_ found: Double, _ wanted: Double, _ what: Comment) { #expect(abs(found - wanted) < 1e-4, what) }
        for decibels in [-24.0, -6, 6, 24] {
            // Up to 5 kHz, where the place that is matched is the frequency to a fraction of a hundredth of a dB.
            expect(gain(EqualiserBand(.peak, hertz: 100, q: 3, decibels: decibels), 0), 0, "peak, 0 Hz")
            #expect(abs(gain(EqualiserBand(.peak, hertz: 5000, q: 1, decibels: decibels), 5000) - decibels) < 0.05)
            expect(gain(EqualiserBand(.lowShelf, hertz: 300, decibels: decibels), 0), decibels, "low shelf, 0 Hz")
            #expect(abs(gain(EqualiserBand(.lowShelf, hertz: 300, decibels: decibels), 300) - decibels / 2) < 0.05)
            expect(gain(EqualiserBand(.highShelf, hertz: 300, decibels: decibels), 0), 0, "high shelf, 0 Hz")
        }
        expect(gain(EqualiserBand(.lowPass, hertz: 1000), 0), 0, "low pass, 0 Hz")
        #expect(abs(gain(EqualiserBand(.lowPass, hertz: 1000), 1000) + 3.0103) < 0.01)
        expect(gain(EqualiserBand(.highPass, hertz: 1000), 1000), -3.0103, "high pass, corner")
        #expect(gain(EqualiserBand(.highPass, hertz: 1000), 0) < -200)
        #expect(gain(EqualiserBand(.notch, hertz: 1000, q: 5), 1000) < -200)
        expect(gain(EqualiserBand(.notch, hertz: 1000, q: 5), 0), 0, "notch, 0 Hz")
    }

    @Test("that cuts undoes one that boosts as much", arguments: [Kind.peak, .lowShelf, .highShelf])
    func cutsUndoBoosts(_ kind: EqualiserBand.Kind) {
        for band in Self.bands(kind, to: 23_000, count: 10) {
            var inverse = band
            inverse.decibels = -band.decibels
            let (one, other) = (Biquad(band, sampleRate: 48_000), Biquad(inverse, sampleRate: 48_000))
            for hertz in Self.frequencies(to: 24_000, count: 20) {
                let sum = one.gain(atHertz: hertz, sampleRate: 48_000) + other.gain(atHertz: hertz, sampleRate: 48_000)
                #expect(abs(sum) < 1e-6, "\(band) at \(hertz) Hz")
            }
        }
    }

    @Test("is stable wherever it is put, and beyond half the sample rate", arguments: Kind.allCases)
    func isStable(_ kind: EqualiserBand.Kind) {
        for sampleRate in [8000, 44_100, 48_000, 192_000, 384_000] {
            for hertz in [10, 20, 1000, 0.45 * Double(sampleRate), 0.4995 * Double(sampleRate), 200_000] {
                for q in [0.1, 0.5, 0.7071, 1, 40] {
                    for decibels in [-24, -0.001, 0.001, 24] {
                        let band = EqualiserBand(kind, hertz: hertz, q: q, decibels: decibels)
                        let biquad = Biquad(band, sampleRate: sampleRate)
                        #expect(abs(biquad.a2) < 1 && abs(biquad.a1) < 1 + biquad.a2, "\(band) at \(sampleRate) Hz")
                        #expect((biquad.b0 + biquad.b1 + biquad.b2).isFinite && biquad.radius < 1)
                    }
                }
            }
        }
    }

    @Test("keeps its shape at the lowest frequencies and the highest rates, where digits could be lost")
    func lowFrequencies() {
        for sampleRate in [192_000, 384_000] {
            for kind in Kind.allCases where kind != .notch {
                for q in [0.1, 0.7071, 2] + (kind == .lowShelf || kind == .highShelf ? [] : [40]) {
                    let band = EqualiserBand(kind, hertz: 10, q: q, decibels: 12)
                    let biquad = Biquad(band, sampleRate: sampleRate)
                    for hertz in [5.0, 9, 10, 11, 20, 100] {
                        let found = biquad.gain(atHertz: hertz, sampleRate: Double(sampleRate))
                        let wanted = Prototype(band).decibels(at: hertz)
                        #expect(abs(found - wanted) < 0.01, "\(band) at \(hertz) Hz: \(found), not \(wanted) dB")
                    }
                }
            }
        }
    }

    @Test("takes values within its ranges, and refuses NaN")
    func ranges() {
        var band = EqualiserBand(.peak, hertz: .nan, q: .nan, decibels: .nan)
        #expect(band == EqualiserBand(.peak, hertz: 1000, q: 0.5.squareRoot(), decibels: 0))
        band = EqualiserBand(.peak, hertz: -5, q: 1e9, decibels: -.infinity)
        #expect((band.hertz, band.q, band.decibels) == (10, 40, -24))
        (band.hertz, band.q, band.decibels) = (440, 2, 3)
        (band.hertz, band.q, band.decibels) = (.nan, .nan, .nan)
        #expect((band.hertz, band.q, band.decibels) == (440, 2, 3), "as it was")
        (band.hertz, band.q, band.decibels) = (.infinity, 0, 100)
        #expect((band.hertz, band.q, band.decibels) == (200_000, 0.1, 24))
    }

    @Test("that is off or at 0 dB is left out, and so is the 33rd")
    func flatBands() {
        func count(_ bands: [EqualiserBand]) -> Int { EqualiserSetting(bands, sampleRate: 48_000).count }
        #expect(count([]) == 0)
        #expect(count(Kind.allCases.filter(\.hasGain).map { EqualiserBand($0) }) == 0)
        #expect(count(Kind.allCases.map { EqualiserBand($0, decibels: 6, isOn: false) }) == 0)
        #expect(count(Kind.allCases.map { EqualiserBand($0, decibels: 6) }) == 6)
        #expect(count((0..<40).map { _ in EqualiserBand(.notch) }) == 32)
    }

    @Test("tells its response, and all together the sum")
    func response() {
        let bands = [EqualiserBand(.peak, decibels: 6), EqualiserBand(.lowShelf, hertz: 200, decibels: -9)]
        let setting = EqualiserSetting(bands, sampleRate: 48_000)
        for hertz in Self.frequencies(to: 24_000, count: 30) {
            let sum = bands.reduce(0) {
                $0 + Biquad($1, sampleRate: 48_000).gain(atHertz: hertz, sampleRate: 48_000)
            }
            #expect(abs(setting.decibels(atHertz: hertz) - sum) < 1e-9)
        }
        #expect(
            setting.decibels(atHertz: 1e9) == setting.decibels(atHertz: 24_000))
    }
}
