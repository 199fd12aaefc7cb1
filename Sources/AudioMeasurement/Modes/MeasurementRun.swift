import AudioFigures
import AudioIO
import Jack
import Synchronization
import SystemHealth
import Threads

/// A measurement of one or several modes at the same time on one server: set up, warmed up, begun, ended, reported.
///
/// Thread: control, one at a time.
public final class MeasurementRun: Sendable {
    /// What is to be measured.
    public struct Configuration: Sendable {
        /// Of every unit: server, channels, gain, drive, shape. Routes are none: a probe feeds the units, or nobody.
        public var unit = UnitConfiguration()
        /// Whether callback mode is measured.
        public var hasCallbackMode = true
        /// In the way of callback mode's sound, behind the shaper: nodes of as many channels as the unit. No engine has them yet.
        package var effects: [any Node] = []
        /// Each is measured as a mode of its own.
        public var queues: [QueueConfiguration] = []
        /// Feeds all units the same signal, and measures their latency.
        public var hasProbe = false
        /// Says who was late.
        public var hasBlame = false
        /// A timer thread beside it.
        public var hasBaseline = false
        /// Where every callback is written to.
        public var log: CycleWriter?

        /// Callback mode alone.
        public init() {}

        /// What a report calls the modes, in its order: unique, and as a log of cycles can have them.
        public var modeNames: [String] {
            var names: [String] = hasCallbackMode ? [ModeReport.Mode.callback.rawValue] : []
            for queue in queues {
                let name = "\(ModeReport.Mode.queued.rawValue) \(queue.bufferFrames)"
                let twins = names.count { $0 == name || $0.hasPrefix("\(name) (") }
                names.append(twins == 0 ? name : "\(name) (\(twins + 1))")
            }
            return names
        }
    }

    /// What it was made with.
    public let configuration: Configuration
    private let facts: ServerFacts
    private let modes: [MeasuredMode]
    private let run = Mutex(Run())

    /// What belongs to one run.
    private struct Run {
        var sentinel: Sentinel?
        var probe: LatencyProbe?
        var baseline: TimerBaseline?
        var startNanoseconds: UInt64 = 0
        var endNanoseconds: UInt64 = 0
        var baselineReport: BaselineReport?
        var findings: [LatencyFinding?] = []
        var probeFailure: String?
        /// In hertz, while these were found.
        var findingRate = 0
        /// What at the probe's ports kept its signal off, where something did.
        var obstacle: String?
        /// As the server was when the measurement began.
        var facts: ServerFacts?
        var scheduling: Scheduling?
    }

    /// Makes the units.
    ///
    /// - Parameter facts: of the server that the configuration names.
    /// - Throws: `invalidConfiguration`, also where a queue cannot work with the server's period, or is too long for the probe.
    public init(_ configuration: Configuration, on facts: ServerFacts) throws(UnitError) {
        try configuration.check(on: facts)
        self.configuration = configuration
        self.facts = facts
        var modes: [MeasuredMode] = []
        func unit(_ name: String) -> UnitConfiguration {
            var unit = configuration.unit
            unit.clientName = name
            unit.inputs = .none
            unit.outputs = .none
            return unit
        }
        func add(_ unit: any GraphUnit) {
            modes.append(
                MeasuredMode(
                    unit, name: names[modes.count], log: configuration.log, isJudged: configuration.hasBlame,
                    hasUpstream: configuration.hasProbe))
        }
        let names = configuration.modeNames
        if configuration.hasCallbackMode {
            add(try IOUnit(unit("iounit"), behindShaper: configuration.effects))
        }
        for (index, queue) in configuration.queues.enumerated() {
            let name = index == 0 ? "iounit-queue" : "iounit-queue-\(index + 1)"
            add(try QueuedUnit(unit(name), queue: queue))
        }
        self.modes = modes
    }

    deinit { leave() }

