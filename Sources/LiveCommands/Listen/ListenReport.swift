import AudioReports
import LiveRuns

/// What was heard of a server or a file: the object of `--json`, and the summary for people made from it.
struct ListenReport<Figures: ListenFigures>: LiveReport {
    /// What there is of a server alone.
    struct Live: Reported {
        var droppedFrames: UInt64
        var parts: PartsReport<SideParts>
        var run: RunReport

        static var fields: [ReportField<Self>] {
            [
                .field("droppedFrames", "that the meter missed", unit: .frames, \.droppedFrames),
                .inline(\.parts), .inline(\.run),
            ]
        }
    }

    var figures: Figures
    /// `nil` of a file.
    var live: Live?

    static var name: String { Figures.name }
    static var version: Int { 2 }
    static var liveKey: String { "file" }
    static var note: String {
        "Of a file, seconds is its length, and the fields after it are left out, except provenance."
    }
    static var fields: [ReportField<Self>] {
        [.inline(\.figures), .duration(\.figures.seconds), .inline(\.live)]
    }

    var summary: String {
        guard let live else { return figures.summary }
        var lines = [figures.summary, "  heard \(fixed(live.run.seconds, 1)) s \(live.run.place), \(live.run.losses)"]
        if live.droppedFrames > 0 { lines.append("  \(live.droppedFrames) frames never reached the meter") }
        lines += live.run.ending(live.parts)
        return lines.joined(separator: "\n")
    }
}

extension ReportField {
    /// What was listened to.
    static func file(_ read: @escaping @Sendable (Root) -> String?) -> Self {
        .field("file", "that was looked at; null for the ports of a server", read)
    }
}
