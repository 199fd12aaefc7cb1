import AudioIO
import AudioReports
import Jack

/// What `iounit send` was asked to do.
struct SendOptions {
    static let syntax = Syntax(
        name: "send", summary: "send ports by WebSocket, Icecast, RTP, TCP or a pipe to any number of receivers",
        groups: [
            ServerOptions.group(rate: "server-rate"),
            (
                "Stream",
                StreamOptions.options(rate: "rate") + [
                    Option(flag: "force", "replace FILE of --sdp if it exists")
                ]
            ),
            EarOptions.group(to: "send", done: "sent", place: "in each stream"),
            VoiceChoice.group(far: "the outputs where --output is given, else none"),
            (
                "Run",
                [Option("seconds", "TIME", "end after this time, as 90, 10min or 1:30:00")] + ReconnectOptions.options
                    + [
                        Option(flag: "json", "print one JSON object at the end (iounit.send/1)"),
                        Option(flag: "help", "print this"),
                    ]
            ),
        ],
        notes: """
            TARGET is ws://HOST:PORT/PATH or wss://…, a server of WebSockets that takes packets (iounit.stream/1);
            icecast://USER@HOST:PORT/MOUNT, an Icecast server for any number of listeners (Ogg Opus, Ogg FLAC or MP3);
            tcp://HOST:PORT, where somebody listens for a FLAC, Ogg Opus, MP3 or WAV stream; rtp://HOST:PORT, to which RTP goes by UDP; or file:PATH, a
            named pipe or a new file. Each goes its own way: one that is slow or not there loses whole packets, which are counted,
            and is tried again after half a second, then less and less often.
            Exit codes: 68 for a name that no target can be found by, 69 for a target that was not reached in the end, 73 for
            a file that cannot be made, 74 for one that could not be written on, 76 for a server that is none of the kind or whose
            certificate is not accepted, 77 for one that wants another token or password, 130 when interrupted.
            Keys on a terminal: r resume after the server came back, q quit. Fields of the JSON: iounit help figures.
            """,
        operands: "TARGET...")

    var server: ServerOptions
    /// What the unit is in JACK's graph.
    var ear: EarOptions
    /// What is done to voices before.
    let voice: VoiceChoice
    let stream: StreamOptions
    var seconds: Double?
    var reconnect: ReconnectPolicy
    var isJSON: Bool

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
        isJSON = arguments.has("json")
        let channels = try EarOptions.channels(arguments)
        server = try ServerOptions(arguments, channels: channels, rate: "server-rate")
        reconnect = try ReconnectOptions.policy(arguments, server)
        seconds = try arguments.seconds("seconds", 0.01...1e9)
        ear = try EarOptions(arguments, server, channels: channels)
        voice = try VoiceChoice(arguments, far: ear.engine.outputs == .none ? .none : .outputs, canBeSwitched: false)
        try arguments.require(
            !arguments.operands.isEmpty,
            "send needs a target: iounit send ws://HOST:PORT/PATH, icecast://HOST:PORT/MOUNT, rtp://HOST:PORT, tcp://HOST:PORT or file:PATH"
        )
        stream = try StreamOptions(arguments, to: arguments.operands, channels: channels, rate: "rate")
        let isForced = !stream.replaces || stream.descriptionPath != nil
        try arguments.require(isForced, "--force is for the file of --sdp")
        try stream.check(server)
    }
}
