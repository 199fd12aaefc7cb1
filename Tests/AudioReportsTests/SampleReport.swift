import AudioFigures
import AudioReports
import TestSupport

/// Reports such as runs make them, out of seeded numbers.
enum SampleReport {
    static let server = ServerFacts(
        name: "iounit-4711-1", backend: "dummy", sampleRate: 48000, periodFrames: 64, sync: false, realtime: true)
    static let host = HostFacts(
        cpu: "AMD EPYC 7B13", cores: 2, kernel: "6.1.0-18-amd64", preemption: "voluntary", governor: nil)
    static let scheduling = SchedulingFacts(policy: "SCHED_FIFO", priority: 5)

    static let provenance = Provenance(
        date: "2026-11-23T08:11:41Z", version: "0.1.0", host: "stage", command: "iounit jitter --dummy")

    static func empty(_ schema: String = "iounit.jitter/2") -> Report {
        var report = Report(schema: schema, server: server, host: host)
        report.seconds = 10
        report.warmupSeconds.value = 1
        report.scheduling.value = scheduling
        return report
    }

    /// Callback mode with a timer beside it, some late cycles and their blame.
    static let jitter: Report = {
        var report = empty()
        var mode = callback(cycles: 7500, late: 6)
        mode.lost.nanoseconds = 12_345_678
        mode.lost.gapFrames = 512
        mode.lost.xruns = 4
        mode.lost.xrunDelayNanoseconds = 310_000
        mode.overruns = 1
        mode.blame.value = blame(own: 1, upstream: 2, wakeup: 2, unknown: 1)
        report.modes = [mode]
        report.baseline.value = timer
        return report
    }()

    /// Callback mode beside two queues, in a quiet run with limits, one of which is exceeded.
    static let compare: Report = {
        var report = empty("iounit.compare/2")
        report.modes = [
            callback(cycles: 7500), queue(buffers: 3, of: 441, cycles: 1088), queue(buffers: 3, of: 882, cycles: 544),
        ]
        report.modes[2].droppedFrames = 882
        report.modes[2].insertedFrames = 1764
        report.baseline.value = timer
        report.limits = [
            LimitResult(limit: "p99=200us", mode: "callback", measured: 96.4, unit: "us", isMet: true),
            LimitResult(limit: "lost=0", mode: "callback", measured: 0, unit: "ms", isMet: true),
            LimitResult(limit: "max=1ms", mode: "queued 441", measured: 2.3137, unit: "ms", isMet: false),
            LimitResult(limit: "latency=500", mode: "queued 882", measured: nil, unit: "frames", isMet: false),
        ]
        report.published = [
            PublishedFigure(
                name: "interval of the 8820-byte queue", unit: "ms", published: "100, seen 92.9 and 105",
                measured: "92.9…139.3"),
            PublishedFigure(
                name: "interval of the callback at 32 frames", unit: "s", published: "0.000725623582766",
                measured: "0.000725619"),
        ]
        return report
    }()

    static func callback(cycles: Int, late: Int = 0) -> ModeReport {
        var mode = ModeReport(
            mode: .callback, name: "callback", periodFrames: 64, sampleRate: 48000,
            nominalNanoseconds: 64 / 48000 * 1e9)
        fill(&mode, cycles: cycles, typicalNanoseconds: 9000, late: late, seed: 1)
        mode.latencyFrames.value = 0.002
        mode.declaredLatencyFrames = 0
        (mode.lost.xruns, mode.lost.xrunDelayNanoseconds) = (0, 0)
        mode.latencyErrorFrames.value = 0.004
        return mode
    }

    static func queue(buffers: Int, of frames: Int, cycles: Int, name: String? = nil) -> ModeReport {
        var mode = ModeReport(
            mode: .queued, name: name ?? "queued \(frames)", periodFrames: 64, sampleRate: 48000,
            nominalNanoseconds: Double(frames) / 48000 * 1e9)
        mode.bufferFrames.value = frames
        mode.bufferCount.value = buffers
        mode.format.value = "int16"
        fill(&mode, cycles: cycles, typicalNanoseconds: 420_000, seed: UInt64(frames))
        mode.latencyFrames.value = Double(buffers * frames) - 0.251
        mode.latencyErrorFrames.value = 0.02
        mode.declaredLatencyFrames = buffers * frames
        (mode.droppedFrames, mode.insertedFrames) = (0, 0)
        (mode.lost.xruns, mode.lost.xrunDelayNanoseconds) = (0, 0)
        return mode
    }

