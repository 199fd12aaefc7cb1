import AudioStreaming
import CommandSyntax
import LiveRuns
import PluginCommands
import ServerRuns

/// The stream is its own work.
enum SendParts: PartList {
    static var kinds: [any PartOptions.Type] { [VoiceChoice.self] + StreamParts.kinds }
}

/// What `iounit send` was asked to do.
struct SendOptions {
    static let syntax = Syntax(
        name: "send", summary: "send ports by WebSocket, Icecast, RTP, TCP or a pipe to any number of receivers",
        groups: [
            ServerOptions.group,
            (
                "Stream",
                StreamOptions.options
            ),
            UnitOptions.group(to: deed, channels.option),
            (heading: "Plug-ins", options: PluginPath.options("before the encoder")),
        ] + SendParts.groups + [RunOptions.group(SendReport.kind, first: [RunOptions.seconds.option])],
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
            Keys on a terminal: r resume after the server came back, q quit. Fields of the JSON: iounit help figures.
            """,
        operands: "TARGET...")

    private static let deed = UnitOptions.Deed("send", "sent")
    private static let channels = UnitOptions.channels(place: "in each stream")

    private(set) var unit: UnitOptions
    let stream: StreamOptions
    let seconds: Double?

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
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
}
