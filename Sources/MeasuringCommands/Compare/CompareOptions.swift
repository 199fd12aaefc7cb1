import AudioIO
import AudioRealtime
import AudioReports
import CommandSyntax
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
                    queues.option, queueBuffers.option,
                    queueFormat.option,
                    Option(flag: "queue-realtime", "let the queue's worker run in real time"),
                ]
            ),
            (
                "Measurement",
                [
                    MeasurementOptions.channels.option,
                    MeasurementOptions.seconds.option,
                    MeasurementOptions.warmup.option,
                    Option(flag: "sequential", "measure the modes one after another, so that none disturbs the other"),
                    Option(
                        "preset", "NAME",
                        "seed: queues of 8820 and 4410 bytes of 16-bit mono at 44.1 kHz, and the callback at 32 frames, beside "
                            + "what was published of them on iOS; needs --dummy; any other name is one of your presets",
                        of: ["seed"]
                    )
                    .excludes(
                        ["rate", "period", "channels", "queue", "queue-format", "sequential"],
                        "the preset says that itself"
                    )
                    .needs(["dummy"], "seed is measured on servers of its own").kept(.nowhere),
                    MeasurementOptions.limit,
                    MeasurementOptions.from,
                ]
            ),
            MeasurementOptions.output(.compare),
        ],
        notes: """
            All modes run at the same time on the same server, with the same signal through the same chain. Limits hold
            for callback mode; those of the queues begin with queued, as in queued.dropped=0.
            \(MeasurementOptions.interruption)
            What each figure means, and the fields of the JSON (\(ReportKind.compare.schema)): iounit help figures.
            """, ownPreset: "seed")

    private static let queues = TypedOption<[Size]>(
        Option(
            "queue", "LENGTH",
            "length of a queue's buffers, as 512, 10ms or 1920B, bytes of all channels; may be repeated, several queues are "
                + "measured (the whole periods that last 10 ms or more, two at least)")
    ) { arguments throws(Failure) in
        var sizes: [Size] = []
        for text in arguments.values("queue") { sizes.append(try size(text, arguments)) }
        return sizes
    }
    private static let queueFormat = TypedOption<QueueFormat>.choice(
        "queue-format", "FORMAT", QueueFormat.allCases, \.rawValue, initial: .int16, "what the queue keeps samples in",
        isListed: true)
    private static let queueBuffers = TypedOption<Int>.number(
        "queue-buffers", .integer, QueueConfiguration.bufferCounts, initial: 3, "buffers of each queue")

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

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
        common = try MeasurementOptions(arguments)
        buffers = try arguments.value(of: Self.queueBuffers)
        format = try arguments.value(of: Self.queueFormat)
        isQueueRealtime = arguments.has("queue-realtime")
        isSequential = arguments.has("sequential")
        isSeedPreset = try arguments.choice("preset") != nil
        sizes = try arguments.value(of: Self.queues)
        try arguments.require(
            sizes.count <= Self.mostQueues, "more than \(Self.mostQueues) queues at a time are too many to compare")
        if isSeedPreset { choosePreset() }
    }

    private static let mostQueues = 7

    private static func size(_ text: String, _ arguments: Arguments) throws(Failure) -> Size {
        if let frames = Quantity.frames(text).flatMap(whole) { return .frames(frames) }
        if let bytes = Quantity.read(text, [("B", 1), ("bytes", 1)]).flatMap(whole) { return .bytes(bytes) }
        let time = Quantity.read(text, [("ms", 1), ("s", 1000), ("us", 0.001), ("µs", 0.001)])
        if let time, time > 0, time <= 10_000 { return .milliseconds(time) }
        throw arguments.usage(
            "--queue takes a length of 1 frame or more and up to 10 s, as in 512, 512frames, 10ms or 1920B, not \"\(shown(text))\"",
            of: "queue")
    }

    private static func whole(_ value: Double) -> Int? {
        value == value.rounded() && (1...1e9).contains(value) ? Int(value) : nil
    }

    /// The cases of `SeedPreset`.
    private mutating func choosePreset() {
        common.channels = 1
        common.server.dummy?.sampleRate = SeedPreset.sampleRate
        common.server.dummy?.periodFrames = SeedPreset.periodFrames
        sizes = [.bytes(8820), .bytes(4410)]
        format = .int16
    }
}
