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
        kind = band.kind.name
        (hertz, decibels, q) = (thousandths(band.hertz), thousandths(band.decibels), thousandths(band.q))
        isOn = band.isOn
    }

    /// For people.
    var words: String {
        let place = hertz < 1000 ? "\(fixed(hertz, 0)) Hz" : "\(fixed(hertz / 1000, 2)) kHz"
        let hasGain = EqualiserBand.Kind(name: kind)?.hasGain == true
        return "\(kind) \(place)" + (hasGain ? " \(signed(decibels)) dB" : "") + (isOn ? "" : " (off)")
    }
}
