import AudioIO
import AudioRealtime
import AudioReports
import CommandSyntax
import Jack
import ServerRuns

/// What `iounit compare` was asked to do.
struct CompareOptions {
    static let syntax = Syntax(
        name: "compare", summary: "measure callback mode and queued mode side by side",
        groups: [
            ServerOptions.group,
            (
                "Queues",
                [
                    Option(
                        "queue", "LENGTH",
                        "length of a queue's buffers, as 512, 10ms or 1920B, bytes of all channels; may be repeated, "
                            + "several queues are measured (the whole periods that last 10 ms or more, two at least)"),
                    Option("queue-frames", "N", "the same in frames"),
                    Option("queue-bytes", "N", "in bytes"),
                    Option("queue-milliseconds", "MS", "in milliseconds"),
                    Option("queue-buffers", "N", "buffers of each queue, 2 to 64 (3)"),
                    Option(
                        "queue-format", "FORMAT", "what the queue keeps samples in: int16 or float (int16)",
                        of: QueueFormat.allCases.map(\.rawValue)),
                    Option(flag: "queue-realtime", "let the queue's worker run in real time"),
                ]
            ),
            (
                "Measurement",
                [
                    MeasurementOptions.channels,
                    Option("seconds", "TIME", "how long to measure, as 10s or 2min (10s)"),
                    MeasurementOptions.warmup,
                    Option(flag: "sequential", "measure the modes one after another, so that none disturbs the other"),
                    Option(
                        "preset", "NAME",
                        "seed: queues of 8820 and 4410 bytes of 16-bit mono at 44.1 kHz, and the callback at 32 frames, beside "
                            + "what was published of them on iOS; needs --dummy; any other name is one of your presets",
                        of: ["seed"]),
                    MeasurementOptions.limit,
                    MeasurementOptions.from,
                ]
            ),
            MeasurementOptions.output(.compare),
        ],
        notes: """
            All modes run at the same time on the same server, with the same signal through the same chain. Limits hold
            for callback mode; those of the queues begin with queued, as in queued.dropped=0.
            On a terminal a page shows meanwhile what is measured; q ends the run with the report so far, as Ctrl-C does.
            \(ExitCode.interruption)
            What each figure means, and the fields of the JSON (iounit.compare/2): iounit help figures.
            """, ownPreset: "seed")

    /// A queue's buffer as it was asked for.
    enum Size: Equatable {
        case frames(Int)
        case bytes(Int)
        case milliseconds(Double)
    }

    var common: MeasurementOptions
    var sizes: [Size]
    var buffers: Int
    var format: QueueFormat
    var isQueueRealtime: Bool
    var isSequential: Bool
    var isSeedPreset: Bool
    /// A log to report instead of a server's run.
    var path: String?

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
        path = try MeasurementOptions.log(
            arguments,
            instead: ["channels", "seconds", "warmup", "sequential", "preset", "csv"]
                + Self.syntax.groups.flatMap(\.options).map(\.name).filter { $0.hasPrefix("queue") })
        common = try MeasurementOptions(arguments)
        buffers = try arguments.integer("queue-buffers", QueueConfiguration.bufferCounts) ?? 3
        format =
            try arguments.choice("queue-format").flatMap { QueueFormat(rawValue: $0) } ?? .int16
        isQueueRealtime = arguments.has("queue-realtime")
        isSequential = arguments.has("sequential")
        isSeedPreset = try arguments.choice("preset") != nil
        sizes = []
        for (name, text) in arguments.ordered(["queue", "queue-frames", "queue-bytes", "queue-milliseconds"]) {
            sizes.append(try Self.size(name, text, arguments))
        }
        try arguments.require(
            sizes.count <= Self.mostQueues, "more than \(Self.mostQueues) queues at a time are too many to compare")
        if isSeedPreset { try choosePreset(arguments) }
        try common.checkOutputs(beside: path, arguments)
    }

    private static let mostQueues = 7

    private static func size(_ name: String, _ text: String, _ arguments: Arguments) throws(Failure) -> Size {
        switch name {
        case "queue":
            if let frames = Quantity.frames(text).flatMap(whole) { return .frames(frames) }
            if let bytes = Quantity.read(text, [("B", 1), ("bytes", 1)]).flatMap(whole) { return .bytes(bytes) }
            let time = Quantity.read(text, [("ms", 1), ("s", 1000), ("us", 0.001), ("µs", 0.001)])
            if let time, time > 0, time <= 10_000 { return .milliseconds(time) }
            throw arguments.usage(
                "--queue takes a length of 1 frame or more, as in 512, 512frames, 10ms or 1920B, not \"\(shown(text))\""
            )
        case "queue-milliseconds":
            guard let value = Quantity.milliseconds(text), value > 0, value <= 10_000 else {
                throw arguments.usage(
                    "--queue-milliseconds takes a number greater than 0 and up to 10000, as in 10 or 10ms, not "
                        + "\"\(shown(text))\"")
            }
            return .milliseconds(value)
        case "queue-bytes":
            guard let bytes = Quantity.read(text, [("", 1), ("B", 1), ("bytes", 1)]).flatMap(whole) else {
                throw arguments.usage(
                    "--queue-bytes takes a whole number of 1 or more, as in 1920 or 1920B, not \"\(shown(text))\"")
            }
            return .bytes(bytes)
        default:
            guard let frames = Quantity.frames(text).flatMap(whole) else {
                throw arguments.usage(
                    "--\(name) takes a whole number of 1 or more, as in 512 or 512frames, not \"\(shown(text))\"")
            }
            return .frames(frames)
        }
    }

    private static func whole(_ value: Double) -> Int? {
        value == value.rounded() && (1...1e9).contains(value) ? Int(value) : nil
    }

    /// Seed 004's cases.
    private mutating func choosePreset(_ arguments: Arguments) throws(Failure) {
        for name in ["rate", "period", "channels", "queue-format", "sequential"] where arguments.has(name) {
            throw arguments.usage("--preset seed sets --\(name) itself: leave it out")
        }
        try arguments.require(sizes.isEmpty, "--preset seed sets the queues itself: leave them out")
        try arguments.require(
            common.server.dummy != nil, "--preset seed needs servers of its own: use it with --dummy")
        common.channels = 1
        common.server.dummy?.sampleRate = 44100
        common.server.dummy?.periodFrames = 2048
        sizes = [.bytes(8820), .bytes(4410)]
        format = .int16
    }
}
