import AudioRealtime
import Jack
import Synchronization
import Threads

/// The engine's worker: looks after the unit while there is a server, and for a server while there is none.
///
/// An object of its own, so that its thread does not hold the engine.
final class Supervisor: Sendable {
    /// How often it looks whether the server stands still.
    private static let paceMilliseconds = 50
    /// How long it waits after a start that failed though the server answered.
    private static let retryMilliseconds = 200
    /// How long it waits for a first cycle: a jackd to which many clients come at once may forget to run one of them.
    private static let firstCycleNanoseconds: UInt64 = 2_000_000_000
    /// How often it looks whether a server that waits for us is still there.
    private static let serverCheckMilliseconds = 1000

    let life = EngineLife()
    let resets = Atomic<Int>(0)
    private let unit: any GraphUnit
    private let policy: ReconnectPolicy
    private let wakePipe: WakePipe
    private let limpWatch = Mutex(LimpWatch())
    /// Held while the unit and the state change together, so that neither is another call's; not while a listener is called.
    private let turn = Mutex(())
    private let isStopping = Atomic<Bool>(false)
    /// Whether the unit was started again from within the worker's own run.
    private let isStartedAgain = Atomic<Bool>(false)
    private let hasConsent = Atomic<Bool>(false)
    private let isFreewheeling = Atomic<Bool>(false)
    /// Whether it was asked to leave the graph for a while, and whether it has.
    private let isSuspended = Atomic<Bool>(false)
    private let hasWithdrawn = Atomic<Bool>(false)

    init(_ unit: any GraphUnit, _ policy: ReconnectPolicy) throws(JackError) {
        self.unit = unit
        self.policy = policy
        do throws(ResourceError) {
            wakePipe = try WakePipe()
        } catch {
            throw JackError(error)
        }
    }

    private var log: EventLog { life.log }
}

// Calls of the engine.
extension Supervisor {
    func start() throws(UnitError) {
        defer { log.deliver() }
        try turn.withLock { _ throws(UnitError) in
            var rehearsal = life.copy
            try rehearsal.start()
            isFreewheeling.store(false, ordering: .relaxed)
            isStopping.store(false, ordering: .relaxed)
            isSuspended.store(false, ordering: .relaxed)
            unit.client.controlSide.listen { [weak self] in self?.note($0) }
            try unit.start()
            try life.note { life throws(UnitError) in try life.start() }
        }
    }

    /// The return of the server is welcome.
    func permit() {
        hasConsent.store(true, ordering: .relaxed)
        wakePipe.wake()
    }

    func suspend(within seconds: Double) -> Bool {
        switch life.state {
        case .running, .paused, .freewheeling, .interrupted(.serverFrozen): break
        // No client is open, nor is it worth while to open one.
        default: return true
        }
        isSuspended.store(true, ordering: .relaxed)
        wakePipe.wake()
        let deadline = MonotonicClock.nanoseconds() + UInt64(min(max(0, seconds), 1e9) * 1e9)
        while !hasWithdrawn.load(ordering: .acquiring) {
            guard MonotonicClock.nanoseconds() < deadline else { return false }
            MonotonicClock.sleep(milliseconds: 2)
        }
        return true
    }

    func endSuspension() {
        isSuspended.store(false, ordering: .relaxed)
        wakePipe.wake()
    }

    /// Has the worker end.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
        wakePipe.wake()
    }

    func fail(_ error: UnitError) { leave { $0.fail(error) } }

    /// When the worker has ended: for good, or so that it can be started again.
    func leave(isFinal: Bool) {
        leave { life in
            if let error = unit.client.pendingClose { return life.fail(.jack(error)) }
            isFinal ? life.close() : life.stop()
        }
    }

    private func leave(_ change: (inout LifeCycle) -> Void) {
        defer { log.deliver() }
        turn.withLock { _ in
            // The worker of a start that came in between is to end as well.
            stop()
            unit.stop()
            unit.client.graph.setPause(false)
            try? life.note(change)
        }
    }

    /// Thread: notification.
    private func note(_ notification: Notification) {
        switch notification {
        case .freewheel(let isOn): isFreewheeling.store(isOn, ordering: .relaxed)
        case .shutdown, .periodChanged, .sampleRateChanged, .portRegistered, .portUnregistered, .portsConnected,
            .portsDisconnected:
            break
        default: return
        }
        wakePipe.wake()
    }
}

