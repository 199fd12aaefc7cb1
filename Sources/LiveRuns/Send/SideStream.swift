import AudioIO
import CommandSyntax
import ServerRuns

/// `--send` of a subcommand whose own work is another: what goes to its outputs, to receivers elsewhere.
extension StreamOptions: PartOptions {
    package static var group: OptionGroup {
        (
            "Stream",
            [send] + options
        )
    }

    static let send = Option(
        "send", "TARGET",
        "also send it, as iounit send does, to ws://HOST:PORT/PATH, icecast://HOST:PORT/MOUNT, "
            + "rtp://HOST:PORT, tcp://HOST:PORT or file:PATH; may be repeated"
    ).kept(.fileAddress)

    package init?(_ arguments: Arguments) throws(Failure) {
        let words = arguments.words(of: Self.send)
        guard !words.isEmpty else { return nil }
        try self.init(arguments, to: words)
    }

    package func prepare(_ configuration: inout EngineConfiguration, on server: ServerOptions) throws(Failure) {
        // The server's rate may not be known yet: it is looked at again when it is.
        try check(sampleRate: server.dummy?.sampleRate ?? 48000, channels: configuration.outputChannels)
    }

    package func open(inputs: Int, outputs: Int) throws -> SideStream { SideStream(self, channels: outputs) }
}

/// What is sent beside a run's own work.
package final class SideStream: RunPart {
    private let options: StreamOptions
    private let channels: Int
    private var sent: (stream: StreamRun, watch: StreamWatch)?

    init(_ options: StreamOptions, channels: Int) {
        self.options = options
        self.channels = channels
    }

    /// Reads tokens, and begins with the first block.
    package func begin(_ run: EngineRun) throws {
        let stream = try StreamRun(options, sampleRate: run.facts.sampleRate, channels: channels)
        do {
            try stream.start(run.engine.output, on: run.engine)
        } catch {
            stream.abandon()
            throw error
        }
        sent = (stream, StreamWatch(stream))
    }

    package func start(_ session: any LiveSession) throws { try sent?.stream.publish() }

    package func work(_ moment: RunMoment) { sent?.watch.tell(isShown: moment.isShown) }

    package var logWords: [String] { (sent?.watch.words()).map { ["sent: \($0)"] } ?? [] }
    package var targets: [TargetScene] { sent?.watch.scene() ?? [] }

    package var trouble: Failure? { sent?.stream.trouble }
    package var troubleRank: TroubleRank { .sending }
    package var report: StreamReport? { sent.map { StreamReport($0.stream) } }

    package func noteEnd() { sent?.stream.noteEnd() }
    package func save(withoutServerUntil end: UInt64?) { sent?.stream.finish(withoutServerUntil: end) }
    package func abandon() { sent?.stream.abandon() }
}
