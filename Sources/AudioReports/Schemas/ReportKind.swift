/// A kind of report that `--json` prints.
package struct ReportKind: Sendable {
    /// The subcommand's: `jitter`.
    package let name: String
    /// Counted up where a key changes its name or its meaning.
    package let version: Int
    /// All that it may have.
    package let figures: [Figure]
    /// Of these, what it has of a run on a server alone.
    let liveFigures: [Figure]
    /// What is `null` of a run on a server, and else tells what took its place.
    let liveKey: String

    init(_ name: String, _ version: Int, _ figures: [Figure], live: [Figure] = [], unless liveKey: String = "") {
        self.name = name
        self.version = version
        self.figures = figures
        liveFigures = live
        self.liveKey = liveKey
    }

    /// What the field `schema` says.
    package var schema: String { "iounit.\(name)/\(version)" }

    package static let all = [
        ReportKind("jitter", 2, FigureTable.measurement.flatMap(\.figures)),
        ReportKind("compare", 2, FigureTable.measurement.flatMap(\.figures)),
        ReportKind("latency", 2, FigureTable.shared + FigureTable.latency),
        ReportKind("diff", 1, FigureTable.comparison),
        ReportKind("info", 1, FigureTable.information),
        ReportKind("convert", 1, FigureTable.conversion),
        ReportKind("plugin", 1, FigureTable.plugins),
        ReportKind("monitor", 2, FigureTable.monitoring, live: FigureTable.monitoringLive, unless: "offline"),
        ReportKind("record", 2, FigureTable.recordings),
        ReportKind("play", 2, FigureTable.playback),
        ReportKind("send", 2, FigureTable.sending),
        ReportKind("receive", 2, FigureTable.receiving),
        ReportKind("beat", 2, FigureTable.heartbeats, live: FigureTable.listening, unless: "file"),
        ReportKind("tune", 2, FigureTable.pitches, live: FigureTable.listening, unless: "file"),
    ]
}
