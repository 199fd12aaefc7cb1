/// The parameters of a limiter. A value out of range is clamped; NaN becomes the lower limit.
public struct LimiterSetting: BitwiseCopyable, ParameterSetting, Equatable {
    /// The greatest true peak of what leaves it, in decibels of full scale (dBTP), −60…0.
    public var ceiling: Float = -1 { didSet { ceiling = Self.ceilings.held(ceiling) } }
    /// The time to lose 63 % of a reduction, in milliseconds, 1…5000.
    public var release: Float = 50 { didSet { release = Self.releases.held(release) } }
    /// Leaves the sound as it is, at the same latency; faded over 10 ms.
    public var isBypassed = false

    private static let ceilings = -60.0...0, releases = 1.0...5000

    public static let fields: [ParameterField<Self>] = [
        .number("ceiling", "greatest true peak at the output", ceilings, unit: "dB", span: -24...0, \.ceiling),
        .number(
            "release", "time in which 63 % of a reduction go", releases, unit: "ms", span: 5...1000,
            taper: .logarithmic, \.release),
        .flag("bypass", "leave the signal alone: no limiter", \.isBypassed),
    ]

    public init() {}

    /// - Parameters: as the properties.
    public init(ceiling: Float = -1, release: Float = 50) {
        self.init()
        // Property observers do not run in an initialiser.
        self.ceiling = Self.ceilings.held(ceiling)
        self.release = Self.releases.held(release)
    }
}
