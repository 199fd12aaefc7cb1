import AudioIO
import AudioMetering
import AudioRecording
import AudioReports
import CommandSyntax
import Jack
import LiveRuns

/// One run of an engine whose sound is listened to.
final class ListenSession<Kind: Listener>: EarSession {
    let options: ListenOptions
    let meter: Kind.Meter
    private(set) var listener: Kind
    let ear: EarRun
    private(set) lazy var controls = ControlTable(ear.controls + run.controls)
    var figures: [OSCFigure] { run.figures { [unowned self] in trouble } }

    /// Finds out whether all of it can be had, in the order: server, ports, meter.
    init(_ options: ListenOptions, _ listener: Kind, server: Server?) throws {
        self.options = options
        self.listener = listener
        ear = try EarRun(options.ear, options.server, on: server, options.reconnect, to: "hear", done: "heard")
        meter = try listener.meter(sampleRate: ear.sampleRate, channels: options.ear.engine.inputChannels)
        try parts.begin(run)
    }

    func start() throws {
        let frames = run.tapFrames(channels: options.ear.engine.inputChannels)
        try meter.start(run.engine.tapReader(ear.heard, capacityFrames: frames))
        try ear.start()
    }

    /// Keeps what was found since the last look.
    func look() { listener.note(meter) }

    func finish() { meter.finish() }

    var trouble: Failure? { ear.trouble ?? parts.trouble }
    var words: [String] { listener.words(meter).map { part in part.map(\.text).joined() } }

    func status() -> any LiveReport {
        var report = report()
        report.figures = report.figures.recent
        return report
    }

    func report() -> ListenReport<Kind.Figures> {
        let run = RunReport(run)
        return ListenReport(
            figures: listener.figures(file: nil, seconds: run.seconds),
            live: ListenReport.Live(
                droppedFrames: meter.droppedFrames,
                parts: parts.report(), run: run))
    }
}
