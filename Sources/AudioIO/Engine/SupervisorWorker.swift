import AudioRealtime
import Jack
import Threads

// The worker's whole life: it looks after the unit while there is a server, and for a server while there is none.
extension Supervisor {
    /// How often it looks whether the server stands still.
    private static let paceMilliseconds = 50
    /// How long it waits after a start that failed though the server answered.
    private static let retryMilliseconds = 200
    /// How long it waits for a first cycle: a jackd to which many clients come at once may forget to run one of them.
    private static let firstCycleNanoseconds: UInt64 = 2_000_000_000
    /// How often it looks whether a server that waits for us is still there.
    private static let serverCheckMilliseconds = 1000
    /// How long another client of this process may stay open on a lost server before the log reports it, and how long a server may
    /// refuse us when our time to come back is over.
    private static let heldNanoseconds: UInt64 = 2_000_000_000
    private static let heldReason = "another client of this process is still open on the server that is gone"

    func lookAfter(_ run: SupervisedRun) { while attend(run) && rejoin(run) {} }

    private func change(_ run: SupervisedRun, _ body: (inout LifeCycle) -> Void) {
        perform(run) { try? life.note(body) }
    }

    /// Looks after the unit until the server is gone; returns whether there is something to wait for.
    private func attend(_ run: SupervisedRun) -> Bool {
        var standstill = Standstill(paceMilliseconds: Self.paceMilliseconds)
        var period = unit.periodFrames
        var firstCycles = unit.cycles
        limpWatch.withLock { $0.begin() }
        while !run.isOver.load(ordering: .relaxed) {
            wakePipe.wait(milliseconds: Self.paceMilliseconds)
            guard !unit.hasLostServer else { return lose(run) }
            if run.isSuspended.load(ordering: .relaxed) {
                guard hasLeft(run) else { return false }
                switch sitOut(run) {
                case .joined: break
                case .over: return false
                case .replaced: return lose(run)
                case .refused:
                    // A busy server may let us in soon; that it has gone is found out there.
                    run.hasConsent.store(true, ordering: .relaxed)
                    return true
                }
                standstill = Standstill(paceMilliseconds: Self.paceMilliseconds)
                firstCycles = unit.cycles
                limpWatch.withLock { $0.begin() }
            }
            // A freewheeling server may wait for a worker of ours. Asked before the cycles are: when the wait is over, they go on.
            let isWaiting = unit.client.isWaitingForWorkers
            standstill.update(cycles: unit.cycles, atNanoseconds: MonotonicClock.nanoseconds())
            if unit.cycles == firstCycles, standstill.nanoseconds > Self.firstCycleNanoseconds, isForgotten {
                log.add(.trouble("the server runs no cycle of ours since we joined it, so we join once more"))
                run.hasConsent.store(true, ordering: .relaxed)
                return hasLeft(run)
            }
            if isLimping(run) {
                log.add(.trouble("each cycle of the server takes more than ten periods, so we join once more"))
                run.hasConsent.store(true, ordering: .relaxed)
                return hasLeft(run)
            }
            let isStanding = standstill.isStanding(periodSeconds: unit.periodSeconds)
            perform(run) {
                followFreewheeling(run)
                try? life.note { $0.set(.serverFrozen, isStanding && !isWaiting) }
            }
            // 0 where the engine was stopped meanwhile.
            let present = unit.periodFrames
            if present > 0, present != period, !unit.hasLostServer {
                period = present
                log.add(.periodChanged(frames: period))
            }
            // A server that stands still would have us wait for it.
            guard !isStanding else { continue }
            // The unit has taken a new sample rate over already.
            for news in unit.client.graph.news(of: unit.client.controlSide.telemetry.takeNewRates()) { log.add(news) }
            if let news = unit.client.graph.runawayNews { log.add(news) }
            for news in unit.client.reconnect() { log.add(news) }
        }
        return false
    }

    /// What became of us at the end of a suspension.
    private enum Return {
        case joined, refused, over
        /// Another server is in the place of the one that we left.
        case replaced
    }

