import AudioDSP
import AudioIO
import AudioMetering
import AudioRecording
import Jack

/// What `iounit monitor` was asked to do.
struct MonitorOptions {
    static let syntax = Syntax(
        name: "monitor", summary: "render input to output live: gain, waveshaper, meters, recording",
        groups: [
            ServerOptions.group,
            (
                "Unit",
                [
                    Option("channels", "N", "inputs in_1 to in_N and outputs out_1 to out_N, 1 to 256 (2)"),
                    Option("name", "NAME", "the unit's name in JACK (iounit)"),
                    Option("gain", "DB", "gain in decibels, -120 to 60 (0)"),
                    Option("drive", "DB", "gain into the shaper in decibels, -120 to 60 (0)"),
                    Option("shape", "SHAPE", "cubic, hard, tanh or off (cubic)"),
                    Option(flag: "bypass", "leave the signal alone: neither gain nor shape"),
                ]
            ),
            (
                "Connections",
                [
                    Option(
                        "input", "PATTERN",
                        "take the sound from the ports whose name matches (a regular expression), or from none; "
                            + "given several times, the first that matches counts"),
                    Option("output", "PATTERN", "send the sound to the ports whose name matches; likewise"),
                    Option(flag: "no-connect", "connect to nobody; others may connect to the unit"),
                ]
            ),
            (
                "Sound",
                [
                    Option(
                        "source", "WHAT",
                        "feed the inputs with a file, or with tone, tone:HZ, noise or silence; a file ends the run "
                            + "when it was heard through (with --dummy: tone)"),
                    Option(flag: "loop", "play the source's file again and again"),
                    Option("record", "FILE", "write what goes to the outputs; the format follows the extension"),
                    Option(flag: "force", "let --record replace an existing file"),
                    Option(
                        "loudness", "WHEN",
                        "measure loudness (EBU R 128) and true peak of the outputs: on or off "
                            + "(on, but for more than 6 channels)"),
                ]
            ),
            (
                "Run",
                [
                    Option("seconds", "S", "end after this time"),
                    Option(flag: "json", "print one JSON object at the end (iounit.monitor/1)"),
                    Option(flag: "help", "print this"),
                ]
            ),
        ],
        notes: """
            The signal: input, gain, drive, shape, output; y = shape(drive * gain * x).
            Keys on a terminal: + - gain, [ ] drive, s shape, b bypass, m mute, q quit.
            """)

    var server: ServerOptions
    var unit: UnitConfiguration
    var source: SourceKind?
    var loops: Bool
    var recordPath: String?
    var replacesRecord: Bool
    /// `nil` where nothing is said.
    var measuresLoudness: Bool?
    var seconds: Double?
    var isJSON: Bool

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
        unit = UnitConfiguration()
        isJSON = arguments.has("json")
        seconds = try arguments.number("seconds", 0.01...1e9)

        let channels = try arguments.integer("channels", UnitConfiguration.channelRange) ?? 2
        server = try ServerOptions(arguments, channels: channels)
        unit.channels = channels
        unit.clientName = arguments.value("name") ?? "iounit"
        unit.gainDecibels = try arguments.number("gain", UnitConfiguration.decibelRange, unit: "dB") ?? 0
        unit.driveDecibels = try arguments.number("drive", UnitConfiguration.decibelRange, unit: "dB") ?? 0
        if let name = try arguments.choice("shape", ["cubic", "hard", "tanh", "off"]) {
            unit.shape = Shape(name: name) ?? .cubic
        }
        unit.isBypassed = arguments.has("bypass")
        unit.serverName = server.name

        source = try Self.source(arguments) ?? (server.dummy == nil ? nil : .tone(hertz: 440))
        loops = arguments.has("loop")
        if loops {
            guard case .file = source else { throw Failure(.usage, "--loop needs a file to play: --source FILE") }
        }
        recordPath = arguments.value("record")
        replacesRecord = arguments.has("force")
        try arguments.require(recordPath != nil || !replacesRecord, "--force needs --record FILE")
        try arguments.require(recordPath != "", "--record needs the name of a file")
        measuresLoudness = try arguments.choice("loudness", ["on", "off"]).map { $0 == "on" }
        let limit = LoudnessMeter.channelRange.upperBound
        try arguments.require(
            measuresLoudness != true || channels <= limit, "--loudness on is for up to \(limit) channels")
        try route(arguments)
    }

    private static func source(_ arguments: Arguments) throws(Failure) -> SourceKind? {
        guard let word = arguments.value("source") else { return nil }
        do {
            return try SourceKind(word: word)
        } catch {
            throw Failure(.usage, "--source: \(error)")
        }
    }

    private mutating func route(_ arguments: Arguments) throws(Failure) {
        let connects = !arguments.has("no-connect")
        for name in ["input", "output"] {
            try arguments.require(
                connects || !arguments.has(name), "--\(name) and --no-connect contradict each other")
        }
        func route(_ name: String, default route: Route) throws(Failure) -> Route {
            let patterns = arguments.values(name)
            // An empty expression matches every name, which nobody means.
            try arguments.require(!patterns.contains(""), "--\(name) needs a pattern; use none for no connection")
            if patterns == ["none"] { return .none }
            return patterns.isEmpty ? route : .firstOf(patterns)
        }
        // A source takes the place of the physical inputs.
        unit.inputs = try route("input", default: connects && source == nil ? .physical : .none)
        unit.outputs = try route("output", default: connects ? .physical : .none)
    }
}
