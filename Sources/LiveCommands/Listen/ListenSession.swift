import AudioIO
import AudioMetering
import AudioRecording
import AudioReports
import CommandSyntax
import Jack

/// One run of an engine whose sound is listened to.
final class ListenSession<Kind: Listener>: LiveSession {
    let options: ListenOptions
    let meter: Kind.Meter
    private(set) var listener: Kind
    private let ear: EarRun
    private(set) var recorder: Recorder?
    /// That the recording had a name no more when it was finished.
    private var removal: Failure?
    var run: EngineRun { ear.run }
    var remote: RemoteControl { ear.remote }
    var fed: (any Node)? { run.engine.input }
    private(set) lazy var controls = ControlTable(ear.controls + (recorder?.controls ?? []) + run.controls)
    var figures: [OSCFigure] { run.figures { [unowned self] in trouble } + (recorder?.figures ?? []) }

    /// Finds out whether all of it can be had, in the order: server, ports, meter.
    init(_ options: ListenOptions, _ listener: Kind, server: Server?) throws {
        self.options = options
        self.listener = listener
        ear = try EarRun(options.ear, options.server, on: server, options.reconnect, to: "hear", done: "heard")
        meter = try listener.meter(sampleRate: ear.sampleRate, channels: options.ear.engine.inputChannels)
        recorder = try options.recording?.begin(ear.run, channels: options.ear.engine.inputChannels)
    }

    func start() throws {
        let frames = run.tapFrames(channels: options.ear.engine.inputChannels)
        try meter.start(run.engine.tapReader(ear.heard, capacityFrames: frames))
        try ear.start()
    }

    /// Keeps what was found since the last look.
    func look() { listener.note(meter) }

    func noteEnd() { run.noteEnd() }

    func save() { recorder?.finish(withoutServerUntil: run.outageEnd) }

    func finish() {
        save()
        removal = recorder?.removal
        noteEnd()
        meter.finish()
        run.unlockMemory()
    }

    func abandon() {
        run.leaveGraph()
        recorder?.abandon()
        run.unlockMemory()
    }

    var trouble: Failure? { recorder?.failure?.failure ?? removal }

    func report() -> ListenReport<Kind.Figures> {
        let run = RunReport(run)
        return ListenReport(
            figures: listener.figures(file: nil, seconds: run.seconds),
            live: ListenReport.Live(
                droppedFrames: meter.droppedFrames, recorded: recorder.map(RecordingReport.init),
                remote: RemoteReport(remote), run: run))
    }
}
