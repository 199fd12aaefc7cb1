/// One band of an equaliser.
///
/// A value beyond its range moves to the nearest one within. NaN is refused: the property keeps what it had, and the
/// initialiser takes its default.
public struct EqualiserBand: ParameterSetting, Hashable {
    /// What a band does to the sound. All slopes are of second order: 12 dB an octave.
    public enum Kind: String, Hashable, ParameterChoice {
        /// Raises or lowers what lies around the frequency.
        case peak
        /// Raises or lowers what lies below the frequency, where half of the decibels are reached.
        case lowShelf
        /// Raises or lowers what lies above the frequency, where half of the decibels are reached.
        case highShelf
        /// Lets through what lies below the frequency.
        case lowPass
        /// Lets through what lies above the frequency.
        case highPass
        /// Takes the frequency out.
        case notch

        /// As in `--eq`, on the page and in reports.
        public var name: String { rawValue.lowercased() }

        /// Whether the decibels matter.
        public var hasGain: Bool {
            switch self {
            case .peak, .lowShelf, .highShelf: true
            case .lowPass, .highPass, .notch: false
            }
        }

        var isShelf: Bool { self == .lowShelf || self == .highShelf }
    }

    /// Of the frequency, in hertz. Above 0.4995 of the sample rate it is taken for that.
    public static let hertzRange: ClosedRange<Double> = 10...200_000
    /// Of the quality.
    public static let qRange: ClosedRange<Double> = 0.1...40
    /// Shelves with a higher Q act as with this one. (Above 1 their slope has a dip at one end and a peak at the other.)
    public static let highestShelfQ = 2.0
    /// Of the gain, in decibels.
    public static let decibelsRange: ClosedRange<Double> = -24...24

    /// Its parameters.
    public static let fields: [ParameterField<Self>] = [
        .choice("kind", "kind", \.kind),
        .number("hertz", "frequency", hertzRange, unit: "Hz", span: 20...20_000, taper: .logarithmic, \.hertz),
        .number("gain", "gain", decibelsRange, unit: "dB", \.decibels),
        .number("q", "Q", qRange, taper: .logarithmic, \.q), .flag("on", "use", \.isOn),
    ]

    /// Peak, shelf or pass.
    public var kind: Kind
    /// Centre, corner or middle of the slope in hertz, 10…200 000. A band acts at 0.999 of half the sample rate at most.
    public var hertz: Double { didSet { hertz = Self.taken(hertz, or: oldValue, in: Self.hertzRange) } }
    /// Width of a peak or a notch (higher is narrower), or resonance at a corner (0.7071 has none), 0.1…40. Shelves act
    /// as with 2 at most.
    public var q: Double { didSet { q = Self.taken(q, or: oldValue, in: Self.qRange) } }
    /// Gain of a peak or shelf in dB, −24…24. The other kinds ignore it.
    public var decibels: Double { didSet { decibels = Self.taken(decibels, or: oldValue, in: Self.decibelsRange) } }
    /// Whether the band does anything.
    public var isOn: Bool

    /// - Parameters:
    ///   - hertz: see `hertz`; 1000 where it is NaN.
    ///   - q: see `q`; 1/√2 where it is NaN.
    ///   - decibels: see `decibels`; 0 where it is NaN.
    public init(
        _ kind: Kind, hertz: Double = 1000, q: Double = 0.5.squareRoot(), decibels: Double = 0, isOn: Bool = true
    ) {
        self.kind = kind
        self.hertz = Self.taken(hertz, or: 1000, in: Self.hertzRange)
        self.q = Self.taken(q, or: 0.5.squareRoot(), in: Self.qRange)
        self.decibels = Self.taken(decibels, or: 0, in: Self.decibelsRange)
        self.isOn = isOn
    }

    /// A peak of 0 dB.
    public init() { self.init(.peak) }

    /// Whether the band passes the sound on as it is: it costs nothing then.
    public var isFlat: Bool { !isOn || (kind.hasGain && decibels == 0) }

    private static func taken(_ value: Double, or other: Double, in range: ClosedRange<Double>) -> Double {
        value.isNaN ? other : min(max(value, range.lowerBound), range.upperBound)
    }
}