    /// Joins the graph. What is not measured yet is the warm-up.
    ///
    /// - Throws: `UnitError`, `JackError`.
    public func start() throws {
        if configuration.hasBlame {
            let sentinel = try Sentinel(clientName: "iounit-sentinel", server: configuration.unit.serverName)
            run.withLock { $0.sentinel = sentinel }
            sentinel.onCycles { [modes] records in
                for mode in modes { mode.add(sentinel: records) }
            }
        }
        for mode in modes { try mode.unit.start() }
        if configuration.hasProbe { try startProbe() }
        let scheduling = modes.first?.unit.connection?.scheduling
        run.withLock { $0.scheduling = scheduling }
    }

    /// Sends the same signal to the inputs of all units, and listens to the first output of each.
    private func startProbe() throws {
        // Twice as long as the longest way, or as the signal can be, so that none is taken for a shorter one.
        let probe = try LatencyProbe(
            through: "iounit-signal", inputs: modes.count, server: configuration.unit.serverName,
            signal: ProbeSignal(lengthFrames: 2 * configuration.longestDelayFrames(on: facts)))
        run.withLock { $0.probe = probe }
        for (index, mode) in modes.enumerated() {
            guard let connection = mode.unit.connection, let output = connection.outputs.first else { continue }
            // Every channel is rendered; one is heard.
            for input in connection.inputs { try probe.connectSend(to: input) }
            try probe.connectReturn(from: output, input: index)
        }
        probe.begin()
    }

    /// From now on everything counts.
    ///
    /// - Throws: `JackError` where the machine has no thread for the baseline.
    public func begin() throws {
        let facts = presentFacts
        let start = MeasuredMode.begin(modes, sampleRate: facts.sampleRate, periodFrames: facts.periodFrames)
        run.withLock { ($0.startNanoseconds, $0.facts) = (start, facts) }
        if configuration.hasBaseline {
            let baseline = try TimerBaseline(
                periodFrames: facts.periodFrames, sampleRate: facts.sampleRate,
                scheduling: modes.first?.unit.connection?.scheduling)
            run.withLock { $0.baseline = baseline }
        }
    }

    /// The server may have changed since it was asked, as during the warm-up.
    private var presentFacts: ServerFacts {
        var facts = facts
        if let connection = modes.first?.unit.connection {
            facts.sampleRate = connection.sampleRate
            facts.periodFrames = connection.periodFrames
        }
        return facts
    }

    /// Callbacks of the first mode that were measured so far.
    public var callbacks: UInt64 { modes.first?.callbacks ?? 0 }

    /// Cycles of JACK's that were measured so far: a queue's callbacks may be seconds apart, cycles are not.
    public var cycles: UInt64 { modes.first?.audioCycles ?? 0 }

    /// Cycles of JACK's since the first mode joined the graph, those of the warm-up included.
    package var cyclesSinceStart: UInt64 { modes.first?.unit.statistics.cycles ?? 0 }

    /// What is known of each mode so far, in the report's order: for a live view. Not to be asked more often than some
    /// times a second: each time is a pass over a histogram for each mode, in which its worker may have to wait.
    public func look() -> [LiveFigures] { modes.map { $0.look() } }

    /// How often the first mode was late so far.
    package var lateness: UnitLateness { modes.first?.unit.lateness ?? .none }

    /// Whether the server of any mode went away.
    public var hasLostServer: Bool { modes.contains { $0.unit.hasLostServer } }

    /// Whether the server runs as fast as it can, or has since the beginning: no interval tells of real time then.
    public var hasFreewheeled: Bool { modes.contains(where: \.hasFreewheeled) }

    /// From now on nothing counts. Calling it again does nothing.
    public func end() {
        let end = MeasuredMode.end(modes)
        let (baseline, probe) = run.withLock { run in
            run.endNanoseconds = end
            defer { run.baseline = nil }
            return (run.baseline, run.probe)
        }
        if let baseline {
            baseline.stop()
            let report = baseline.report
            run.withLock { $0.baselineReport = report }
        }
        if let probe { noteFindings(of: probe) }
    }

