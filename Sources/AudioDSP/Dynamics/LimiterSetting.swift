/// What a limiter is told.
public struct LimiterSetting: BitwiseCopyable, Sendable, Equatable {
    /// The greatest true peak of what leaves it, in decibels of full scale (dBTP).
    public var ceiling: Float { didSet { ceiling = Self.held(ceiling, in: Self.ceilings) } }
    /// Until 63 % of a reduction are gone, in milliseconds.
    public var release: Float { didSet { release = Self.held(release, in: Self.releases) } }

    /// In decibels of full scale, true peak.
    public static let ceilings: ClosedRange<Float> = -60...0
    /// In milliseconds.
    public static let releases: ClosedRange<Float> = 1...5000

    /// - Parameters: as the properties; each is held within its range, and what is no number is the least.
    public init(ceiling: Float = -1, release: Float = 50) {
        self.ceiling = Self.held(ceiling, in: Self.ceilings)
        self.release = Self.held(release, in: Self.releases)
    }

    private static func held(_ value: Float, in range: ClosedRange<Float>) -> Float {
        value >= range.lowerBound ? min(value, range.upperBound) : range.lowerBound
    }
}
