// Mathematics, and nothing else of the C library: this module has no clock, file or thread to reach for.
import func Glibc.exp

/// What a compressor is told: its static curve and its times.
public struct CompressorSetting: BitwiseCopyable, Sendable, Equatable {
    /// Where the curve bends, in decibels of full scale.
    public var threshold: Float { didSet { threshold = Self.held(threshold, in: Self.thresholds) } }
    /// By how many decibels the input rises above the threshold for one at the output.
    public var ratio: Float { didSet { ratio = Self.held(ratio, in: Self.ratios) } }
    /// How wide the bend is, in decibels, half of it on either side of the threshold; 0 for an edge.
    public var knee: Float { didSet { knee = Self.held(knee, in: Self.knees) } }
    /// Until 63 % of a reduction are reached, in milliseconds.
    public var attack: Float {
        didSet {
            attack = Self.held(attack, in: Self.attacks)
            setHold()
        }
    }
    /// Until 63 % of a reduction are gone, in milliseconds. Not shorter than the attack takes.
    public var release: Float {
        didSet {
            release = Self.held(release, in: Self.releases)
            setHold()
        }
    }
    /// The gain behind it, in decibels.
    public var makeUp: Float { didSet { makeUp = Self.held(makeUp, in: Self.makeUps) } }
    /// The release of the first of the two smoothers in a row, in milliseconds.
    private(set) var hold: Float = 0

    /// In decibels of full scale.
    public static let thresholds: ClosedRange<Float> = -80...0
    /// In decibels per decibel; a ratio of 100 is a limiter's.
    public static let ratios: ClosedRange<Float> = 1...100
    /// In decibels.
    public static let knees: ClosedRange<Float> = 0...24
    /// In milliseconds.
    public static let attacks: ClosedRange<Float> = 0.1...500
    /// In milliseconds.
    public static let releases: ClosedRange<Float> = 1...5000
    /// In decibels.
    public static let makeUps: ClosedRange<Float> = -24...48

    /// - Parameters: as the properties; each is held within its range, and what is no number is the least.
    public init(
        threshold: Float = -18, ratio: Float = 4, knee: Float = 6, attack: Float = 10, release: Float = 150,
        makeUp: Float = 0
    ) {
        self.threshold = Self.held(threshold, in: Self.thresholds)
        self.ratio = Self.held(ratio, in: Self.ratios)
        self.knee = Self.held(knee, in: Self.knees)
        self.attack = Self.held(attack, in: Self.attacks)
        self.release = Self.held(release, in: Self.releases)
        self.makeUp = Self.held(makeUp, in: Self.makeUps)
        setHold()
    }

    private static func held(_ value: Float, in range: ClosedRange<Float>) -> Float {
        value >= range.lowerBound ? min(value, range.upperBound) : range.lowerBound
    }

    /// What a level leaves the compressor with, without make-up gain, in decibels of full scale. Thread: control.
    public func output(_ level: Float) -> Float { level - reduction(Vector(repeating: level))[0] }

    /// By how much each of eight levels in decibels is reduced, in decibels: equation 4 of Giannoulis, Massberg and Reiss,
    /// "Digital Dynamic Range Compressor Design", J. Audio Eng. Soc. 60, 2012.
    @inline(__always) @_noLocks @_noAllocation
    func reduction(_ level: Vector) -> Vector {
        let over = level - threshold
        let slope = 1 - 1 / ratio
        let straight = Vector.zero.replacing(with: over, where: over .> 0)
        guard knee > 0 else { return slope * straight }
        let within = over + 0.5 * knee
        let bent = within * within * (0.5 / knee)
        return slope * straight.replacing(with: bent, where: over.magnitudes .< 0.5 * knee)
    }

    /// Two smoothers in a row take a little longer than the first alone: it is made faster, so that both together are at
    /// 1/e of a reduction after `release`. Behind it, they are at (h exp(−t/h) − a exp(−t/a)) / (h − a).
    private mutating func setHold() {
        let (attack, release) = (Double(attack), Double(release))
        func left(_ hold: Double) -> Double {
            if abs(hold - attack) < 1e-6 * attack { return (1 + release / attack) * exp(-release / attack) }
            return (hold * exp(-release / hold) - attack * exp(-release / attack)) / (hold - attack)
        }
        // It grows with `hold`; bisected to less than a millionth.
        var (least, most) = (release * 1e-3, release)
        for _ in 0..<40 {
            let middle = (least * most).squareRoot()
            if left(middle) < exp(-1) { least = middle } else { most = middle }
        }
        hold = Float(least)
    }
}
