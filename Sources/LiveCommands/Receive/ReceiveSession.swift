import AudioDSP
import AudioIO
import AudioRecording
import AudioReports
import AudioStreaming
import CommandSyntax
import Jack
import ServerRuns
import TerminalPages
import Threads

/// One run of an engine that plays a stream.
final class ReceiveSession: LiveSession {
    let run: EngineRun
    let remote: RemoteControl
    var fed: (any Node)? { nil }
    private(set) lazy var controls = ControlTable(
        Control.all(of: [("", gain)]) + (recorder?.controls ?? []) + run.controls)
    var figures: [OSCFigure] { run.figures { [unowned self] in trouble } + (recorder?.figures ?? []) }
    let options: ReceiveOptions
    let receiver: StreamReceiver
    let gain: Gain
    private(set) var recorder: Recorder?
    /// That the recording had a name no more when it was finished.
    private var removal: Failure?
    private let unconnected: [String]
    /// The figures at the end, once that has come.
    private var final: ReceiverFigures?

    init(_ options: ReceiveOptions, _ origin: StreamOrigin, server: Server?) throws {
        self.options = options
        var configuration = options.engine
        if let server { configuration.serverName = server.name }
        let probe = try ServerProbe(options.server, on: server, as: configuration.clientName)
        try configuration.checkMIDI(on: probe.client)
        let targets = try configuration.partners(on: probe.client).targets
        unconnected = configuration.outputs != .none && targets.isEmpty ? [EngineRun.noPlaybackPorts] : []

        remote = try RemoteControl(options.remote, inputs: 0, outputs: configuration.outputChannels)
        let engine = try Engine(configuration, policy: options.reconnect)
        guard let unit = engine.unit else { throw Failure(.inputOutput, "an engine on a server has no unit") }
        run = EngineRun(engine, unit, probe: probe)
        let channels = configuration.outputChannels
        receiver = engine.attach(StreamReceiver(from: origin, options.settings, channels: channels))
        gain = engine.attach(Gain(decibels: options.gainDecibels, channels: channels))
        try engine.connect(receiver, to: gain)
        try engine.connect(gain, to: engine.output)
        recorder = try options.recording?.begin(run, channels: channels)
    }

    func start() throws {
        try run.start()
        for notice in unconnected { StandardError.complain(notice) }
        run.warn()
    }

    /// What came of the stream.
    var stream: ReceiverFigures { final ?? receiver.figures }

    func changeGain(by decibels: Double) { gain.decibels = gain.decibels.rounded() + decibels }

    // The end.

    func noteEnd() {
        run.noteEnd()
        // Before the node is left, whose worker ends with it.
        if final == nil { final = receiver.figures }
    }

    func save() { recorder?.finish(withoutServerUntil: run.outageEnd) }

    func finish() {
        save()
        removal = recorder?.removal
        noteEnd()
        run.unlockMemory()
    }

    func abandon() {
        run.leaveGraph()
        recorder?.abandon()
        run.unlockMemory()
    }

    /// What went wrong: with the recording, or that nothing was received at all.
    var trouble: Failure? {
        if let failure = recorder?.failure?.failure ?? removal { return failure }
        let figures = stream
        if figures.state == .failed, let error = figures.failure { return error.failure }
        guard figures.streams == 0 else { return nil }
        if let error = figures.failure { return error.failure }
        return Failure(
            .noServer,
            "nothing came from \(shown("\(receiver.origin)")); does the sender send to this address, and does a firewall keep "
                + "it away?")
    }

    func report() -> ReceiveReport { ReceiveReport(self) }
}
