import AudioFigures

/// The account of a timer thread: how late it woke, and how regularly.
struct TimerAccount: Sendable {
    let nominalNanoseconds: Double
    private var lateness = Histogram()
    private var interval = Histogram()
    private var deviation = Histogram()
    private var last: UInt64?

    init(nominalNanoseconds: Double) { self.nominalNanoseconds = nominalNanoseconds }

    /// - Parameters:
    ///   - time: when the thread woke.
    ///   - deadline: when it was to; never later.
    mutating func wake(at time: UInt64, deadline: UInt64) {
        lateness.record(Int64(clamping: time - deadline))
        if let last {
            let passed = time - last
            interval.record(Int64(clamping: passed))
            deviation.record(Int64(abs(Double(passed) - nominalNanoseconds).rounded()))
        }
        last = time
    }

    func report(scheduling: SchedulingFacts?) -> BaselineReport {
        BaselineReport(
            nominalNanoseconds: nominalNanoseconds, cycles: lateness.count, interval: interval.distribution,
            deviation: deviation.distribution, lateness: lateness.distribution, scheduling: scheduling,
            deviationCurve: deviation.curve)
    }
}
