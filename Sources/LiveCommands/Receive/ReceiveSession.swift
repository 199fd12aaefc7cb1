import AudioReports
import AudioStreaming
import CommandSyntax
import Jack
import LiveRuns

/// One run of an engine that plays a stream.
final class ReceiveSession: UnitSession {
    let unit: UnitRun
    private(set) lazy var controls = ControlTable(unit.controls + run.controls)
    let options: ReceiveOptions
    let receiver: StreamReceiver
    /// The figures at the end, once that has come.
    private var final: ReceiverFigures?

    init(_ options: ReceiveOptions, _ origin: StreamOrigin, server: Server?) throws {
        self.options = options
        receiver = StreamReceiver(from: origin, options.settings, channels: options.unit.engine.outputChannels)
        unit = try UnitRun(options.unit, on: server, from: receiver)
        try parts.begin(run)
    }

    func start() throws { try unit.start() }

    /// What came of the stream.
    var stream: ReceiverFigures { final ?? receiver.figures }

    // The end.

    /// Before the node is left, whose worker ends with it.
    func noteEnd() { if final == nil { final = receiver.figures } }

    /// What went wrong: with the recording, or that nothing was received at all.
    var trouble: Failure? {
        if let failure = parts.trouble { return failure }
        let figures = stream
        if figures.state == .failed, let error = figures.failure { return error.failure }
        // Of RTP an error tells what was sent last, and is gone when a stream begins.
        var isStrange = false
        if case .rtp = receiver.origin.kind { isStrange = figures.failure != nil }
        guard figures.streams == 0 || isStrange else { return nil }
        if let error = figures.failure { return error.failure }
        return Failure(
            .noServer,
            "nothing came from \(shown("\(receiver.origin)")); does the sender send to this address, and does a firewall keep "
                + "it away?")
    }

    /// That nothing has come yet is no failure before the end.
    var presentTrouble: Failure? { parts.trouble ?? stream.failure?.failure }

    var words: [String] {
        [shown("\(receiver.origin)")] + [streamWords(stream)].compactMap(\.self) + stream.words
    }

    func report() -> ReceiveReport { ReceiveReport(self) }
}