    private func noteFindings(of probe: LatencyProbe) {
        probe.end()
        let findings = modes.indices.map { probe.finding(input: $0) }
        let rate = probe.sampleRate
        let contested = probe.isContested ? probe.foreignConnections.max { $0.times < $1.times } : nil
        let obstacle =
            contested.map {
                "another client connects \($0.other) with \($0.port) again and again; exclude the probe's ports in the "
                    + "session manager or the patchbay"
            } ?? probe.lostConnections.first.map { "\($0) was taken away meanwhile; leave it, and measure again" }
        run.withLock { ($0.findings, $0.findingRate, $0.obstacle) = (findings, rate, obstacle) }
    }

    /// Why the latency of a mode is not known though it was listened for: a sentence without its full stop for each such mode.
    public var unknownLatencies: [String] {
        let run = run.withLock { $0 }
        if let failure = run.probeFailure { return modes.map { "the latency of \($0.name) is not known: \(failure)" } }
        return zip(modes, run.findings).compactMap { mode, finding in
            guard let reason = reason(finding, run.obstacle) else { return nil }
            return "the latency of \(mode.name) is not known: \(reason)"
        }
    }

    private func reason(_ finding: LatencyFinding?, _ obstacle: String?) -> String? {
        switch finding {
        case .measured: nil
        case .absent: "nothing of the signal was heard"
        case .ambiguous: "the signal was heard on several paths of about the same strength"
        case .moving(let frames):
            "it moved between \(Int(frames.lowerBound)) and \(Int(frames.upperBound.rounded(.up))) frames"
        case nil:
            obstacle
                ?? "fewer than two rounds of the signal were heard\(configuration.hasProbe ? "; let it run longer" : "")"
        }
    }

    /// Measures the latency after the end, so that the probe does not disturb what was measured before. Listens for three
    /// rounds of its signal, at most for the time of five, or for 3 s where that is longer.
    ///
    /// - Throws: `JackError`.
    public func measureLatencyAfterwards() throws {
        guard !configuration.hasProbe, !hasLostServer else { return }
        do { try startProbe() } catch {
            run.withLock { $0.probeFailure = "\(error)" }
            throw error
        }
        guard let probe = run.withLock({ $0.probe }) else { return }
        let roundSeconds = Double(probe.signal.lengthFrames) / Double(max(1, probe.sampleRate))
        let deadline = MonotonicClock.nanoseconds() + UInt64(max(3, 5 * roundSeconds) * 1e9)
        while probe.rounds() < 3 && !probe.isContested && !hasLostServer && MonotonicClock.nanoseconds() < deadline {
            MonotonicClock.sleep(milliseconds: 5)
        }
        noteFindings(of: probe)
        run.withLock { $0.probe = nil }
        probe.stop()
    }

    /// Leaves the graph. Calling it again does nothing.
    public func leave() {
        let (probe, sentinel, baseline) = run.withLock { run in
            defer {
                run.probe = nil
                run.sentinel = nil
                run.baseline = nil
            }
            return (run.probe, run.sentinel, run.baseline)
        }
        baseline?.stop()
        probe?.stop()
        for mode in modes { mode.unit.stop() }
        for effect in configuration.effects { effect.core.driver.end() }
        sentinel?.stop()
    }

    /// What was measured between `begin` and `end`.
    public func report(schema: String) -> Report {
        let run = run.withLock { $0 }
        var report = Report(
            schema: schema, server: run.facts ?? presentFacts, host: HostFacts.current())
        report.scheduling = Nullable(run.scheduling.map(SchedulingFacts.init))
        let (start, end) = (run.startNanoseconds, run.endNanoseconds)
        report.seconds = end > start ? Double(end - start) / 1e9 : 0
        report.baseline = Nullable(run.baselineReport)
        for (index, mode) in modes.enumerated() {
            guard var figures = mode.report else { continue }
            if run.findings.indices.contains(index), let latency = run.findings[index]?.estimate {
                figures.latencyFrames = Nullable(latency.frames)
                figures.latencyErrorFrames = Nullable(latency.errorFrames)
                figures.latencySampleRate = Nullable(run.findingRate)
            }
            report.modes.append(figures)
        }
        return report
    }
}
