import AudioRealtime
import Glibc
import Jack
import Synchronization
import Threads

/// Injects stalls into a private server's graph, and records what comes of them.
///
/// A sentinel, a client before ours, and a measured client that stands for a unit: it notes its cycles with the same
/// code, and can be told to be late, which a unit cannot.
struct CalibrationRun {
    private let server: Server
    private let sentinel: Sentinel
    private let upstream: StallInjector
    private let own: StallInjector
    private let ownLog = RecordLog()
    private let sentinelLog = RecordLog()
    fileprivate let periodNanoseconds: Double
    private static let patienceNanoseconds: UInt64 = 20_000_000_000

    private final class RecordLog: Sendable {
        let records = Mutex<[CycleRecord]>([])

        func add(_ batch: [CycleRecord]) { records.withLock { $0 += batch } }
    }

    init(_ configuration: ServerConfiguration) throws(JackError) {
        let period = Double(configuration.periodFrames) / Double(configuration.sampleRate) * 1e9
        // Longer stalls would come near to what the kernel lets a real-time thread run, and JACK wait for a client.
        guard period <= 50e6 else {
            throw JackError(.invalidRequest, "calibrate", "a period may be 50 ms long; choose a shorter one")
        }
        periodNanoseconds = period
        server = try Server(configuration)
        sentinel = try Sentinel(clientName: "sentinel", server: server.name)
        upstream = try StallInjector(clientName: "upstream", server: server.name)
        own = try StallInjector(clientName: "own", server: server.name)
        try own.client.connect("upstream:out", to: "own:in")
        own.client.onCycles { [ownLog] in ownLog.add($0) }
        sentinel.onCycles { [sentinelLog] in sentinelLog.add($0) }
    }

    /// Carries the plan out. Thread: control.
    ///
    /// - Parameter isWanted: asked before each stall; the rest is left out once it says no.
    /// - Throws: `serverGone` where the server does not run the graph.
    func inject(_ plan: CalibrationPlan, while isWanted: () -> Bool) throws(JackError) -> CalibrationLog {
        try waitForCycles(CalibrationPlan.quietPeriods)
        var injections: [Injection] = []
        for step in plan.steps where isWanted() {
            MonotonicClock.sleep(until: MonotonicClock.nanoseconds() + step.pauseNanoseconds)
            injections.append(Injection(stall: try stall(step), cause: step.cause))
        }
        try waitForCycles(CalibrationPlan.quietPeriods)
        own.client.stop()
        sentinel.stop()
        upstream.client.stop()
        server.stop()
        var log = CalibrationLog(
            sampleRate: server.configuration.sampleRate, periodFrames: server.configuration.periodFrames)
        log.own = ownLog.records.withLock { $0 }
        log.sentinel = sentinelLog.records.withLock { $0 }
        log.injections = injections.filter { !log.cutsCycle($0) }
        return log
    }

    private func stall(_ step: CalibrationPlan.Step) throws(JackError) -> Stall {
        switch step.cause {
        case .own: return try stall(own, step)
        case .upstream: return try stall(upstream, step)
        case .wakeup, .unknown:
            MonotonicClock.sleep(until: nextPauseBetweenCycles)
            server.signal(SIGSTOP)
            defer { server.signal(SIGCONT) }
            // On a busy machine the kernel stops it milliseconds later, and not at all where SIGCONT comes first. So the
            // stall is the time for which it surely stood still.
            try wait { hasServerStopped }
            let begin = MonotonicClock.nanoseconds()
            MonotonicClock.sleep(until: begin + step.stallNanoseconds)
            return Stall(beginNanoseconds: begin, endNanoseconds: MonotonicClock.nanoseconds())
        }
    }

    /// Whether the kernel reports that all of the server's threads have stopped, once for each stop.
    private var hasServerStopped: Bool {
        // Where nothing is reported, the call succeeds too, and names no signal.
        var report = unsafe siginfo_t()
        let result = unsafe waitid(P_PID, id_t(server.processIdentifier), &report, WSTOPPED | WNOHANG)
        return unsafe result == 0 && report.si_signo == SIGCHLD
    }

    /// In the middle of a period, when the server is not waking its clients; see `CalibrationLog.cutsCycle`.
    private var nextPauseBetweenCycles: UInt64 {
        guard let last = ownLog.records.withLock({ $0.last }) else { return MonotonicClock.nanoseconds() }
        // Asked after the record was taken, so that it cannot be earlier than that.
        let now = MonotonicClock.nanoseconds()
        let periods = (Double(now - last.entryNanoseconds) / periodNanoseconds).rounded(.down) + 1.5
        return last.entryNanoseconds + UInt64(periods * periodNanoseconds)
    }

    private func stall(_ injector: StallInjector, _ step: CalibrationPlan.Step) throws(JackError) -> Stall {
        injector.stall(nanoseconds: step.stallNanoseconds)
        var done: Stall?
        try wait {
            done = injector.lastStall
            return done != nil
        }
        return done ?? Stall(beginNanoseconds: 0, endNanoseconds: 0)
    }

    /// Waits until so many more cycles of both clients are recorded.
    private func waitForCycles(_ count: Int) throws(JackError) {
        let logs = [ownLog, sentinelLog]
        let goals = logs.map { $0.records.withLock { $0.count } + count }
        try wait { zip(logs, goals).allSatisfy { log, goal in log.records.withLock { $0.count } >= goal } }
    }

    private func wait(_ hasHappened: () -> Bool) throws(JackError) {
        let deadline = MonotonicClock.nanoseconds() + Self.patienceNanoseconds
        while !hasHappened() {
            guard !own.client.hasLostServer, MonotonicClock.nanoseconds() < deadline else {
                throw JackError(
                    .serverGone, "calibrate",
                    "the private server runs the graph no more; it said: "
                        + server.log.suffix(3).joined(separator: " / "))
            }
            MonotonicClock.sleep(milliseconds: 1)
        }
    }
}

extension Calibration {
    /// Starts a private server, injects stalls into our own callback, into a client before us and into the server,
    /// and compares what is found of them. Thread: control.
    ///
    /// - Parameters:
    ///   - stalls: of each of the three kinds, 0 to 10000.
    ///   - seed: of their lengths, pauses and order.
    ///   - isWanted: asked before each stall; the rest is left out once it says no.
    /// - Throws: as `Server` and `Client`; `invalidRequest` where the period is longer than 50 ms, or for another number of stalls.
    public init(
        on configuration: ServerConfiguration, stalls: Int = 10, seed: UInt64 = 1,
        while isWanted: () -> Bool = { true }
    ) throws(JackError) {
        guard (0...10_000).contains(stalls) else {
            throw JackError(.invalidRequest, "calibrate", "use 0 to 10000 stalls of each kind, not \(stalls)")
        }
        let run = try CalibrationRun(configuration)
        let plan = CalibrationPlan(stalls: stalls, periodNanoseconds: run.periodNanoseconds, seed: seed)
        self.init(try run.inject(plan, while: isWanted))
    }
}