    private static let timer: BaselineReport = {
        var generator = SeededGenerator(seed: 77)
        let deviations = spread(7500, around: 5000, &generator)
        let nominal = 64 / 48000 * 1e9
        return BaselineReport(
            nominalNanoseconds: nominal, cycles: 7500,
            interval: distribution(deviations.map { Int64(nominal) + $0 }),
            deviation: distribution(deviations.map(abs)), lateness: distribution(deviations.map(abs)),
            scheduling: scheduling, deviationCurve: curve(deviations.map(abs)))
    }()

    private static func fill(
        _ mode: inout ModeReport, cycles: Int, typicalNanoseconds: Double, late: Int = 0, seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        let nominal = Int64(mode.nominalNanoseconds)
        var deviations = spread(max(0, cycles - 1), around: typicalNanoseconds, &generator)
            .map { max($0, -nominal * 9 / 10) }
        for number in 0..<late { deviations[(number + 1) * cycles / (late + 2)] = nominal * Int64(number + 1) }
        mode.cycles = UInt64(cycles)
        mode.interval = distribution(deviations.map { nominal + $0 })
        mode.deviation = distribution(deviations.map(abs))
        mode.signedDeviation = distribution(deviations)
        mode.callbackTime = distribution((0..<cycles).map { _ in Int64.random(in: 700...2600, using: &generator) })
        mode.load.mean = mode.callbackTime.mean / mode.nominalNanoseconds
        mode.load.maximum = Double(mode.callbackTime.maximum) / mode.nominalNanoseconds
        mode.cpuNanosecondsPerCallback.value = 31_400
        mode.contextSwitchesPerSecond.value = ContextSwitches(voluntary: 750.2, involuntary: 0.4)
        mode.deviationCurve = curve(deviations.map(abs))
        let width = max(1, deviations.count / 240)
        mode.series.stepNanoseconds = nominal * Int64(width)
        mode.series.steps = stride(from: 0, to: deviations.count, by: width).map { start in
            let part = deviations[start..<min(start + width, deviations.count)]
            return Series.Step(earliest: part.min() ?? 0, latest: part.max() ?? 0)
        }
        for (index, deviation) in deviations.enumerated() where deviation > nominal / 2 {
            mode.series.events.append(
                Series.Event(
                    nanoseconds: nominal * Int64(index), lateNanoseconds: deviation,
                    blame: Blame.allCases[mode.series.events.count % 4]))
        }
        mode.lost.longIntervals = UInt64(mode.series.events.count)
    }

    /// Deviations with a heavy tail, early about as often as late.
    private static func spread(
        _ count: Int, around typical: Double, _ generator: inout SeededGenerator
    ) -> [Int64] {
        (0..<count).map { _ in
            let rarity = Double.random(in: 0.0002...1, using: &generator)
            let size = typical * (1 / rarity).squareRoot() * Double.random(in: 0.3...1.4, using: &generator)
            return Int64(Bool.random(using: &generator) ? size : -size)
        }
    }

