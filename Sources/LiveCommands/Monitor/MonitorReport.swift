import AudioReports
import LiveRuns

/// What a run of `monitor` comes to, on a server or offline: the object of `--json`, and the summary for people made from it.
struct MonitorReport: LiveReport {
    /// What there is on a server alone.
    struct Live: Reported {
        var parts: PartsReport<VoiceParts>
        var run: RunReport

        static let fields: [ReportField<Self>] = [
            .inline(\.parts),
            .duration(\.run.seconds), .inline(\.run),
        ]
    }

    var chain: ChainReport
    /// Where it was rendered offline; else there is `live`.
    var offline: OfflineReport?
    var live: Live?

    static let name = "monitor"
    static let version = 2
    static let liveKey = "offline"
    static let fields: [ReportField<Self>] = [
        .field("offline", "how it was rendered with --offline; null on a server", \.offline),
        .inline(\.chain), .inline(\.live),
    ]

    var summary: String {
        if let offline { return offline.summary(chain) }
        guard let live else { return "" }
        let run = live.run
        var lines = ["\(fixed(run.seconds, 1)) s on \(shown(run.server.name)): \(run.cycles) (\(run.conditions))"]
        lines += chain.lines
        if let loudness = chain.loudness { lines.append("  \(loudness.summary)") }
        lines.append(
            "  xruns \(run.statistics.xruns), overruns \(run.statistics.overruns), frame gaps \(run.statistics.frameGaps), "
                + "lost \(fixed(Double(run.statistics.lostNanoseconds) / 1e6, 1)) ms, \(chain.flaws)")
        if let absence = run.absence { lines.append(absence) }
        lines += chain.files
        lines += live.parts.lines
        return lines.joined(separator: "\n")
    }
}
