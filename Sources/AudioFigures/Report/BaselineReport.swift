/// A timer thread, for comparison: what the kernel costs without JACK.
public struct BaselineReport: Sendable, Encodable {
    public var nominalNanoseconds: Double
    public var cycles: UInt64
    public var interval: Distribution
    public var deviation: Distribution
    /// How late the thread woke, as cyclictest has it.
    public var lateness: Distribution
    public var policy: String
    public var priority: Int
    /// The percentile curve of the deviation, for plots. Not in the JSON.
    public var deviationCurve: [CurvePoint]

    public init(
        nominalNanoseconds: Double, cycles: UInt64, interval: Distribution, deviation: Distribution,
        lateness: Distribution, policy: String, priority: Int, deviationCurve: [CurvePoint] = []
    ) {
        self.nominalNanoseconds = nominalNanoseconds
        self.cycles = cycles
        self.interval = interval
        self.deviation = deviation
        self.lateness = lateness
        self.policy = policy
        self.priority = priority
        self.deviationCurve = deviationCurve
    }

    private enum CodingKeys: String, CodingKey {
        case nominalNanoseconds, cycles, interval, deviation, lateness, policy, priority
    }
}
