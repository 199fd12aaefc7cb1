import AudioDSP
import AudioReports
import TerminalPages

/// A band of the equaliser, in the JSON of a run and on the page.
struct BandReport: Encodable {
    /// As in `--eq`.
    var kind: String
    var hertz: Double
    var decibels: Double
    var q: Double
    var isOn: Bool

    init(_ band: EqualiserBand) {
        func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
        kind = band.kind.word
        (hertz, decibels, q) = (rounded(band.hertz), rounded(band.decibels), rounded(band.q))
        isOn = band.isOn
    }

    /// For people.
    var words: String {
        let place = hertz < 1000 ? "\(fixed(hertz, 0)) Hz" : "\(fixed(hertz / 1000, 2)) kHz"
        let hasGain = EqualiserBand.Kind.allCases.contains { $0.word == kind && $0.hasGain }
        return "\(kind) \(place)" + (hasGain ? " \(signed(decibels)) dB" : "") + (isOn ? "" : " (off)")
    }
}
