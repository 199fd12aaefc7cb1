import AudioIO
import AudioReports
import AudioStreaming
import CommandSyntax
import Jack
import LiveRuns
import PluginCommands

/// One run of an engine whose sound is sent: a stream for each codec, all of the same node.
final class SendSession: LiveSession {
    let options: SendOptions
    let stream: StreamRun
    private let ear: EarRun
    var run: EngineRun { ear.run }
    var parts: RunParts { ear.parts }
    var fed: (any Node)? { ear.fed }
    var isHeardThrough: Bool { ear.isHeardThrough }
    private(set) lazy var controls = ControlTable(ear.controls + run.controls)
    var figures: [OSCFigure] { run.figures { [unowned self] in trouble } }
    /// In decibels, now.
    var gainDecibels: Double { ear.gain.decibels }
    var plugins: PluginChain { ear.plugins }
    var voice: VoiceRun? { ear.voice }

    /// Finds out whether all of it can be had, in the order: server, ports, codecs, the description.
    init(_ options: SendOptions, server: Server?) throws {
        self.options = options
        ear = try EarRun(
            options.ear, options.server, on: server, options.reconnect, voice: options.voice,
            plugins: options.plugins, to: "send", done: "sent")
        stream = try StreamRun(
            options.stream, sampleRate: ear.sampleRate, channels: options.ear.engine.inputChannels)
        try parts.begin(run)
    }

    func start() throws {
        try stream.start(ear.heard, on: run.engine)
        try ear.start()
        try stream.publish()
    }

    /// Ends the streams before the unit leaves the graph, which would not wait for a slow target.
    func noteEnd() {
        run.noteEnd()
        stream.finish(withoutServerUntil: run.outageEnd)
    }

    func finish() {
        noteEnd()
        plugins.tellNotices()
        run.unlockMemory()
    }

    func abandon() {
        run.leaveGraph()
        stream.abandon()
        run.unlockMemory()
    }

    var words: [String] {
        stream.figures.map { "\(shown("\($0.target)")) \($0.state.rawValue), \($0.sentPackets) packets" }
    }

    var trouble: Failure? { ear.trouble ?? stream.trouble ?? parts.trouble }

    func report() -> SendReport { SendReport(self) }
}
