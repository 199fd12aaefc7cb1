/// A timer thread, for comparison: what the kernel costs without JACK.
public struct BaselineReport: Sendable {
    /// The timer's period.
    public var nominalNanoseconds: Double
    /// How many times it woke.
    public var cycles: UInt64
    /// Between two wake-ups, in nanoseconds.
    public var interval: Distribution
    /// How far each interval was from nominal, without sign, in nanoseconds.
    public var deviation: Distribution
    /// How late the thread woke, as cyclictest has it.
    public var lateness: Distribution
    /// `nil` where the kernel did not tell.
    public var scheduling: Nullable<SchedulingFacts>
    /// The percentile curve of the deviation, for plots. Not in the JSON.
    public var deviationCurve: [CurvePoint]

    /// - Parameter nominalNanoseconds: more than 0.
    public init(
        nominalNanoseconds: Double, cycles: UInt64, interval: Distribution, deviation: Distribution,
        lateness: Distribution, scheduling: SchedulingFacts?, deviationCurve: [CurvePoint] = []
    ) {
        self.nominalNanoseconds = nominalNanoseconds
        self.cycles = cycles
        self.interval = interval
        self.deviation = deviation
        self.lateness = lateness
        self.scheduling = Nullable(scheduling)
        self.deviationCurve = deviationCurve
    }
}
