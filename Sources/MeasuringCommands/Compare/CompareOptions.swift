import AudioFigures
import AudioIO
import AudioMeasurement
import AudioRealtime
import AudioReports
import CommandSyntax
import Jack
import ServerRuns

struct CompareOptions: SubcommandOptions {
    static let syntax = Syntax(
        name: "compare", summary: "measure callback mode and queued mode side by side",
        groups: [
            ServerOptions.group,
            optionGroup(
                "Queues",
                queues.option, queueBuffers.option,
                queueFormat.option,
                queueRealtime),
            optionGroup(
                "Measurement",
                MeasurementOptions.channels.option,
                MeasurementOptions.seconds.option,
                MeasurementOptions.warmup.option,
                sequential, preset.option, MeasurementOptions.limits.option,
                MeasurementOptions.from),
            MeasurementOptions.output(.compare),
        ],
        notes: """
            All modes run at the same time on the same server, with the same signal through the same chain. Limits hold
            for callback mode; those of the queues begin with queued, as in queued.dropped=0.
            \(MeasurementOptions.interruption)
            """)

    private static let queueRealtime = Option(
        flag: "queue-realtime", "let the queue's worker run in real time")
    private static let sequential = Option(
        flag: "sequential", "measure the modes one after another, so that none disturbs the other")
    private static let preset = TypedOption<String?>.choice("preset", "NAME", ["seed"], \.self, seed).with {
        $0.excludes(
            ["rate", "period", "channels", "queue", "queue-format", "sequential"], "the preset says that itself"
        )
        .needs(["dummy"], "seed is measured on servers of its own").kept(.nowhere)
    }
    private static let seed =
        "seed: queues of \(SeedPreset.queueBytes.map { "\($0)" }.listed("and")) bytes of 16-bit mono at "
        + "\(Double(SeedPreset.sampleRate) / 1000) kHz, and the callback at \(SeedPreset.callbackFrames) frames, beside "
        + "what was published of them on iOS; needs --dummy; any other name is one of your presets"
    /// The least that a queue's buffer lasts where nothing is said.
    private static let usualMilliseconds = 10
    private static let queues = TypedOption<[Size]>.repeated(
        Option(
            "queue", "LENGTH",
            "length of a queue's buffers, as 512, 10ms or 1920B, bytes of all channels; may be repeated, several queues are "
                + "measured (the whole periods that last \(usualMilliseconds) ms or more, two at least)")
    ) { words, arguments throws(Failure) in
        try words.map { text throws(Failure) in try size(text, arguments) }
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

    init(_ arguments: Arguments) throws(Failure) {
        common = try MeasurementOptions(arguments)
        buffers = try arguments.value(of: Self.queueBuffers)
        format = try arguments.value(of: Self.queueFormat)
        isQueueRealtime = arguments.has(Self.queueRealtime)
        isSequential = arguments.has(Self.sequential)
        isSeedPreset = try arguments.value(of: Self.preset) != nil
        sizes = try arguments.value(of: Self.queues)
        try arguments.require(
            sizes.count <= Self.mostQueues, "more than \(Self.mostQueues) queues at a time are too many to compare",
            of: "queue")
        if isSeedPreset { choosePreset() }
        // One for each mode that is measured at a time.
        common.server.dummy?.clients = isSequential ? 1 : max(1, sizes.count) + 1
        try arguments.require(
            common.server.dummy?.hasRoom ?? true,
            "\(common.channels) channels of \(counted(max(1, sizes.count), "queue")) need more than the "
                + "\(ServerConfiguration.mostPorts) ports of a server; take fewer of either", of: "channels", "queue")
    }

    private static let mostQueues = 7

    private static func size(_ text: String, _ arguments: Arguments) throws(Failure) -> Size {
        if let frames = Quantity.frames(text).flatMap(whole) { return .frames(frames) }
        if let bytes = Quantity.read(text, [("B", 1), ("bytes", 1)]).flatMap(whole) { return .bytes(bytes) }
        let time = Quantity.read(text, [("ms", 1), ("s", 1000), ("us", 0.001), ("µs", 0.001)])
        let longest = QueueConfiguration.longestBufferSeconds
        if let time, time > 0, time <= Double(longest * 1000) { return .milliseconds(time) }
        throw arguments.usage(
            "--queue takes a length of 1 frame or more and up to \(longest) s, as in 512, 512frames, 10ms or 1920B, not "
                + "\"\(shown(text))\"", of: "queue")
    }

    private static func whole(_ value: Double) -> Int? {
        value == value.rounded() && (1...1e9).contains(value) ? Int(value) : nil
    }

    /// The cases of `SeedPreset`.
    private mutating func choosePreset() {
        common.channels = 1
        common.server.dummy?.sampleRate = SeedPreset.sampleRate
        common.server.dummy?.periodFrames = SeedPreset.periodFrames
        sizes = SeedPreset.queueBytes.map { .bytes($0) }
        format = .int16
    }

    /// Modes that are measured at the same time on the same server.
    private struct Stage {
        var hasCallbackMode: Bool
        var queues: [QueueConfiguration]
        /// Of the private server, where it is another than the options'.
        var periodFrames: Int?
    }

    /// The options to blame where a queue cannot be measured.
    private static let lengths = ["queue", "queue-buffers"]

    /// Measures callback mode and queues, at the same time or one after another.
    func run() throws -> ExitCode {
        if let path = common.path {
            return try common.report(log: path, schema: ReportKind.compare.schema)
        }
        let signals = try Signals()
        // Before anything is started: a file that cannot be written would make all of it vain.
        let early = try MeasurementOutputs(
            common.outputs, modes: [ModeReport.Mode.callback.rawValue], hasMore: true)
        var server = try common.server.start()
        defer { server?.stop() }
        let first = try ServerProbe(common.server, on: server)
        let facts = first.facts
        let queues = try queues(facts)
        let stages = stages(queues)
        for stage in stages {
            try ending(of: Self.lengths) { () throws(UnitError) in
                try configuration(stage, on: server, log: nil).check(on: facts)
            }
        }
        let outputs = try early.with(
            modes: stages.flatMap { configuration($0, on: server, log: nil).modeNames })

        var whole: Report?
        var known: ServerProbe? = consume first
        for stage in stages where whole?.isComplete ?? true {
            let before = whole
            // Of a later stage that does not begin, the earlier ones are kept; a failure to write is no news beside its own.
            let keep = { (report: Report?) in
                if let report {
                    try? outputs.write(finished(joined(before, report)))
                } else if var before {
                    before.end = .serverLost
                    try? outputs.write(finished(before))
                }
            }
            do {
                if let period = stage.periodFrames {
                    server?.stop()
                    var other = common.server
                    other.dummy?.periodFrames = period
                    server = try other.start()
                }
                let probe = try known.take() ?? ServerProbe(common.server, on: server)
                let session = MeasurementSession(
                    options: common, configuration: configuration(stage, on: server, log: outputs.log),
                    schema: ReportKind.compare.schema,
                    signals: signals)
                whole = joined(before, try session.run(on: server, probe, lastWords: keep))
            } catch {
                signals.release()
                keep(nil)
                throw error
            }
        }
        guard let whole else { return .done }
        let report = finished(whole)
        try outputs.write(report, releasing: signals)
        return try report.code()
    }

    private func configuration(_ stage: Stage, on server: Server?, log: CycleWriter?) -> MeasurementRun.Configuration {
        var configuration = MeasurementRun.Configuration()
        configuration.unit.channels = common.channels
        configuration.unit.serverName = server?.name ?? common.server.name
        configuration.hasCallbackMode = stage.hasCallbackMode
        configuration.queues = stage.queues
        configuration.hasProbe = true
        configuration.hasBlame = true
        configuration.log = log
        return configuration
    }

    private func queues(_ facts: ServerFacts) throws -> [QueueConfiguration] {
        let sizes = sizes.isEmpty ? [CompareOptions.Size.frames(usual(facts))] : sizes
        let queues = try sizes.map { size in
            let length = try ending(of: ["queue"]) { () throws(UnitError) in try frames(size, facts) }
            var queue = QueueConfiguration(bufferFrames: length)
            queue.bufferCount = buffers
            queue.format = format
            queue.isRealtime = isQueueRealtime
            try ending(of: Self.lengths) { () throws(UnitError) in try queue.check(channels: common.channels) }
            return queue
        }
        let lengths = queues.map(\.bufferFrames)
        if isSequential, let twin = lengths.first(where: { length in lengths.count { $0 == length } > 1 }) {
            throw Failure(
                .usage, "two queues of \(twin) frames, one after another, cannot be told apart; name each once",
                of: "queue")
        }
        return queues
    }

    /// The whole number of periods that lasts ten milliseconds or little more, and two at least: with any other length
    /// the worker's callbacks are unsteady by arithmetic.
    private func usual(_ facts: ServerFacts) -> Int {
        let period = max(1, facts.periodFrames)
        let least = (facts.sampleRate * Self.usualMilliseconds + 999) / 1000
        return max(2, (least + period - 1) / period) * period
    }

    private func frames(_ size: CompareOptions.Size, _ facts: ServerFacts) throws(UnitError) -> Int {
        switch size {
        case .frames(let frames): frames
        case .bytes(let bytes):
            try QueueConfiguration.frames(inBytes: bytes, channels: common.channels, format: format)
        case .milliseconds(let time):
            try QueueConfiguration.frames(inMilliseconds: time, sampleRate: facts.sampleRate)
        }
    }

    private func stages(_ queues: [QueueConfiguration]) -> [Stage] {
        if isSeedPreset {
            return [
                Stage(hasCallbackMode: false, queues: queues),
                Stage(hasCallbackMode: true, queues: [], periodFrames: SeedPreset.callbackFrames),
            ]
        }
        guard isSequential else { return [Stage(hasCallbackMode: true, queues: queues)] }
        return [Stage(hasCallbackMode: true, queues: [])] + queues.map { Stage(hasCallbackMode: false, queues: [$0]) }
    }

    private func joined(_ before: Report?, _ report: Report) -> Report {
        guard var whole = before else {
            var report = report
            report.isSequential = Nullable(isSequential || isSeedPreset)
            return report
        }
        whole.modes += report.modes
        whole.seconds += report.seconds
        whole.end = report.end
        return whole
    }

    private func finished(_ report: Report) -> Report {
        var report = report
        // Callback mode first, as in every table.
        report.modes.sort { $0.mode == .callback && $1.mode != .callback }
        if isSeedPreset { report.published = SeedPreset.published(beside: report) }
        return report.judged(common.limits)
    }
}
