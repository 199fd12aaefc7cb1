import AudioFiles
import AudioIO
import AudioReports
import AudioStreaming
import Foundation
import Jack

/// What `iounit send` was asked to do.
struct SendOptions {
    static let syntax = Syntax(
        name: "send", summary: "send ports by TCP, RTP or a pipe to any number of receivers",
        groups: [
            ServerOptions.group(rate: "server-rate"),
            (
                "Stream",
                [
                    Option(
                        "codec", "CODEC",
                        "opus, flac, pcm16, pcm24 or float, of all targets (opus by RTP, which has no flac and float; flac by "
                            + "TCP and into a pipe; of a file as its name says)"),
                    Option("bitrate", "RATE", "of Opus by RTP, in bits per second, as 96k (libopus chooses)"),
                    Option(
                        "frame", "MS",
                        "length of RTP's packets in milliseconds: of Opus 2.5, 5, 10, 20, 40 or 60 (20), of PCM up to 1000 "
                            + "(10)"),
                    Option(
                        flag: "fec",
                        "let each packet of Opus by RTP say the one before again, for networks that lose some"),
                    Option(
                        "rate", "HZ", "sample rate of the stream, as 16000, 16k or 44.1k (the server's; 48k in Opus)"),
                    Option("sdp", "FILE", "write the description that a receiver of RTP reads first"),
                    Option(flag: "force", "replace FILE of --sdp if it exists"),
                ]
            ),
            (
                "Connections",
                [
                    Option("channels", "N", "inputs in_1 to in_N, 1 to 256, all in each stream (2)"),
                    Option("name", "NAME", "the unit's name in JACK (iounit)"),
                    Option(
                        "input", "PATTERN",
                        "take the sound from the ports whose name matches (a regular expression), or from none; "
                            + "given several times, the first that matches counts (the capture ports)"),
                    Option("output", "PATTERN", "let what is sent be heard on the ports whose name matches (none)"),
                    Option("gain", "DB", "gain in decibels, -120 to 60 (0, which changes no bit)"),
                    RouteOptions.follow, RouteOptions.none,
                ]
            ),
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
            TARGET is tcp://HOST:PORT, where somebody listens for a FLAC, Ogg Opus or WAV stream; rtp://HOST:PORT, to which RTP
            goes by UDP; or file:PATH, a named pipe or a new file. Each goes its own way: one that is slow or not there loses
            whole packets, which are counted, and is tried again after half a second, then less and less often.
            Exit codes: 68 for a name that no target can be found by, 69 for a target that was not reached in the end, 73 for
            a file that cannot be made, 74 for one that could not be written on, 130 when interrupted.
            Keys on a terminal: r resume after the server came back, q quit. Fields of the JSON: iounit help figures.
            """,
        operands: "TARGET...")

    /// What is encoded alike, and where it goes.
    struct Stream {
        var settings: CodecSettings
        var targets: [StreamTarget]
    }

    var server: ServerOptions
    /// What the unit is in JACK's graph.
    var engine = EngineConfiguration()
    /// In the order in which they were named.
    var targets: [StreamTarget] = []
    var streams: [Stream] = []
    var gainDecibels: Double
    var seconds: Double?
    var reconnect: ReconnectPolicy
    /// Path of the description of the RTP stream.
    var descriptionPath: String?
    var replaces: Bool
    var isJSON: Bool

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
        isJSON = arguments.has("json")
        replaces = arguments.has("force")
        let channels = try arguments.integer("channels", UnitConfiguration.channelRange) ?? 2
        server = try ServerOptions(arguments, channels: channels, rate: "server-rate")
        reconnect = try ReconnectOptions.policy(arguments, server)
        gainDecibels = try arguments.decibels("gain", UnitConfiguration.decibelRange) ?? 0
        seconds = try arguments.seconds("seconds", 0.01...1e9)
        engine.clientName = arguments.value("name") ?? "iounit"
        engine.serverName = server.name
        engine.inputChannels = channels
        engine.outputChannels = channels
        try RouteOptions.check(arguments, ["input", "output", "follow-routes"])
        engine.inputs = try RouteOptions.route(
            arguments, "input", default: arguments.has("no-connect") ? .none : .physical)
        engine.outputs = try RouteOptions.route(arguments, "output", default: .none)
        engine.followsRoutes = arguments.has("follow-routes")
        try name(arguments)
        try describe(arguments)
        try encode(arguments)
        // Where the server's rate is not known yet, it is looked at again when it is.
        try check(sampleRate: server.dummy?.sampleRate ?? 48000)
    }

    private mutating func name(_ arguments: Arguments) throws(Failure) {
        let words = arguments.operands
        try arguments.require(
            !words.isEmpty, "send needs a target: iounit send tcp://HOST:PORT, rtp://HOST:PORT or file:PATH")
        for word in words {
            do {
                targets.append(try StreamTarget(word))
            } catch {
                throw Failure(error)
            }
        }
        let (all, twice) = (targets, targets.first { target in targets.count { $0 == target } > 1 })
        try arguments.require(
            all.count == Set(all).count, "\(twice.map { shown("\($0)") } ?? "") is named twice: send to it once")
    }

    private mutating func describe(_ arguments: Arguments) throws(Failure) {
        let described = targets.count { $0.kind == .rtp }
        for name in ["sdp", "frame"] {
            try arguments.require(
                !arguments.has(name) || described > 0, "--\(name) is for RTP: name a target rtp://HOST:PORT")
        }
        descriptionPath = arguments.value("sdp")
        try arguments.require(
            descriptionPath == nil || described == 1, "--sdp describes one stream of RTP, and there are \(described)")
        try arguments.require(
            descriptionPath.map { !$0.isEmpty && $0 != "-" } ?? true, "--sdp needs the name of a file")
        try arguments.require(!replaces || descriptionPath != nil, "--force is for the file of --sdp")
    }

    private mutating func encode(_ arguments: Arguments) throws(Failure) {
        let word = try arguments.choice("codec", StreamCodec.allCases.map(\.rawValue))
        let milliseconds = try arguments.number("frame", 0.1...1000, unit: "ms")
        let bitRate = try arguments.bitRate("bitrate")
        let sampleRate = try arguments.hertz("rate", 1000...768_000)
        for target in targets {
            let codec = word.flatMap { StreamCodec(rawValue: $0) } ?? Self.usualCodec(target)
            var settings = CodecSettings(codec)
            settings.sampleRate = sampleRate
            settings.bitRate = bitRate
            settings.hasForwardErrorCorrection = arguments.has("fec")
            if target.kind == .rtp { settings.frameMilliseconds = milliseconds }
            if let index = streams.firstIndex(where: { $0.settings == settings }) {
                streams[index].targets.append(target)
            } else {
                streams.append(Stream(settings: settings, targets: [target]))
            }
        }
    }

    /// Where nothing is said: what a receiver of that kind takes without a question.
    private static func usualCodec(_ target: StreamTarget) -> StreamCodec {
        switch target.kind {
        case .rtp: return .opus
        case .tcp: return .flac
        case .file:
            switch (target.host as NSString).pathExtension.lowercased() {
            case "opus", "ogg", "oga": return .opus
            case "wav", "wave": return .float
            default: return .flac
            }
        }
    }

    /// Finds out whether each target can be sent what is wanted, and reaches for none.
    func check(sampleRate: Int) throws(Failure) {
        for stream in streams {
            do {
                try StreamSender.check(
                    stream.targets, stream.settings, sampleRate: sampleRate, channels: engine.inputChannels)
            } catch {
                throw Failure(error)
            }
        }
    }

    /// What a target is sent.
    func codec(of target: StreamTarget) -> StreamCodec? {
        streams.first { $0.targets.contains(target) }?.settings.codec
    }
}
