import AudioIO
import AudioMetering
import AudioRecording
import Jack
import LiveRuns

/// One run of an engine whose sound is listened to.
final class ListenSession<Kind: Listener>: UnitSession {
    let options: ListenOptions
    let meter: Kind.Meter
    private(set) var listener: Kind
    let unit: UnitRun
    private(set) lazy var controls = ControlTable(unit.controls + run.controls)

    /// Finds out whether all of it can be had, in the order: server, ports, meter.
    init(_ options: ListenOptions, _ listener: Kind, server: Server?) throws {
        self.options = options
        self.listener = listener
        unit = try UnitRun(options.unit, on: server)
        meter = try listener.meter(sampleRate: unit.sampleRate, channels: unit.channels)
        try parts.begin(run)
    }

    func start() throws {
        try meter.start(run.engine.tapReader(unit.heard, capacityFrames: run.tapFrames(channels: unit.channels)))
        try unit.start()
    }

    /// Keeps what was found since the last look.
    func look() { listener.note(meter) }

    func finish() { meter.finish() }

    var words: [String] { listener.words(meter).map { part in part.map(\.text).joined() } }

    func status() -> any LiveReport { report(listener.recent) }

    func report() -> ListenReport<Kind.Figures> { report(listener) }

    private func report(_ listener: Kind) -> ListenReport<Kind.Figures> {
        let run = RunReport(run)
        return ListenReport(
            figures: listener.figures(file: nil, seconds: run.seconds),
            live: ListenReport.Live(
                droppedFrames: meter.droppedFrames,
                parts: parts.report(), run: run))
    }
}
