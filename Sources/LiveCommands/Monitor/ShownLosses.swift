import AudioIO

/// What the server lost since it was last taken note of, and when it last did.
struct ShownLosses {
    private var before: (xruns: UInt64, nanoseconds: UInt64) = (0, 0)
    private var now: (xruns: UInt64, nanoseconds: UInt64) = (0, 0)
    /// Of the run, in seconds.
    private var lastTime: Double?

    var xruns: UInt64 { now.xruns - before.xruns }
    var lostMilliseconds: Double { Double(now.nanoseconds - before.nanoseconds) / 1e6 }

    /// - Parameter time: of the run, in seconds.
    mutating func update(_ statistics: UnitStatistics, at time: Double) {
        if statistics.xruns > now.xruns || statistics.lostNanoseconds > now.nanoseconds { lastTime = time }
        now = (statistics.xruns, statistics.lostNanoseconds)
    }

    /// How long ago it was, in seconds; `nil` where nothing was lost.
    func age(at time: Double) -> Double? { lastTime.map { time - $0 } }

    /// Takes note of all of it.
    mutating func reset(_ statistics: UnitStatistics) {
        now = (statistics.xruns, statistics.lostNanoseconds)
        (before, lastTime) = (now, nil)
    }
}
