import AudioFigures
import AudioReports
import LiveRuns

/// What `iounit send` has sent: the object of `--json`, and the summary for people made from it.
struct SendReport: LiveReport {
    var unit: UnitReport<SendParts>
    var stream: StreamReport

    static let name = "send"
    static let version = 2
    static let fields: [ReportField<Self>] = [
        .field("channels", "inputs, all of which are sent", \.unit.channels),
        .field("gainDecibels", "at the end; 0 changes no bit", unit: .decibels, \.unit.gainDecibels),
        .plugins(\.unit.plugins),
        .inline(\.stream),
        .inline(\.unit.levels),
        .field(
            "nonFiniteSamples", "no numbers, and silence in the stream", \.unit.nonFiniteSamples),
        .inline(\.unit.parts), .duration(\.unit.run.seconds), .inline(\.unit.run),
    ]

    init(_ session: SendSession) {
        unit = UnitReport(session)
        stream = StreamReport(session.stream)
    }

    var summary: String {
        let run = unit.run
        let head = "sent \(fixed(run.seconds, 1)) s of \(counted(unit.channels, "channel")) \(run.place)"
        return ([head] + unit.pluginLines + stream.summary + unit.ending).joined(separator: "\n")
    }
}
