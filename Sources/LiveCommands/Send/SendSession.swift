import AudioIO
import AudioReports
import CommandSyntax
import Jack
import LiveRuns
import PluginCommands

/// One run of an engine whose sound is sent: a stream for each codec, all of the same node.
final class SendSession: EarSession {
    let options: SendOptions
    let stream: StreamRun
    let ear: EarRun
    private(set) lazy var controls = ControlTable(ear.controls + run.controls)
    var figures: [OSCFigure] { run.figures { [unowned self] in trouble } }

    /// Finds out whether all of it can be had, in the order: server, ports, codecs, the description.
    init(_ options: SendOptions, server: Server?) throws {
        self.options = options
        ear = try EarRun(
            options.ear, options.server, on: server, options.reconnect, plugins: options.plugins,
            to: "send", done: "sent")
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
    func noteEnd() { stream.finish(withoutServerUntil: run.outageEnd) }

    func abandon() { stream.abandon() }

    var words: [String] {
        stream.figures.map { "\(shown("\($0.target)")) \($0.state.rawValue), \($0.sentPackets) packets" }
    }

    var trouble: Failure? { ear.trouble ?? stream.trouble ?? parts.trouble }

    func report() -> SendReport { SendReport(self) }
}
