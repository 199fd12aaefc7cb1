import AudioDSP
import AudioFigures
import AudioReports
import TerminalPages

/// A band of the equaliser, in the JSON of a run and on the page.
package struct BandReport: Reported, Encodable {
    var kind: String
    var hertz: Double
    var decibels: Double
    var q: Double
    var isOn: Bool

    private static let kinds = EqualiserBand.Kind.allCases.map(\.name).listed("or")

    package static let fields: [ReportField<Self>] = [
        .field("kind", kinds, \.kind),
        .field("hertz", "centre, corner or middle of the slope", unit: .hertz, \.hertz),
        .field("decibels", "gain of a peak or shelf", unit: .decibels, \.decibels),
        .field("q", "how narrow it is, or its resonance", \.q),
        .field("isOn", "whether it does anything", \.isOn),
    ]

    package init(_ band: EqualiserBand) {
        kind = band.kind.name
        (hertz, decibels, q) = (thousandths(band.hertz), thousandths(band.decibels), thousandths(band.q))
        isOn = band.isOn
    }

    package var words: String {
        let place = hertz < 1000 ? "\(fixed(hertz, 0)) Hz" : "\(fixed(hertz / 1000, 2)) kHz"
        let hasGain = EqualiserBand.Kind(name: kind)?.hasGain == true
        return "\(kind) \(place)" + (hasGain ? " \(signed(decibels)) dB" : "") + (isOn ? "" : " (off)")
    }
}