// The worker's whole life.
extension Supervisor {
    func run() {
        repeat {
            while attend() && rejoin() {}
        } while isStartedAgain.exchange(false, ordering: .relaxed) && life.isAlive
            && !isStopping.load(ordering: .relaxed)
    }

    /// Called on the worker itself, in place of another one: it is to look after the unit that was started just now.
    func goOn() { isStartedAgain.store(true, ordering: .relaxed) }

    /// Looks after the unit until the server is gone; returns whether there is something to wait for.
    private func attend() -> Bool {
        var standstill = Standstill(paceMilliseconds: Self.paceMilliseconds)
        var period = unit.periodFrames
        var firstCycles = unit.cycles
        limpWatch.withLock { $0.begin() }
        while !isStopping.load(ordering: .relaxed) {
            wakePipe.wait(milliseconds: Self.paceMilliseconds)
            guard !unit.hasLostServer else { return lose() }
            if isSuspended.load(ordering: .relaxed) {
                guard hasLeft() else { return false }
                guard sitOut() else { return isStopping.load(ordering: .relaxed) ? false : lose() }
                standstill = Standstill(paceMilliseconds: Self.paceMilliseconds)
                firstCycles = unit.cycles
                limpWatch.withLock { $0.begin() }
            }
            standstill.update(cycles: unit.cycles, atNanoseconds: MonotonicClock.nanoseconds())
            if unit.cycles == firstCycles, standstill.nanoseconds > Self.firstCycleNanoseconds, isForgotten {
                log.add(.trouble("the server runs no cycle of ours since we joined it, so we join once more"))
                hasConsent.store(true, ordering: .relaxed)
                return hasLeft()
            }
            if isLimping {
                log.add(.trouble("each cycle of the server takes more than ten periods, so we join once more"))
                hasConsent.store(true, ordering: .relaxed)
                return hasLeft()
            }
            let isFrozen = standstill.isStanding(periodSeconds: unit.periodSeconds)
            try? life.change { life in
                life.set(.serverFrozen, isFrozen)
                life.setFreewheeling(isFreewheeling.load(ordering: .relaxed))
            }
            if period != unit.periodFrames, !unit.hasLostServer {
                period = unit.periodFrames
                log.add(.periodChanged(frames: period))
            }
            // A server that stands still would have us wait for it.
            guard !isFrozen else { continue }
            // The unit has taken a new sample rate over already.
            for news in unit.client.graph.news(of: unit.client.controlSide.telemetry.takeNewRates()) { log.add(news) }
            if let news = unit.client.graph.runawayNews { log.add(news) }
            for news in unit.client.reconnect() { log.add(news) }
        }
        return false
    }

    /// Waits for the end of a suspension out of the graph, and joins it again; returns whether that came to pass.
    private func sitOut() -> Bool {
        try? life.change { $0.set(.suspended, true) }
        hasWithdrawn.store(true, ordering: .releasing)
        while isSuspended.load(ordering: .relaxed) && !isStopping.load(ordering: .relaxed) {
            wakePipe.wait(milliseconds: Self.serverCheckMilliseconds)
        }
        hasWithdrawn.store(false, ordering: .relaxed)
        guard !isStopping.load(ordering: .relaxed) else { return false }
        do throws(UnitError) {
            try join(.afterSuspension)
            return true
        } catch {
            log.add(.trouble(error.description))
            try? life.change { $0.set(.suspended, false) }
            return false
        }
    }