    /// Waits for the end of a suspension out of the graph, and joins it again.
    private func sitOut(_ run: SupervisedRun) -> Return {
        let server = unit.client.configuration.serverName
        let left = LibJack.identity(ofServer: server)
        change(run) { $0.set(.suspended, true) }
        run.hasWithdrawn.store(true, ordering: .releasing)
        while !run.isOver.load(ordering: .relaxed) {
            if run.isSuspended.load(ordering: .relaxed) {
                wakePipe.wait(milliseconds: Self.serverCheckMilliseconds)
                continue
            }
            run.hasWithdrawn.store(false, ordering: .relaxed)
            if let left, let present = LibJack.identity(ofServer: server), present != left {
                change(run) { $0.set(.suspended, false) }
                return .replaced
            }
            do throws(UnitError) {
                if try join(run, .afterSuspension) { return .joined }
            } catch {
                change(run) { $0.set(.suspended, false) }
                return .refused
            }
        }
        run.hasWithdrawn.store(false, ordering: .relaxed)
        return .over
    }

    /// Whether the server is well, though it does not run us.
    private var isForgotten: Bool {
        !LibJack.isPipeWire && ServerArrival(server: unit.client.configuration.serverName).knock == .answered
    }

    /// Whether the server waits for a client in each cycle.
    private func isLimping(_ run: SupervisedRun) -> Bool {
        guard !LibJack.isPipeWire, !run.isFreewheeling.load(ordering: .relaxed) else { return false }
        return limpWatch.withLock { watch in
            watch.isLimping(
                cycles: unit.cycles, periodSeconds: unit.periodSeconds, atNanoseconds: MonotonicClock.nanoseconds()
            ) { unit.recentCycles }
        }
    }

    /// Leaves a server that is gone. Returns whether to wait until it comes back.
    private func lose(_ run: SupervisedRun) -> Bool {
        log.add(.serverLost(reason: unit.lostServerReason))
        limpWatch.withLock { $0.forgive() }
        guard policy.consent != .never else {
            giveUp(run, "the server is gone; start it again")
            return false
        }
        run.hasConsent.store(policy.consent == .automatic, ordering: .relaxed)
        change(run) { $0.set(.serverGone, true) }
        return hasLeft(run)
    }

    /// Closes the client; returns whether that came to pass. Where libjack does not come back from that, there is nothing to wait
    /// for: no client can be opened in this process.
    private func hasLeft(_ run: SupervisedRun) -> Bool {
        var hasLeft = false
        perform(run) {
            unit.stop()
            let error = unit.client.pendingClose
            if let error { end { $0.fail(.jack(error)) } }
            hasLeft = error == nil
        }
        return hasLeft
    }

    /// Whether the server went away. It has not where we left one that does not run us as it should.
    private var hasLost: Bool { life.copy.isInterrupted(by: .serverGone) }

