import AudioReports
import CommandSyntax
import Jack
import LiveRuns

/// One run of an engine whose sound is sent: a stream for each codec, all of the same node.
final class SendSession: UnitSession {
    let options: SendOptions
    let stream: StreamRun
    let unit: UnitRun
    private(set) lazy var controls = ControlTable(unit.controls + run.controls)

    /// Finds out whether all of it can be had, in the order: server, ports, codecs, the description.
    init(_ options: SendOptions, server: Server?) throws {
        self.options = options
        unit = try UnitRun(options.unit, on: server)
        stream = try StreamRun(options.stream, sampleRate: unit.sampleRate, channels: unit.channels)
        try parts.begin(run)
    }

    func start() throws {
        try stream.start(unit.heard, on: run.engine)
        try unit.start()
        try stream.publish()
    }

    /// Ends the streams before the unit leaves the graph, which would not wait for a slow target.
    func noteEnd() { stream.finish(withoutServerUntil: run.outageEnd) }

    func abandon() { stream.abandon() }

    var words: [String] {
        stream.figures.map { "\(shown("\($0.target)")) \($0.state.rawValue), \($0.sentPackets) packets" }
    }

    var trouble: Failure? { unit.trouble ?? stream.trouble ?? parts.trouble }

    func report() -> SendReport { SendReport(self) }
}