    static func distribution(_ values: [Int64]) -> Distribution {
        var result = Distribution()
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return result }
        func rank(_ percentile: Double) -> Int64 {
            sorted[min(sorted.count - 1, max(0, Int((percentile / 100 * Double(sorted.count)).rounded(.up)) - 1))]
        }
        let mean = sorted.reduce(0.0) { $0 + Double($1) } / Double(sorted.count)
        result.count = UInt64(sorted.count)
        result.minimum = first
        result.mean = mean
        result.standardDeviation =
            (sorted.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / Double(sorted.count)).squareRoot()
        (result.p50, result.p90, result.p99) = (rank(50), rank(90), rank(99))
        (result.p999, result.p9999, result.maximum) = (rank(99.9), rank(99.99), last)
        return result
    }

    static func curve(_ values: [Int64]) -> [CurvePoint] {
        let sorted = values.sorted()
        var points: [CurvePoint] = []
        var beyond = 1.0
        while !sorted.isEmpty && beyond * Double(sorted.count) > 0.5 {
            let count = max(1, min(sorted.count, Int(((1 - beyond) * Double(sorted.count)).rounded(.up))))
            points.append(
                CurvePoint(percentile: (1 - beyond) * 100, nanoseconds: sorted[count - 1], count: UInt64(count)))
            beyond *= 0.87
        }
        if let last = sorted.last {
            points.append(CurvePoint(percentile: 100, nanoseconds: last, count: UInt64(sorted.count)))
        }
        return points
    }

    static func blame(own: UInt64, upstream: UInt64, wakeup: UInt64, unknown: UInt64) -> BlameCount {
        var count = BlameCount()
        (count.own, count.upstream, count.wakeup, count.unknown) = (own, upstream, wakeup, unknown)
        return count
    }

    // MARK: - Extremes

    /// Cut short before anything was measured.
    static let nothing: Report = {
        var report = empty("iounit.compare/2")
        report.end = .interrupted
        report.seconds = 0
        report.modes = [callback(cycles: 0), queue(buffers: 2, of: 100, cycles: 0)]
        return report
    }()

    static let oneCycle: Report = {
        var report = empty()
        report.modes = [callback(cycles: 1)]
        return report
    }()

    /// Deviations from nothing to 100 seconds, and hundreds of late callbacks.
    static let extreme: Report = {
        var report = empty()
        var mode = callback(cycles: 0)
        let deviations = (0..<2000).map { (index: Int64) -> Int64 in index % 4 == 0 ? 0 : index * index * 25_000 }
        let nominal = Int64(mode.nominalNanoseconds)
        mode.cycles = 2001
        mode.interval = distribution(deviations.map { nominal + $0 })
        mode.deviation = distribution(deviations)
        mode.signedDeviation = mode.deviation
        mode.deviationCurve = curve(deviations)
        mode.lostRecords = 12
        mode.series.stepNanoseconds = 1_000_000_000
        mode.series.steps = (0..<400).map { step in
            step % 7 == 3
                ? nil
                : Series.Step(earliest: 0, latest: deviations[step * 5])
        }
        mode.series.events = (0..<600).map { index in
            Series.Event(
                nanoseconds: Int64(index) * 600_000_000, lateNanoseconds: Int64(index + 1) * 160_000_000,
                blame: Blame.allCases[index % 4])
        }
        report.seconds = 400
        report.end = .serverLost
        report.modes = [mode]
        return report
    }()

    /// Eight modes, one after the other.
    static let crowd: Report = {
        var report = empty("iounit.compare/2")
        report.isSequential.value = true
        report.modes =
            [callback(cycles: 2000)]
            + [64, 128, 256, 441, 882, 4410, 8820].map { queue(buffers: 3, of: $0, cycles: 2000 * 64 / $0) }
        report.baseline.value = timer
        return report
    }()

    static let hostileName = "<script>alert('a')</script>&\"\u{1b}[31m\u{202e}\u{7}]]>\n--><!--"

    /// With a name from outside wherever there is one.
    static let hostile: Report = {
        var report = compare
        report.server = ServerFacts(
            name: hostileName, backend: hostileName, sampleRate: 48000, periodFrames: 64, sync: nil, realtime: false)
        report.host = HostFacts(
            cpu: hostileName, cores: 2, kernel: hostileName, preemption: hostileName, governor: hostileName)
        report.scheduling.value?.policy = hostileName
        report.modes[0].name = hostileName
        report.modes[1].format.value = hostileName
        report.limits[2] = LimitResult(
            limit: hostileName, mode: hostileName, measured: 1, unit: hostileName, isMet: false)
        report.published[0] = PublishedFigure(
            name: hostileName, unit: hostileName, published: hostileName, measured: hostileName)
        report.verdict = hostileName
        return report
    }()

    /// Each by its name.
    static let all: [(name: String, report: Report)] = [
        ("jitter", jitter), ("compare", compare), ("nothing", nothing), ("oneCycle", oneCycle),
        ("extreme", extreme), ("crowd", crowd), ("hostile", hostile), ("empty", empty()),
    ]
}