    /// Waits for a server and joins it; returns whether that came to pass.
    private func rejoin(_ run: SupervisedRun) -> Bool {
        let arrival = ServerArrival(server: unit.client.configuration.serverName)
        let deadline = policy.limitSeconds.map { MonotonicClock.nanoseconds() + UInt64(min(max(0, $0), 1e9) * 1e9) }
        var isThere = false
        var lastTrouble = ""
        /// Since when another client of this process keeps us out. `.max` after the log has reported it.
        var heldSince: UInt64?
        /// Since when the server, which answers, refuses us.
        var refusedSince: UInt64?
        while !run.isOver.load(ordering: .relaxed) {
            let knock = arrival.knock
            let answers = knock == .answered
            let wasLost = hasLost
            if knock == .absent {
                // The server ended while we rejoined it.
                guard wasLost || lose(run) else { return false }
                // Consent is to the server that has been there, and not to the next one.
                run.hasConsent.store(policy.consent == .automatic, ordering: .relaxed)
                refusedSince = nil
            }
            if answers != isThere {
                isThere = answers
                if answers && hasLost { log.add(.serverAnswers) }
                // Also the next one may go away, before it has let us in.
                if knock == .absent && wasLost { log.add(.serverLost(reason: "")) }
                change(run) { $0.set(.awaitingConsent, answers && !run.hasConsent.load(ordering: .relaxed)) }
            }
            let now = MonotonicClock.nanoseconds()
            if answers && LibJack.hasClientsOfLostServer(server: unit.client.configuration.serverName) {
                if let reason = LibJack.unclosableClient {
                    log.add(.trouble(reason))
                    giveUp(run, reason, .unresponsive)
                    return false
                }
                // Usually another engine of this process that is about to close its client.
                let since = heldSince ?? now
                if since <= now, now - since > Self.heldNanoseconds {
                    log.add(.trouble("\(Self.heldReason), so we wait until it is closed"))
                    heldSince = .max
                } else {
                    heldSince = since
                }
                guard deadline.map({ now < $0 }) ?? true else {
                    giveUp(run, "\(Self.heldReason); close it and run this again", .refused)
                    return false
                }
                wakePipe.wait(milliseconds: Self.paceMilliseconds)
            } else if answers && run.hasConsent.load(ordering: .relaxed) && !run.isSuspended.load(ordering: .relaxed) {
                do {
                    if try join(run, hasLost ? .asBefore : .afterSuspension) { return true }
                } catch {
                    // A server that answers and does not let us in may do so for long: once is enough to be told.
                    if error.description != lastTrouble { log.add(.trouble(error.description)) }
                    lastTrouble = error.description
                    // It is not that nobody lets the sound go on.
                    change(run) { $0.set(.awaitingConsent, false) }
                    let now = MonotonicClock.nanoseconds()
                    let since = refusedSince ?? now
                    refusedSince = since
                    // One that we left because it did not run us as it should: it is lost to us.
                    if !hasLost, now - since >= Self.heldNanoseconds {
                        guard policy.consent != .never else {
                            giveUp(run, "the server does not let us in again: \(lastTrouble)", .refused)
                            return false
                        }
                        change(run) { $0.set(.serverGone, true) }
                    }
                    // Consent may come late: one refusal alone is no reason.
                    guard deadline.map({ now < $0 || now - since < Self.heldNanoseconds }) ?? true else {
                        giveUp(run, "the server is back, and could not be joined in time: \(lastTrouble)", .refused)
                        return false
                    }
                    wakePipe.wait(milliseconds: Self.retryMilliseconds)
                }
            } else if answers {
                wakePipe.wait(milliseconds: Self.serverCheckMilliseconds)
            } else if let deadline, now >= deadline {
                giveUp(run, "the server did not come back in time; start it and run this again")
                return false
            } else {
                let rest = deadline.map { Int(clamping: ($0 - now) / 1_000_000 + 1) }
                arrival.wait(wakePipe, atMost: rest ?? Int.max)
            }
        }
        return false
    }

    /// Returns whether it did: not where the engine is suspended meanwhile, or its run is over.
    private func join(_ run: SupervisedRun, _ wiring: Wiring) throws(UnitError) -> Bool {
        var hasJoined = false
        try perform(run) { () throws(UnitError) in
            guard !run.isSuspended.load(ordering: .relaxed) else { return }
            run.isFreewheeling.store(false, ordering: .relaxed)
            run.toldFreewheelings.store(run.freewheelings.load(ordering: .relaxed), ordering: .relaxed)
            try unit.start(wiring)
            hasJoined = true
            guard let connection = unit.connection else { return }
            if case .asBefore = wiring { resets.add(1, ordering: .relaxed) }
            unit.client.announceMissing()
            log.note(.rejoined(connection))
            try? life.note { $0.endInterruptions() }
        }
        return hasJoined
    }

    /// - Parameter kind: another one where there is a server, and it does not have us.
    private func giveUp(_ run: SupervisedRun, _ reason: String, _ kind: JackError.Kind = .serverGone) {
        perform(run) { end { $0.fail(.jack(JackError(kind, "go on", reason))) } }
    }
}
