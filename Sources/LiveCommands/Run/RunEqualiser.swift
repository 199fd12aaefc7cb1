import AudioDSP
import AudioIO
import TerminalPages

/// The equaliser of a run, which a bypass leaves out.
///
/// Thread: control.
final class RunEqualiser {
    let node: Equaliser
    /// What was set, whether bypassed or not.
    private(set) var bands: [EqualiserBand]
    private var isBypassed = false

    init(_ bands: [EqualiserBand], channels: Int) {
        self.bands = bands
        node = Equaliser(bands, channels: channels)
    }

    /// - Returns: `nil` where no band was asked for, and none can be.
    convenience init?(_ options: MonitorOptions, channels: Int) {
        let bands = Self.bands(options)
        guard !bands.isEmpty else { return nil }
        self.init(bands, channels: channels)
        setBypass(options.unit.isBypassed)
    }

    /// Those that a run begins with; none where none was asked for, and none can be.
    static func bands(_ options: MonitorOptions) -> [EqualiserBand] {
        options.bands.isEmpty && options.isControlled ? flatBands : options.bands
    }

    /// For a page, on which they are dragged, and for other controls. They cost nothing until then.
    static let flatBands = [
        EqualiserBand(.lowShelf, hertz: 100), EqualiserBand(.peak, hertz: 300, q: 1),
        EqualiserBand(.peak, hertz: 1000, q: 1),
        EqualiserBand(.peak, hertz: 3000, q: 1), EqualiserBand(.highShelf, hertz: 8000),
    ]

    /// Replaces a band; one that is not there is left alone.
    func set(_ index: Int, _ band: EqualiserBand) {
        guard bands.indices.contains(index) else { return }
        bands[index] = band
        apply()
    }

    func setBypass(_ isBypassed: Bool) {
        guard isBypassed != self.isBypassed else { return }
        self.isBypassed = isBypassed
        apply()
    }

    private func apply() { node.bands = isBypassed ? [] : bands }

    /// What is heard, in decibels, at frequencies in hertz.
    func response(atHertz hertz: [Double]) -> [Double] { node.response(atHertz: hertz) }
}
