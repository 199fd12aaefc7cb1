import AudioIO
import AudioReports
import CommandSyntax
import Jack
import LiveRuns
import TerminalPages

/// One run of an engine whose sound is listened to.
final class ListenSession<Kind: Listener>: LiveSession {
    let meter: Kind.Log.Meter
    let listener: Kind
    private(set) var log = Kind.Log()
    let unit: UnitRun
    private(set) lazy var controls = ControlTable(unit.controls + run.controls)

    /// Finds out whether all of it can be had, in the order: server, ports, meter.
    init(_ options: ListenOptions, _ listener: Kind, server: Server?) throws {
        self.listener = listener
        unit = try UnitRun(options.unit, on: server)
        meter = try Kind.Log.Meter(sampleRate: unit.sampleRate, channels: unit.channels)
        try parts.begin(run)
    }

    func start() throws {
        try meter.start(run.engine.tapReader(unit.path.heard, capacityFrames: run.tapFrames(channels: unit.channels)))
        try unit.start()
    }

    /// Keeps what was found since the last look.
    func look() { log.note(meter) }

    func finish() {
        meter.finish()
        look()
    }

    /// What is found at the moment.
    fileprivate var findings: [Page.Part] { run.hasCallbacks ? listener.words(meter) : [] }

    var words: [String] { findings.map { part in part.map(\.text).joined() } }

    func status() -> any LiveReport { report(log.recent) }

    func report() -> ListenReport<Kind.Figures> { report(log) }

    private func report(_ log: Kind.Log) -> ListenReport<Kind.Figures> {
        let run = RunReport(run)
        return ListenReport(
            figures: listener.figures(log, file: nil, seconds: run.seconds),
            live: ListenReport.Live(
                source: unit.path.source?.report, droppedFrames: meter.droppedFrames, parts: parts.report(), run: run))
    }
}

struct ListenLoop<Kind: Listener>: LiveLoop {
    let session: ListenSession<Kind>
    var watch: RunWatch

    func turn() -> RunEnd? {
        session.look()
        return session.unit.isHeardThrough ? .done : nil
    }

    mutating func show() {
        let (listener, meter, log) = (session.listener, session.meter, session.log)
        guard let terminal else {
            guard watch.takeLine() else { return }
            return watch.writeLine(session.words)
        }
        let page = Page(terminal)
        terminal.draw(
            page.lines(watch.scene(trouble: nil), words: session.findings) {
                session.run.hasCallbacks ? listener.picture(meter, log, page, rows: $0) : []
            })
    }
}

extension Page {
    /// In a low window what is found comes first, and what is wrong, then the picture, then the rest.
    ///
    /// - Parameters:
    ///   - words: what is found, the most important first.
    ///   - picture: gives a picture of as many rows as it is asked for, or fewer.
    func lines(_ scene: RunScene, words: [Part], picture: (Int) -> [String]) -> [String] {
        lines(
            scene, state: flow(live(scene, .red) + words), picture: picture, figures: losses(scene), keys: ["q quit"])
    }
}

/// What was heard of a server or a file: the object of `--json`, and the summary for people made from it.
struct ListenReport<Figures: ListenFigures>: LiveReport {
    /// What there is of a server alone.
    struct Live: Reported {
        var source: SourceReport?
        var droppedFrames: UInt64
        var parts: PartsReport<SideParts>
        var run: RunReport

        static var fields: [ReportField<Self>] {
            [
                .source(\.source),
                .field("droppedFrames", "that the meter missed", unit: .frames, \.droppedFrames),
                .inline(\.parts), .inline(\.run),
            ]
        }
    }

    var figures: Figures
    /// `nil` of a file.
    var live: Live?

    static var kind: ReportKind {
        document(
            Figures.name, 2,
            note: "Of a file, seconds is its length, and the fields after it are left out, except provenance.",
            liveKey: "file")
    }
    static var fields: [ReportField<Self>] {
        [.inline(\.figures), .duration(\.figures.seconds), .inline(\.live)]
    }

    var summary: String {
        guard let live else { return figures.summary }
        var lines = [figures.summary, "  heard \(fixed(live.run.seconds, 1)) s \(live.run.place), \(live.run.losses)"]
        if let source = live.source { lines.append(source.line) }
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
