import AudioReports
import AudioStreaming
import CommandSyntax
import Jack
import LiveRuns
import PluginCommands
import ServerRuns
import TerminalPages

/// The stream is its own work.
enum SendParts: PartList {
    static var kinds: [any PartOptions.Type] { [VoiceChoice.self] + StreamParts.kinds }
}

struct SendOptions: SubcommandOptions {
    static let syntax = Syntax(
        name: "send", summary: "send ports by WebSocket, Icecast, RTP, TCP or a pipe to any number of receivers",
        groups: [
            ServerOptions.group,
            ("Stream", StreamOptions.options),
            UnitOptions.group(to: deed, channels.option),
            (heading: "Plug-ins", options: PluginPath.options("before the encoder")),
        ] + SendParts.groups + [RunOptions.group(.json(SendReport.kind), first: [RunOptions.seconds.option])],
        notes: """
            TARGET is one of
              ws://HOST:PORT/PATH or wss://…   packets by WebSocket (\(StreamOpening.formName))
              icecast://USER@HOST:PORT/MOUNT   Ogg Opus, Ogg FLAC or MP3 for listeners
              tcp://HOST:PORT                  a stream of FLAC, Ogg Opus, MP3 or WAV
              rtp://HOST:PORT                  RTP by UDP
              file:PATH                        a named pipe or a new file
            Targets do not delay each other: one that is slow or absent loses whole packets, which are counted, and is tried
            again after half a second, then less and less often. See iounit help sending.
            Exit codes: 68 unknown host, 69 a target was not reached in the end, 73 a file cannot be created, 74 a file cannot
            be written, 76 wrong protocol or certificate, 77 wrong token or password.
            \(ExitCode.interruption)
            Keys on a terminal: r resume after the server came back, q quit.
            """,
        operands: "TARGET...")

    private static let deed: UnitOptions.Deed = ("send", "sent")
    private static let channels = UnitOptions.channels(place: "in each stream")

    private(set) var unit: UnitOptions
    let stream: StreamOptions
    let seconds: Double?

    init(_ arguments: Arguments) throws(Failure) {
        unit = try UnitOptions(
            to: Self.deed, arguments, channels: try arguments.value(of: Self.channels), parts: SendParts.self)
        seconds = try arguments.value(of: RunOptions.seconds)
        try arguments.require(
            !arguments.operands.isEmpty,
            "send needs a target: iounit send ws://HOST:PORT/PATH, icecast://HOST:PORT/MOUNT, rtp://HOST:PORT, tcp://HOST:PORT or file:PATH"
        )
        stream = try StreamOptions(arguments, to: arguments.operands)
        try stream.prepare(&unit.engine, on: unit.server)
    }

    func run() throws -> ExitCode {
        try StandardOutput.checkReport(isJSON: unit.isJSON, beside: stream.usesOutput)
        let signals = try Signals()
        return try unit.perform(
            signals, session: { try SendSession(self, server: $0) }, loop: { SendLoop($0, signals) })
    }
}

/// One run of an engine whose sound is sent: a stream for each codec, all of the same node.
final class SendSession: LiveSession {
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
        try stream.start(unit.path.heard, on: run.engine)
        try unit.start()
        try stream.publish()
    }

    /// Ends the streams before the unit leaves the graph, which would not wait for a slow target.
    func noteEnd() { stream.finish(withoutServerUntil: run.missingUntil) }

    func abandon() { stream.abandon() }

    var words: [String] {
        stream.figures.map { "\(shown("\($0.target)")) \($0.state.rawValue), \($0.sentPackets) packets" }
    }

    func ownTrouble(_ rank: TroubleRank, isOver: Bool) -> Failure? {
        switch rank {
        case .recording: nil
        case .sound: unit.trouble
        case .sending: stream.trouble
        }
    }

    var writesToOutput: Bool { options.stream.usesOutput || parts.useOutput }

    func report() -> SendReport { SendReport(unit: UnitReport(self), stream: StreamReport(stream)) }
}

struct SendReport: LiveReport {
    var unit: UnitReport<SendParts>
    var stream: StreamReport

    static let kind = document("send", 2)
    static let fields: [ReportField<Self>] = [
        .field("channels", "inputs, all of which are sent", \.unit.channels),
        .field("gainDecibels", "at the end; 0 changes no bit", unit: .decibels, \.unit.gainDecibels),
        .plugins(\.unit.plugins),
        .source(\.unit.source),
        .inline(\.stream),
        .inline(\.unit.levels),
        .field(
            "nonFiniteSamples", "no numbers, and silence in the stream", \.unit.nonFiniteSamples),
        .inline(\.unit.parts), .duration(\.unit.run.seconds), .inline(\.unit.run),
    ]

    var summary: String {
        let run = unit.run
        let head = "sent \(fixed(run.seconds, 1)) s of \(counted(unit.channels, "channel")) \(run.place)"
        return ([head] + unit.pluginLines + stream.summary + unit.ending).joined(separator: "\n")
    }
}

struct SendLoop: LiveLoop {
    private let session: SendSession
    var watch: RunWatch
    private var targets: StreamWatch

    init(_ session: SendSession, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session, signals, Terminal(), seconds: session.options.seconds)
        targets = StreamWatch(session.stream)
    }

    /// - Throws: why no target can be reached at all.
    mutating func turn() throws -> RunEnd? {
        if session.stream.isHopeless {
            if !session.stream.hasReached, let trouble = session.presentTrouble { throw trouble }
            return .done
        }
        targets.tell(isShown: isPageShown)
        return session.unit.isHeardThrough ? .done : nil
    }

    mutating func show() {
        guard let terminal else {
            guard watch.takeLine() else { return }
            return watch.writeLine([session.run.engine.meters.peakWords, targets.words()])
        }
        var scene = watch.scene(trouble: session.presentTrouble.map { shown($0.message) } ?? session.plugins.trouble)
        scene.targets = targets.scene()
        terminal.draw(Page(terminal).lines(scene, droppedFrames: session.stream.droppedFrames))
    }
}

extension Page {
    /// - Parameter droppedFrames: what found no room on its way to the encoders.
    func lines(_ scene: RunScene, droppedFrames: UInt64) -> [String] {
        var figures = losses(scene)
        if droppedFrames > 0 { figures.append([("\(droppedFrames) frames DROPPED", .red)]) }
        return lines(scene, state: sending(scene), figures: figures, keys: ["q quit"])
    }

    private func sending(_ scene: RunScene) -> [String] {
        let reached = scene.targets.count { $0.state == .connected }
        var parts = live(scene, .red)
        if reached == 0 { parts[0] = [(" WAIT ", .active)] }
        let short = flow(parts)
        guard scene.targets.count > 1 else { return short }
        parts.append([("\(reached) of \(scene.targets.count) reached", .plain)])
        // In a narrow window the meters need the line more.
        let full = flow(parts)
        return full.count == short.count ? full : short
    }
}
