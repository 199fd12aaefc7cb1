import AudioIO
import AudioMetering
import AudioReports
import CommandSyntax
import Jack

/// One run of an engine whose sound is listened to.
final class ListenSession<Kind: Listener>: LiveSession {
    let options: ListenOptions
    let meter: Kind.Meter
    private(set) var listener: Kind
    private let ear: EarRun
    var run: EngineRun { ear.run }

    /// Finds out whether all of it can be had, in the order: server, ports, meter.
    init(_ options: ListenOptions, _ listener: Kind, server: Server?) throws {
        self.options = options
        self.listener = listener
        ear = try EarRun(options.ear, options.server, on: server, options.reconnect, to: "hear", done: "heard")
        meter = try listener.meter(sampleRate: ear.sampleRate, channels: options.ear.engine.inputChannels)
    }

    func start() throws {
        let frames = run.tapFrames(channels: options.ear.engine.inputChannels)
        try meter.start(run.engine.tapReader(ear.gain, capacityFrames: frames))
        try ear.start()
    }

    /// Keeps what was found since the last look.
    func look() { listener.note(meter) }

    func noteEnd() { run.noteEnd() }

    func save() {}

    func finish() {
        noteEnd()
        meter.finish()
        run.unlockMemory()
    }

    func abandon() {
        run.leaveGraph()
        run.unlockMemory()
    }

    var trouble: Failure? { nil }

    func report() -> ListenReport<Kind> { ListenReport(self) }
}

/// What was heard of a server: the object of `--json`, and the summary for people made from it.
struct ListenReport<Kind: Listener>: LiveReport {
    var run: RunReport
    private let figures: Kind.Figures
    /// Frames that the meter missed.
    private let droppedFrames: UInt64

    private enum CodingKeys: CodingKey { case droppedFrames }

    init(_ session: ListenSession<Kind>) {
        run = RunReport(session.run)
        figures = session.listener.figures(file: nil, seconds: run.seconds)
        droppedFrames = session.meter.droppedFrames
    }

    func encode(to encoder: any Encoder) throws {
        try figures.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(droppedFrames, forKey: .droppedFrames)
    }

    var summary: String {
        var lines = [figures.summary, "  heard \(fixed(run.seconds, 1)) s \(run.place), \(run.losses)"]
        if droppedFrames > 0 { lines.append("  \(droppedFrames) frames never reached the meter") }
        if let absence = run.absence { lines.append(absence) }
        return lines.joined(separator: "\n")
    }
}
