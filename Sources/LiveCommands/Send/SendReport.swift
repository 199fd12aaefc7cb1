import AudioDSP
import AudioFigures
import AudioReports
import LiveRuns

/// What `iounit send` has sent: the object of `--json`, and the summary for people made from it.
struct SendReport: LiveReport {
    var channels: Int
    var gainDecibels: Double
    var plugins: [PluginReport]
    var stream: StreamReport
    var levels: LevelReport
    var parts: PartsReport<SendParts>
    var run: RunReport

    static let name = "send"
    static let version = 2
    static let fields: [ReportField<Self>] = [
        .field("channels", "inputs, all of which are sent", \.channels),
        .field("gainDecibels", "at the end; 0 changes no bit", unit: .decibels, \.gainDecibels),
        .plugins(\.plugins),
        .inline(\.stream),
        .inline(\.levels),
        .field(
            "nonFiniteSamples", "no numbers, and silence in the stream", \.nonFiniteSamples),
        .inline(\.parts), .duration(\.run.seconds), .inline(\.run),
    ]

    /// Of the inputs, and those that plug-ins made.
    private var nonFiniteSamples: UInt64 {
        plugins.reduce(run.statistics.nonFiniteSamples) { $0 + $1.nonFiniteSamples }
    }

    init(_ session: SendSession) {
        channels = session.unit.channels
        run = RunReport(session.run)
        gainDecibels = thousandths(session.unit.gainDecibels)
        plugins = session.plugins.reports
        stream = StreamReport(session.stream)
        levels = LevelReport(session.run.engine.meters, channels: channels)
        parts = session.parts.report()
    }

    var summary: String {
        var lines = [
            "sent \(fixed(run.seconds, 1)) s of \(channels == 1 ? "1 channel" : "\(channels) channels") \(run.place)"
        ]
        lines += plugins.map { "  plugin \($0.summary)" }
        lines += stream.summary
        lines.append(
            "  peak \(levels.peak), clipped \(levels.clippedSamples), non-finite \(nonFiniteSamples), \(run.losses)"
        )
        lines += run.ending(parts)
        return lines.joined(separator: "\n")
    }
}
