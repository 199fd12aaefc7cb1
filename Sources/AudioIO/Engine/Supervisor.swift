import Jack
import Synchronization
import Threads

/// Starts and stops an engine's unit, and has a worker look after it while there is a server, and for a server while there is
/// none.
///
/// An object of its own, so that the worker does not hold the engine.
final class Supervisor: Sendable {
    let life = EngineLife()
    let resets = Atomic<Int>(0)
    /// Whether the last run ended in a pause.
    let endedInPause = Atomic<Bool>(false)
    let unit: any GraphUnit
    let policy: ReconnectPolicy
    /// Where two workers wait, one that is about to end among them, either may be woken; the other looks within a second.
    let wakePipe: WakePipe
    let limpWatch = Mutex(LimpWatch())
    /// Held while the unit and the state change together: each call acts on what the one before has left. Not held while a
    /// listener is called, nor while a worker is waited for: both may call the engine.
    private let turn = Mutex(())
    /// The present run, or the last one. Changed by who has the turn.
    private let present = Mutex<SupervisedRun?>(nil)

    init(_ unit: any GraphUnit, _ policy: ReconnectPolicy) throws(JackError) {
        self.unit = unit
        self.policy = policy
        wakePipe = try JackError.ofResources { () throws(ResourceError) in try WakePipe() }
    }

    var log: EventLog { life.log }
    private var run: SupervisedRun? { present.withLock { $0 } }
}

// Calls of the engine.
extension Supervisor {
    func start() throws(UnitError) {
        defer { log.deliver() }
        try turn.withLock { _ throws(UnitError) in try begin() }
    }

    /// Stops, and starts again where it was running or paused; no other call comes in between.
    func reset() throws(UnitError) {
        defer { log.deliver() }
        var last: SupervisedRun?
        defer { last?.join() }
        try turn.withLock { _ throws(UnitError) in
            // What interrupts an engine hides in its state that it was paused.
            let (isAlive, isPaused) = (life.isAlive, unit.client.graph.isPausing)
            stop()
            last = run
            guard isAlive else { return }
            try begin()
            guard isPaused else { return }
            try life.note { life throws(UnitError) in
                try life.pause()
                unit.client.graph.setPause(true)
            }
        }
    }

    /// The return of the server is welcome.
    func permit() {
        run?.hasConsent.store(true, ordering: .relaxed)
        wakePipe.wake()
    }

    func suspend(within seconds: Double) -> Bool {
        let deadline = MonotonicClock.nanoseconds() + UInt64(min(max(0, seconds), 1e9) * 1e9)
        // Looked at each time: another thread may stop this run meanwhile, which then withdraws no more, and begin the next.
        while let run {
            if !run.isSuspended.exchange(true, ordering: .relaxed) { wakePipe.wake() }
            if run.hasWithdrawn.load(ordering: .acquiring) { return true }
            // Who has the turn may be joining a server. Where no client is open, none is opened while this run is suspended.
            if turn.withLockIfAvailable({ _ in unit.client.isRunning }) == false { break }
            guard MonotonicClock.nanoseconds() < deadline else { return false }
            MonotonicClock.sleep(milliseconds: 2)
        }
        // An engine also fails where libjack does not come back from the close: the client is in the graph then.
        return unit.client.pendingClose == nil
    }

    func endSuspension() {
        run?.isSuspended.store(false, ordering: .relaxed)
        wakePipe.wake()
    }

    /// Stops: for good, or so that it can be started again. Waits for the worker.
    func leave(isFinal: Bool) {
        defer { log.deliver() }
        let last = turn.withLock { _ in
            stop(isFinal: isFinal)
            return run
        }
        last?.join()
    }

    /// Thread: notification.
    private func note(_ notification: Notification, _ run: SupervisedRun?) {
        switch notification {
        case .freewheel(let isOn):
            run?.isFreewheeling.store(isOn, ordering: .relaxed)
            if isOn { run?.freewheelings.add(1, ordering: .releasing) }
        case .shutdown, .periodChanged, .sampleRateChanged, .portRegistered, .portUnregistered, .portsConnected,
            .portsDisconnected:
            break
        default: return
        }
        wakePipe.wake()
    }
}

// What is done by who has the turn.
extension Supervisor {
    private func begin() throws(UnitError) {
        var rehearsal = life.copy
        try rehearsal.start()
        let run = SupervisedRun()
        endedInPause.store(false, ordering: .relaxed)
        unit.client.controlSide.listen { [weak self, weak run] in self?.note($0, run) }
        try unit.start()
        do throws(JackError) {
            try run.start { [self] in
                // The start comes to its end first.
                turn.withLock { _ in }
                lookAfter(run)
            }
        } catch {
            unit.stop()
            throw .jack(error)
        }
        present.withLock { $0 = run }
        try life.note { life throws(UnitError) in try life.start() }
    }

    private func stop(isFinal: Bool = false) {
        end { life in
            if let error = unit.client.pendingClose { return life.fail(.jack(error)) }
            isFinal ? life.close() : life.stop()
        }
    }

    /// Leaves the graph, and has the worker end.
    func end(_ change: (inout LifeCycle) -> Void) {
        let run = run
        run?.isOver.store(true, ordering: .relaxed)
        wakePipe.wake()
        unit.stop()
        if let run { followFreewheeling(run) }
        try? life.note { life in
            // With the state, so that no pause comes in between and outlasts the stop.
            endedInPause.store(unit.client.graph.isPausing, ordering: .relaxed)
            unit.client.graph.setPause(false)
            change(&life)
        }
    }

    /// Has the state tell whether the server freewheels, and events that it did where that began and ended since the last look.
    func followFreewheeling(_ run: SupervisedRun) {
        let begun = run.freewheelings.load(ordering: .acquiring)
        if run.toldFreewheelings.exchange(begun, ordering: .relaxed) != begun {
            try? life.note { $0.setFreewheeling(true) }
        }
        try? life.note { $0.setFreewheeling(run.isFreewheeling.load(ordering: .relaxed)) }
    }

    /// What a worker does to the unit and the state: in its turn, and not at all where its run is over by then.
    func perform<Failure: Error>(_ run: SupervisedRun, _ body: () throws(Failure) -> Void) throws(Failure) {
        defer { log.deliver() }
        try turn.withLock { _ throws(Failure) in
            if !run.isOver.load(ordering: .relaxed) { try body() }
        }
    }
}
