import AudioIO
import CommandSyntax
import LiveRuns
import PluginCommands
import ServerRuns

struct PlayOptions: SubcommandOptions {
    static let syntax = Syntax(
        name: "play", summary: "play sound files or a pipe, one after the other without a gap",
        groups: [
            ServerOptions.freewheelingGroup,
            (
                "Sound",
                [
                    startTime.option, endTime.option,
                    ofFiles(loop.excludes([transport.name], timeline), "the standard input is played once"),
                    shuffle.excludes([transport.name], timeline),
                    ofFiles(transport, "the standard input cannot go back with the transport"),
                ] + PluginPath.options("after the gain")
            ),
            UnitOptions.group(playing: channelCount.option),
        ] + SideParts.groups + [RunOptions.group(.json(PlayReport.kind))],
        notes: """
            FILE may be -, the standard input, as in ffmpeg -nostdin -i FILE -f wav - | iounit play -. A pipe is played once,
            and only forward. A file of another rate is converted to the server's. Of a broken file what can be read is played,
            and the exit code is 65.
            Keys on a terminal: space pause, left and right 5 s back and forward, up and down gain, n or Enter next file,
            p previous file, l loop, r resume after the server came back, q quit. With --transport they move the transport.
            """,
        operands: "FILE...")

    private static let startTime = TypedOption<Double?>.number(
        "start", .seconds, 0...1e9,
        "leave out what comes before this time, as 90, 1:30 or 250ms; of several files, in each of them")
    private static let endTime = TypedOption<Double?>.number(
        "end", .seconds, 0...1e9, "stop at this time; of several files, in each of them")
    private static let channelCount = TypedOption<Int?>.number(
        "channels", short: "c", .integer, UnitConfiguration.channelRange,
        usual: "as many as the widest file has, \(PlayedEntry.mostChannels) at the most", "outputs out_1 to out_N",
        more: "; files with more are mixed down by ITU-R BS.775, one channel goes to all outputs")
    private static let loop = Option(flag: "loop", "play the whole list again and again")
    private static let shuffle = Option(
        flag: "shuffle", "play in random order; with --loop in a new order each time around")
    private static let transport = Option(
        flag: "transport",
        "go with JACK's transport: the list begins at its frame 0; starts, stops and locates with it, until q")
    private static let timeline = "a transport's timeline has one order and no end"

    /// An option that asks for more than one way through the list.
    private static func ofFiles(_ option: Option, _ reason: String) -> Option {
        option.excludes(["freewheel"], "what is played by no clock needs an end")
            .refused { $0.operands.contains("-") ? "is for files: \(reason)" : nil }
    }

    /// The outputs are as many as `channels`, or the files, say.
    var unit: UnitOptions
    /// `nil` for as many as the widest file has.
    var channels: Int?
    /// `-` is the standard input.
    var paths: [String]
    /// In seconds of each file; `nil` for its end.
    var start: Double
    var end: Double?
    var loops: Bool
    var shuffles: Bool
    /// Whether JACK's transport says what is played.
    var followsTransport: Bool

    var readsInput: Bool { paths.contains("-") }

    init(_ arguments: Arguments) throws(Failure) {
        channels = try arguments.value(of: Self.channelCount)
        unit = try UnitOptions(playing: arguments, channels: channels ?? 2, parts: SideParts.self)
        paths = arguments.operands
        loops = arguments.has(Self.loop)
        shuffles = arguments.has(Self.shuffle)
        followsTransport = arguments.has(Self.transport)
        start = try arguments.value(of: Self.startTime) ?? 0
        end = try arguments.value(of: Self.endTime)
        unit.engine.transport = followsTransport ? .synchronised : .none
        let (start, end) = (start, end)
        try arguments.require(end.map { $0 > start } ?? true, "--end must be later than --start", of: "end", "start")
        try arguments.require(!paths.isEmpty, "play needs a file to play: iounit play FILE..., or - for a pipe")
        try arguments.require(!paths.contains(""), "a file without a name cannot be played")
        try arguments.require(paths.count { $0 == "-" } <= 1, "the standard input can be played once only")
        try arguments.require(
            !unit.server.freewheels || unit.parts[SideRecording.self] == nil || paths.count == 1
                || !paths.contains("-"),
            "--record with --freewheel records files, or the standard input alone, whose end nobody knows before",
            of: "record",
            "freewheel")
    }

    func run() throws -> ExitCode {
        let signals = try Signals()
        // All files are looked at before a server is joined.
        var entries: [PlayedEntry] = []
        for path in paths {
            guard let entry = try PlayedEntry(path, self, signals) else { return .interrupted }
            entries.append(entry)
        }
        let widest = entries.map(\.channels).max() ?? 1
        let outputs = channels ?? min(widest, PlayedEntry.mostChannels)
        var unit = unit
        // The pretended card of a private server has a port for each output.
        unit.server.dummy?.playbackChannels = max(2, outputs)
        return try unit.perform(
            signals, session: { try PlaySession(self, entries, outputs: outputs, server: $0) },
            loop: { PlayLoop($0, signals) })
    }
}
