import AudioFigures
import AudioIO
import AudioMeasurement
import AudioReports
import CommandSyntax
import Jack
import ServerRuns

/// `iounit compare`: callback mode and queues, at the same time or one after another.
struct CompareCommand {
    let options: CompareOptions

    /// Modes that are measured at the same time on the same server.
    private struct Stage {
        var hasCallbackMode: Bool
        var queues: [QueueConfiguration]
        /// Of the private server, where it is another than the options'.
        var periodFrames: Int?
    }

    func run() throws -> ExitCode {
        if let path = options.common.path {
            return try options.common.report(log: path, schema: ReportKind.compare.schema)
        }
        let signals = try Signals()
        // Before anything is started: a file that cannot be written would make all of it vain.
        let early = try MeasurementOutputs(
            options.common.outputs, modes: [ModeReport.Mode.callback.rawValue], hasMore: true)
        var server = try options.common.server.start()
        defer { server?.stop() }
        let first = try ServerProbe(options.common.server, on: server)
        let queues = try queues(first.facts)
        let stages = stages(queues)
        for stage in stages { try configuration(stage, on: server, log: nil).check(on: first.facts) }
        let outputs = try early.with(
            modes: stages.flatMap { configuration($0, on: server, log: nil).modeNames })

        var whole: Report?
        var known: ServerProbe? = consume first
        for stage in stages where whole?.isComplete ?? true {
            if let period = stage.periodFrames {
                server?.stop()
                var other = options.common.server
                other.dummy?.periodFrames = period
                server = try other.start()
            }
            let probe = try known.take() ?? ServerProbe(options.common.server, on: server)
            let session = MeasurementSession(
                options: options.common, configuration: configuration(stage, on: server, log: outputs.log),
                schema: ReportKind.compare.schema,
                signals: signals)
            let before = whole
            let measured = try session.run(on: server, probe) { report in
                try? outputs.write(finished(joined(before, report)))
            }
            whole = joined(before, measured)
        }
        guard let whole else { return .done }
        let report = finished(whole)
        try outputs.write(report, releasing: signals)
        return try report.code()
    }

    private func configuration(
        _ stage: Stage, on server: Server?, log: CycleWriter?
    ) -> MeasurementRun.Configuration {
        var configuration = MeasurementRun.Configuration()
        configuration.unit.channels = options.common.channels
        configuration.unit.serverName = server?.name ?? options.common.server.name
        configuration.hasCallbackMode = stage.hasCallbackMode
        configuration.queues = stage.queues
        configuration.hasProbe = true
        configuration.hasBlame = true
        configuration.log = log
        return configuration
    }

    private func queues(_ facts: ServerFacts) throws -> [QueueConfiguration] {
        let sizes = options.sizes.isEmpty ? [CompareOptions.Size.frames(usual(facts))] : options.sizes
        let queues = try sizes.map { size in
            var queue = QueueConfiguration(bufferFrames: try frames(size, facts))
            queue.bufferCount = options.buffers
            queue.format = options.format
            queue.isRealtime = options.isQueueRealtime
            try queue.check(channels: options.common.channels)
            return queue
        }
        let lengths = queues.map(\.bufferFrames)
        if options.isSequential, let twin = lengths.first(where: { length in lengths.count { $0 == length } > 1 }) {
            throw Failure(
                .usage, "two queues of \(twin) frames, one after another, cannot be told apart; name each once")
        }
        return queues
    }

    /// The whole number of periods that lasts ten milliseconds or little more, and two at least: with any other length
    /// the worker's callbacks are unsteady by arithmetic.
    private func usual(_ facts: ServerFacts) -> Int {
        let period = max(1, facts.periodFrames)
        let least = (facts.sampleRate + 99) / 100
        return max(2, (least + period - 1) / period) * period
    }

    private func frames(_ size: CompareOptions.Size, _ facts: ServerFacts) throws(UnitError) -> Int {
        switch size {
        case .frames(let frames): frames
        case .bytes(let bytes):
            try QueueConfiguration.frames(inBytes: bytes, channels: options.common.channels, format: options.format)
        case .milliseconds(let time):
            try QueueConfiguration.frames(inMilliseconds: time, sampleRate: facts.sampleRate)
        }
    }

    private func stages(_ queues: [QueueConfiguration]) -> [Stage] {
        if options.isSeedPreset {
            return [
                Stage(hasCallbackMode: false, queues: queues),
                Stage(hasCallbackMode: true, queues: [], periodFrames: SeedPreset.callbackFrames),
            ]
        }
        guard options.isSequential else { return [Stage(hasCallbackMode: true, queues: queues)] }
        return [Stage(hasCallbackMode: true, queues: [])] + queues.map { Stage(hasCallbackMode: false, queues: [$0]) }
    }

    private func joined(_ before: Report?, _ report: Report) -> Report {
        guard var whole = before else {
            var report = report
            report.isSequential = Nullable(options.isSequential || options.isSeedPreset)
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
        if options.isSeedPreset { report.published = SeedPreset.published(beside: report) }
        return report.judged(options.common.limits)
    }
}
