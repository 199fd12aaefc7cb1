import AudioDSP
import AudioIO
import AudioRecording
import AudioReports
import AudioStreaming
import CommandSyntax
import Jack
import LiveRuns
import ServerRuns
import TerminalPages
import Threads

/// One run of an engine that plays a stream.
final class ReceiveSession: LiveSession {
    let run: EngineRun
    let parts: RunParts
    var fed: (any Node)? { nil }
    private(set) lazy var controls = ControlTable(
        Control.all(of: [("", gain)]) + parts.controls + run.controls)
    var figures: [OSCFigure] { run.figures { [unowned self] in trouble } }
    let options: ReceiveOptions
    let receiver: StreamReceiver
    let gain: Gain
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

        parts = try RunParts(options.parts, inputs: 0, outputs: configuration.outputChannels)
        let engine = try Engine(configuration, policy: options.reconnect)
        guard let unit = engine.unit else { throw Failure(.inputOutput, "an engine on a server has no unit") }
        run = EngineRun(engine, unit, probe: probe)
        let channels = configuration.outputChannels
        receiver = engine.attach(StreamReceiver(from: origin, options.settings, channels: channels))
        gain = engine.attach(Gain(decibels: options.gainDecibels, channels: channels))
        try engine.connect(receiver, to: gain)
        try engine.connect(parts.connect(behind: gain, in: engine), to: engine.output)
        try parts.begin(run)
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

    /// Before the node is left, whose worker ends with it.
    func noteEnd() { if final == nil { final = receiver.figures } }

    /// What went wrong: with the recording, or that nothing was received at all.
    var trouble: Failure? {
        if let failure = parts.trouble { return failure }
        let figures = stream
        if figures.state == .failed, let error = figures.failure { return error.failure }
        guard figures.streams == 0 else { return nil }
        if let error = figures.failure { return error.failure }
        return Failure(
            .noServer,
            "nothing came from \(shown("\(receiver.origin)")); does the sender send to this address, and does a firewall keep "
                + "it away?")
    }

    /// That nothing has come yet is no failure before the end.
    var presentTrouble: Failure? { parts.trouble ?? stream.failure?.failure }

    var words: [String] {
        [shown("\(receiver.origin)")] + [streamWords(stream)].compactMap(\.self) + ReceiveView.words(stream)
    }

    func report() -> ReceiveReport { ReceiveReport(self) }
}
