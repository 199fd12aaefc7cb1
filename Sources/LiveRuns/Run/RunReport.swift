import AudioFigures
import AudioFiles
import AudioIO
import AudioReports

/// What the report of every run of an engine tells: fields beside those of its own.
package struct RunReport: Reported {
    package var seconds: Double
    var counts: RunCounts
    var resets: Int
    var endedWithoutServer: Bool
    /// Whether the time that it was absent is one without a server, and not all of it one of a suspension.
    private let wasAwaited: Bool
    package var server: ServerFacts
    private let hadOtherCycles: Bool
    private let hadOtherRate: Bool
    var memoryLocked: Bool
    /// At most the last 1000.
    var events: [EventReport]
    var scheduling: SchedulingFacts?

    /// All but `seconds`, which `duration` gives its place.
    package static let fields: [ReportField<Self>] = [
        .inline(\.counts),
        .field("resets", "how often the server went away and came back", metric: .counter("server_resets"), \.resets),
        .field(
            "endedWithoutServer", "whether there was none at the end, or the sound did not go on",
            \.endedWithoutServer),
        .group("server", \.server),
        .field("memoryLocked", "whether the memory could be locked", \.memoryLocked),
        .group("events", \.events),
        .field("scheduling", "of the audio thread; null where the kernel does not tell", \.scheduling),
    ]

    package init(_ run: EngineRun) {
        (server, hadOtherCycles, hadOtherRate) = (run.facts, run.hadOtherCycles, run.hadOtherRate)
        counts = RunCounts(run)
        resets = run.engine.resets
        endedWithoutServer = run.outageEnd != nil || run.lostAtEnd
        wasAwaited = resets > 0 || run.outageEnd != nil
        scheduling = run.connection?.scheduling.map(SchedulingFacts.init)
        memoryLocked = run.isMemoryLocked
        events = run.engine.events.map(EventReport.init(event:))
        seconds = (run.seconds * 1e6).rounded() / 1e6
    }

    /// How many there were, and how long each: where some were longer than others, the last.
    package var cycles: String {
        "\(statistics.cycles) cycles\(hadOtherCycles ? ", the last" : "") of \(server.periodFrames) frames "
            + "at \(server.sampleRate) Hz"
    }

    /// On which server, and how: where the rate was another before, the last.
    package var place: String {
        "on \(shown(server.name)) at \(server.sampleRate) Hz\(hadOtherRate ? " at the end" : "") (\(conditions))"
    }

    /// How server and audio thread run, in words.
    package var conditions: String {
        [
            server.backend.value, server.sync.value.map { $0 ? "sync" : "async" }, scheduling?.words,
            memoryLocked ? "memory locked" : "memory not locked",
        ].compactMap { $0 }.joined(separator: ", ")
    }

    package var statistics: UnitStatistics { counts.statistics }

    package var losses: String {
        "xruns \(statistics.xruns), frame gaps \(statistics.frameGaps), "
            + "lost \(fixed(Double(statistics.lostNanoseconds) / 1e6, 1)) ms"
    }

    /// The last lines of a summary: what the parts have done, and the time without a server.
    package func ending(_ parts: PartsReport<some PartList>) -> [String] { parts.lines + [absence].compactMap(\.self) }

    /// The time for which the server was away, or the run suspended, in words; `nil` for none.
    package var absence: String? {
        let seconds = fixed(Double(counts.absentNanoseconds) / 1e9, 3)
        let suspended = counts.absentNanoseconds > 0 && !wasAwaited ? "suspended for \(seconds) s" : nil
        guard resets > 0 || endedWithoutServer else { return suspended.map { "  \($0)" } }
        let returns = resets > 0 ? " and came back \(timesInWords(resets))" : ""
        let loss = ", and the sound did not go on" + (resets > 0 ? " after the last time" : "")
        // A run that waits for no server has no time without one.
        let length = wasAwaited ? ": \(seconds) s without it" : suspended.map { ", \($0) before" } ?? ""
        return "  the server went away\(returns)\(endedWithoutServer ? loss : "")\(length)"
    }
}

struct RunCounts: Reported {
    var statistics: UnitStatistics
    /// From the unit's last cycle on one server to the first on the next.
    var absentNanoseconds: UInt64

    init(_ run: EngineRun) { (statistics, absentNanoseconds) = (run.unit.statistics, run.absentNanoseconds) }

    static let fields: [ReportField<Self>] = [
        .field(
            "cycles", "cycles of JACK that were rendered", metric: .counter("cycles"), osc: "cycles",
            \.statistics.cycles),
        .field(
            "frames", "frames rendered, silence too", unit: .frames, metric: .counter("frames"), \.statistics.frames),
        .field("xruns", "cycles that JACK said were late", metric: .counter("xruns"), osc: "xruns", \.statistics.xruns),
        .field(
            "overruns", "callbacks that ran past their period", metric: .counter("overruns"), osc: "overruns",
            \.statistics.overruns),
        .field(
            "frameGaps", "times that the server skipped cycles", metric: .counter("frame_gaps"), \.statistics.frameGaps),
        .field(
            "lostNanoseconds", "wall time for which no frame was rendered", unit: .nanoseconds, osc: "lost",
            \.statistics.lostNanoseconds),
        .metric(
            .counter("lost_seconds"), "wall time for which no frame was rendered, as far as it is known for good",
            unit: .nanoseconds,
            \.statistics.settledLostNanoseconds),
        .field(
            "absentNanoseconds", "time without a server, or suspended", unit: .nanoseconds,
            metric: .counter("absent_seconds"), osc: "absent", \.absentNanoseconds),
    ]
}

extension ReportField {
    /// How long a run took: of a file, its length.
    package static func duration(_ read: @escaping @Sendable (Root) -> Double) -> Self {
        .field(
            "seconds", "how long the run took, in the graph or waiting for a server", unit: .seconds,
            metric: .gauge("run_seconds"), read)
    }
}

package struct MixReport: Reported {
    let matrix: ChannelMatrix

    package init(_ matrix: ChannelMatrix) { self.matrix = matrix }

    package static let fields: [ReportField<Self>] = [
        .field("law", "how channels are mixed down: a law's name", \.matrix.law.rawValue),
        .field(
            "weights", "for each channel that goes out the factor of each that comes in", \.matrix.weights),
    ]
}