    /// Whether the server is well, though it does not run us.
    private var isForgotten: Bool {
        !LibJack.isPipeWire && ServerArrival(server: unit.client.configuration.serverName).knock == .answered
    }

    /// Whether the server waits for a client in each cycle.
    private var isLimping: Bool {
        guard !LibJack.isPipeWire, !isFreewheeling.load(ordering: .relaxed) else { return false }
        return limpWatch.withLock { watch in
            watch.isLimping(
                cycles: unit.cycles, periodSeconds: unit.periodSeconds, atNanoseconds: MonotonicClock.nanoseconds()
            ) { unit.recentCycles }
        }
    }

    /// Leaves what is no more; returns whether it is to be waited for.
    private func lose() -> Bool {
        log.add(.serverLost(reason: unit.lostServerReason))
        limpWatch.withLock { $0.forgive() }
        guard policy.consent != .never else {
            giveUp("the server is gone; start it again")
            return false
        }
        hasConsent.store(policy.consent == .automatic, ordering: .relaxed)
        try? life.change { $0.set(.serverGone, true) }
        return hasLeft()
    }

    /// Closes the client. Where libjack does not come back from that, there is nothing to wait for: no client can be
    /// opened in this process.
    private func hasLeft() -> Bool {
        unit.stop()
        guard let error = unit.client.pendingClose else { return true }
        fail(.jack(error))
        return false
    }

    /// Waits for a server and joins it; returns whether that came to pass.
    private func rejoin() -> Bool {
        let arrival = ServerArrival(server: unit.client.configuration.serverName)
        let deadline = policy.limitSeconds.map { MonotonicClock.nanoseconds() + UInt64(min(max(0, $0), 1e9) * 1e9) }
        var isThere = false
        var lastTrouble = ""
        while !isStopping.load(ordering: .relaxed) {
            let knock = arrival.knock
            let answers = knock == .answered
            // Consent is to the server that has been there, and not to the next one.
            if knock == .absent { hasConsent.store(policy.consent == .automatic, ordering: .relaxed) }
            if answers != isThere {
                isThere = answers
                if answers { log.add(.serverAnswers) }
                try? life.change { $0.set(.awaitingConsent, answers && !hasConsent.load(ordering: .relaxed)) }
            }
            let now = MonotonicClock.nanoseconds()
            if answers && LibJack.hasClientsOfLostServer(server: unit.client.configuration.serverName) {
                // Another engine of this process is about to leave it.
                wakePipe.wait(milliseconds: Self.paceMilliseconds)
            } else if answers && hasConsent.load(ordering: .relaxed) {
                do {
                    try join()
                    return true
                } catch {
                    // A server that answers and does not let us in may do so for long: once is enough to be told.
                    if error.description != lastTrouble { log.add(.trouble(error.description)) }
                    lastTrouble = error.description
                    wakePipe.wait(milliseconds: Self.retryMilliseconds)
                }
            } else if answers {
                wakePipe.wait(milliseconds: Self.serverCheckMilliseconds)
            } else if let deadline, now >= deadline {
                giveUp("the server did not come back in time; start it and run this again")
                return false
            } else {
                let rest = deadline.map { Int(clamping: ($0 - now) / 1_000_000 + 1) }
                arrival.wait(wakePipe, atMost: rest ?? Int.max)
            }
        }
        return false
    }

    private func join(_ wiring: Wiring = .asBefore) throws(UnitError) {
        isFreewheeling.store(false, ordering: .relaxed)
        try unit.start(wiring)
        guard let connection = unit.connection else { return }
        if case .asBefore = wiring { resets.add(1, ordering: .relaxed) }
        unit.client.announceMissing()
        log.add(.rejoined(connection))
        try? life.change { $0.endInterruptions() }
    }

    private func giveUp(_ reason: String) { fail(.jack(JackError(.serverGone, "go on", reason))) }
}
