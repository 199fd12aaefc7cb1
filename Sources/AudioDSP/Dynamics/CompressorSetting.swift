// Mathematics, and nothing else of the C library: this module has no clock, file or thread to reach for.
import func Glibc.exp

/// The parameters of a compressor: its static curve and its times. A value out of range is clamped; NaN becomes the lower
/// limit.
public struct CompressorSetting: BitwiseCopyable, ParameterSetting, Equatable {
    /// Where the curve bends, in decibels of full scale, −80…0.
    public var threshold: Float = -18 { didSet { threshold = Self.thresholds.held(threshold) } }
    /// By how many decibels the input rises above the threshold for one at the output, 1…100.
    public var ratio: Float = 4 { didSet { ratio = Self.ratios.held(ratio) } }
    /// How wide the bend is, in decibels, half of it on either side of the threshold, 0…24; 0 is an edge.
    public var knee: Float = 6 { didSet { knee = Self.knees.held(knee) } }
    /// The time to reach 63 % of a reduction, in milliseconds, 0.1…500.
    public var attack: Float = 10 {
        didSet {
            attack = Self.attacks.held(attack)
            setHold()
        }
    }
    /// The time to lose 63 % of a reduction, in milliseconds, 1…5000. It is never shorter than the attack.
    public var release: Float = 150 {
        didSet {
            release = Self.releases.held(release)
            setHold()
        }
    }
    /// The gain behind it, in decibels, −24…48.
    public var makeUp: Float = 0 { didSet { makeUp = Self.makeUps.held(makeUp) } }
    /// Leaves the sound alone, bit for bit; faded over 10 ms.
    public var isBypassed = false
    /// The release of the first of the two smoothers in a row, in milliseconds.
    private(set) var hold: Float = 0

    private static let thresholds = -80.0...0, ratios = 1.0...100, knees = 0.0...24
    private static let attacks = 0.1...500, releases = 1.0...5000, makeUps = -24.0...48

    public static let fields: [ParameterField<Self>] = [
        .number("threshold", "level above which it gets softer", thresholds, unit: "dB", span: -60...0, \.threshold),
        .number(
            "ratio", "decibels at the input for one at the output", ratios, span: 1...20, taper: .logarithmic, \.ratio),
        .number("knee", "width of the bend at the threshold", knees, unit: "dB", \.knee),
        .number(
            "attack", "time to 63 % of a reduction", attacks, unit: "ms", span: 0.1...200, taper: .logarithmic, \.attack
        ),
        .number(
            "release", "time in which 63 % of a reduction go", releases, unit: "ms", span: 10...2000,
            taper: .logarithmic, \.release),
        .number("makeup", "gain after it", makeUps, unit: "dB", span: 0...24, \.makeUp),
        .flag("bypass", "leave the signal alone: no compressor", \.isBypassed),
    ]

    public init() { setHold() }

    /// - Parameters: as the properties; `nil` is a property's initial value.
    public init(
        threshold: Float? = nil, ratio: Float? = nil, knee: Float? = nil, attack: Float? = nil, release: Float? = nil,
        makeUp: Float? = nil
    ) {
        self.init()
        // Property observers do not run in an initialiser.
        self.threshold = Self.thresholds.held(threshold ?? self.threshold)
        self.ratio = Self.ratios.held(ratio ?? self.ratio)
        self.knee = Self.knees.held(knee ?? self.knee)
        self.attack = Self.attacks.held(attack ?? self.attack)
        self.release = Self.releases.held(release ?? self.release)
        self.makeUp = Self.makeUps.held(makeUp ?? self.makeUp)
        setHold()
    }

    /// The output level for an input level, without make-up gain, both in decibels of full scale. Thread: control.
    public func output(_ level: Float) -> Float { level - reduction(Vector(repeating: level))[0] }

    /// The gain reduction of eight levels, all in decibels: equation 4 of Giannoulis, Massberg and Reiss,
    /// "Digital Dynamic Range Compressor Design", J. Audio Eng. Soc. 60, 2012.
    @inline(__always) @_noLocks @_noAllocation
    func reduction(_ level: Vector) -> Vector {
        let over = level - threshold
        let slope = 1 - 1 / ratio
        let straight = Vector.zero.replacing(with: over, where: over .> 0)
        guard knee > 0 else { return slope * straight }
        let within = over + 0.5 * knee
        let curved = within * within * (0.5 / knee)
        return slope * straight.replacing(with: curved, where: over.magnitudes .< 0.5 * knee)
    }

    /// Two smoothers in series release more slowly than the first alone. This makes the first one faster, so that both
    /// together are at 1/e after `release`. After a step they are at (h exp(−t/h) − a exp(−t/a)) / (h − a).
    private mutating func setHold() {
        let (attack, release) = (Double(attack), Double(release))
        func left(_ hold: Double) -> Double {
            if abs(hold - attack) < 1e-6 * attack { return (1 + release / attack) * exp(-release / attack) }
            return (hold * exp(-release / hold) - attack * exp(-release / attack)) / (hold - attack)
        }
        // It increases with `hold`. Forty bisections are exact to a millionth.
        var (least, most) = (release * 1e-3, release)
        for _ in 0..<40 {
            let middle = (least * most).squareRoot()
            if left(middle) < exp(-1) { least = middle } else { most = middle }
        }
        hold = Float(least)
    }
}

extension ClosedRange<Double> {
    /// The nearest number within; the lower end for what is no number.
    func held(_ value: Float) -> Float {
        Double(value) >= lowerBound ? Swift.min(value, Float(upperBound)) : Float(lowerBound)
    }
}
