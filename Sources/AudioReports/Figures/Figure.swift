import AudioFigures

/// A figure that a limit can be set on: its name, what it is measured in, and where it stands in a report.
public struct Figure: Sendable {
    public enum Dimension: Sendable, Equatable {
        /// In nanoseconds; a limit has a unit: `200us`.
        case time
        /// In frames; a limit may also be a time.
        case frames
        case count
        /// A share, 0…1 and beyond; a limit may also be in percent.
        case share
        case decibels
    }

    public var name: String
    public var dimension: Dimension
    /// A few words for the help.
    public var summary: String

    public init(_ name: String, _ dimension: Dimension, _ summary: String) {
        self.name = name
        self.dimension = dimension
        self.summary = summary
    }
}

extension Figure {
    private static let statistics: [(name: String, value: @Sendable (Distribution) -> Double)] = [
        ("min", { Double($0.minimum) }), ("mean", { $0.mean }), ("deviation", { $0.standardDeviation }),
        ("p50", { Double($0.p50) }), ("p90", { Double($0.p90) }), ("p99", { Double($0.p99) }),
        ("p99.9", { Double($0.p999) }), ("p99.99", { Double($0.p9999) }), ("max", { Double($0.maximum) }),
    ]

    private static let others: [(figure: Figure, value: @Sendable (ModeReport) -> Double?)] = [
        (Figure("load.mean", .share, "the callback's mean share of its interval"), { $0.load.mean }),
        (Figure("load", .share, "the callback's largest share of its interval"), { $0.load.maximum }),
        (Figure("overruns", .count, "callbacks that ran longer than their interval"), { Double($0.overruns) }),
        (
            Figure("lost", .time, "wall time for which no frame was rendered"),
            { Double($0.lost.wallNanoseconds) }
        ),
        (Figure("gap", .frames, "frames that JACK's frame clock skipped"), { Double($0.lost.gapFrames) }),
        (Figure("long", .count, "intervals longer than 1.5 periods"), { Double($0.lost.longIntervals) }),
        (Figure("xruns", .count, "xruns that JACK reported"), { Double($0.lost.xruns) }),
        (
            Figure("xrun-delay", .time, "the sum of the delays that JACK named"),
            { Double($0.lost.xrunDelayNanoseconds) }
        ),
        (Figure("latency", .frames, "latency as measured"), { $0.latencyFrames.value }),
        (Figure("dropped", .frames, "frames of input that found no buffer"), { Double($0.droppedFrames) }),
        (Figure("inserted", .frames, "frames of silence that were put in"), { Double($0.insertedFrames) }),
        (Figure("telemetry", .count, "callbacks whose record was lost"), { Double($0.telemetryDropped) }),
        (Figure("cpu", .time, "processor time for each callback"), { $0.cpuNanosecondsPerCycle.value }),
        (Figure("own", .count, "late cycles that our callback caused"), { $0.blame.value.map { Double($0.own) } }),
        (
            Figure("upstream", .count, "late cycles that a client before us caused"),
            { $0.blame.value.map { Double($0.upstream) } }
        ),
        (
            Figure("wakeup", .count, "late cycles that driver or scheduler caused"),
            { $0.blame.value.map { Double($0.wakeup) } }
        ),
        (
            Figure("unknown", .count, "late cycles that nobody can be blamed for"),
            { $0.blame.value.map { Double($0.unknown) } }
        ),
    ]

    /// The figures of a mode. Bare names of statistics, as `p99`, are those of the deviation from nominal.
    public static let all: [Figure] =
        statistics.filter { $0.name != "deviation" }.map {
            Figure($0.name, .time, "\($0.name) of the deviation from nominal, without sign")
        }
        + statistics.map { Figure("interval.\($0.name)", .time, "\($0.name) of the interval") }
        + statistics.map { Figure("time.\($0.name)", .time, "\($0.name) of the time a callback takes") }
        + others.map(\.figure)

    /// What a report says of the figure; `nil` where it was not measured.
    func value(in mode: ModeReport) -> Double? {
        if let other = Self.others.first(where: { $0.figure.name == name }) { return other.value(mode) }
        guard mode.cycles > 1 else { return nil }
        for (group, distribution) in [("interval.", mode.interval), ("time.", mode.callbackTime), ("", mode.deviation)]
        where name.hasPrefix(group) {
            let statistic = name.dropFirst(group.count)
            return Self.statistics.first { $0.name == statistic }?.value(distribution)
        }
        return nil
    }
}
