import AudioRealtime
import Jack
import Synchronization
import Threads

/// Nodes that render sound, and their life: on a JACK server, which it outlives, or without one (`Engine(offline:)`).
///
/// It has states (`EngineState`), and each way from one to another is an event. A server that stands still
/// interrupts it until that ends. When the server goes away, the engine closes its client, waits for a server of the
/// same name, and joins that with the same nodes, connections and taps, as its policy and the user permit. What it
/// counts goes on, and a recorder's tap tells of the gap.
///
/// Its calls may be made from any thread but the audio thread, from the handlers that it calls too.
public final class Engine: Sendable {
    /// What is done when the server goes away.
    public let policy: ReconnectPolicy
    let graph: EngineGraph
    let backend: Backend
    let taps = Mutex<[EngineTap]>([])
    /// What is done when nothing more will be rendered: given when the sound ended, where the server was gone by then.
    private let ends = EngineEnds()
    let life: EngineLife
    private let isClosing = Atomic<Bool>(false)
    let shownMixer = Mutex<Mixer?>(nil)
    let delegateTaps = Mutex(DelegateTaps())

    /// What calls the nodes.
    enum Backend {
        case unit(any GraphUnit, Supervisor)
        case offline(OfflineRenderer)
    }

    /// An engine without nodes but its input and output, to be a client of a server.
    ///
    /// - Parameters:
    ///   - server: which one; `nil` for the default one.
    ///   - policy: what is done when the server goes away.
    /// - Throws: `jack` where the process has too many files open.
    public convenience init(
        server: String? = nil, policy: ReconnectPolicy = ReconnectPolicy(.never)
    ) throws(UnitError) {
        var configuration = EngineConfiguration()
        configuration.serverName = server
        try self.init(configuration, policy: policy)
    }

    /// As `init(server:policy:)`, with all that there is to choose.
    ///
    /// - Parameters:
    ///   - configuration: of the client, its channels and its connections.
    ///   - queue: has a worker render the nodes, (N − 1) · B frames later (see `QueuedUnit`). MIDI does not reach nodes there,
    ///     and JACK's transport means nothing to them.
    ///   - policy: what is done when the server goes away.
    /// - Throws: `invalidConfiguration`; `jack` where the process has too many files open.
    public convenience init(
        _ configuration: EngineConfiguration, queue: QueueConfiguration? = nil,
        policy: ReconnectPolicy = ReconnectPolicy(.never)
    ) throws(UnitError) {
        try configuration.check()
        try queue?.check(channels: max(configuration.inputChannels, configuration.outputChannels))
        guard queue == nil || configuration.transport == .none else {
            throw .invalidConfiguration("behind a queue nothing can follow JACK's transport; leave out one of both")
        }
        let graph = EngineGraph(
            inputs: configuration.inputChannels, outputs: configuration.outputChannels,
            rampMilliseconds: configuration.rampMilliseconds)
        let client = UnitClient(configuration, graph, queue: queue.map { UnitQueue($0, graph) })
        try self.init(NodesUnit(client), policy: policy)
    }

    /// An engine around a unit.
    ///
    /// - Parameters:
    ///   - unit: one that does not run. From now on it is the engine's to start and stop; its parameters and figures are
    ///     anybody's.
    ///   - policy: what is done when the server goes away.
    /// - Throws: `jack` where the process has too many files open.
    public init(_ unit: any GraphUnit, policy: ReconnectPolicy = ReconnectPolicy(.never)) throws(UnitError) {
        self.policy = policy
        graph = unit.client.graph
        let supervisor = try UnitError.ofJack { () throws(JackError) in try Supervisor(unit, policy) }
        life = supervisor.life
        backend = .unit(unit, supervisor)
    }

    /// An engine that renders when it is asked to (`render`), without a server: into a file, or in a test of one's own nodes. The
    /// same nodes give the same samples as on a server.
    ///
    /// - Parameters:
    ///   - sampleRate: in hertz, 1…3 072 000.
    ///   - inputs: 0…256.
    ///   - outputs: 1…256.
    ///   - rampMilliseconds: how long a change of a parameter or a connection takes. 0…1000.
    ///   - periodFrames: how much is rendered at once, at most, 1…8192; the samples do not depend on it.
    /// - Throws: `invalidConfiguration`.
    public init(
        offline sampleRate: Int, inputs: Int = 2, outputs: Int = 2, rampMilliseconds: Double = 10,
        periodFrames: Int = 1024
    ) throws(UnitError) {
        var configuration = EngineConfiguration()
        configuration.inputChannels = inputs
        configuration.outputChannels = outputs
        configuration.rampMilliseconds = rampMilliseconds
        try configuration.check()
        try UnitConfiguration.check(sampleRate, 1...3_072_000, "a sample rate in hertz")
        try UnitConfiguration.check(periodFrames, 1...Plan.maximumFrames, "a period in frames")
        policy = ReconnectPolicy(.never)
        life = EngineLife()
        graph = EngineGraph(inputs: inputs, outputs: outputs, rampMilliseconds: rampMilliseconds, isLive: false)
        graph.expect(sampleRate: sampleRate, periodFrames: periodFrames)
        backend = .offline(OfflineRenderer(graph, sampleRate: sampleRate, periodFrames: periodFrames))
    }

    deinit {
        close()
        graph.close()
    }
}

// Life.
extension Engine {
    /// What it is doing. Any thread may ask, from handlers too.
    public var state: EngineState { life.state }
    /// What has happened: the last 1000 events, oldest first.
    public var events: [EngineEvent] { life.log.events }

    /// How often the server went away and the engine joined it again.
    public var resets: Int { supervisor?.resets.load(ordering: .relaxed) ?? 0 }

    /// - Parameter listener: called with each event from now on, in their order, on a worker or on the thread of the call
    ///   that it comes of. It may call the engine. `nil` ends it.
    public func onEvent(_ listener: (@Sendable (EngineEvent) -> Void)?) { life.log.listen(.closure, listener) }

    /// Adds an event of one's own, as that something was switched on: a clause for people. Thread: any but audio.
    public func note(_ words: String) { life.log.add(.note(words)) }

    package var isOffline: Bool { if case .offline = backend { true } else { false } }
    /// `nil` offline.
    package var unit: (any GraphUnit)? { if case .unit(let unit, _) = backend { unit } else { nil } }
    private var supervisor: Supervisor? { if case .unit(_, let supervisor) = backend { supervisor } else { nil } }

    /// Does ahead of `start` what takes time, and tells what would keep it from starting: asks the server for its sample rate,
    /// looks for the ports of the routes, and makes the nodes ready for that rate, so that players have read ahead. Offline it
    /// makes the nodes ready. Thread: control.
    ///
    /// - Throws: `wrongState` where it runs or is closed; `invalidConfiguration` where a node cannot work at that rate; `jack`;
    ///   `nothingMatches`.
    public func prepare() throws(UnitError) {
        var rehearsal = life.copy
        try rehearsal.start()
        let sampleRate =
            switch backend {
            case .offline(let renderer): renderer.sampleRate
            case .unit(let unit, _): try unit.client.look()
            }
        try graph.check(sampleRate: sampleRate)
        graph.follow(sampleRate: sampleRate)
    }

    /// Starts to render: on a server with the connections of the configuration. The nodes begin from silence. Thread: control.
    ///
    /// - Throws: `wrongState` where it was started or closed; `invalidConfiguration` where a node cannot work at the sample rate;
    ///   else what a unit's start throws. The state stays what it was.
    public func start() throws(UnitError) {
        switch backend {
        case .offline(let renderer):
            try graph.check(sampleRate: renderer.sampleRate)
            try life.change { life throws(UnitError) in
                try life.start()
                renderer.begin()
            }
        case .unit(_, let supervisor): try supervisor.start()
        }
    }

    /// Fades the sound out and stays in the graph; nothing is recorded until `resume`.
    ///
    /// - Throws: `wrongState` where it is not running.
    public func pause() throws(UnitError) {
        try life.change { life throws(UnitError) in
            try life.pause()
            graph.setPause(true)
        }
    }

    /// Ends a pause, or permits the sound to go on after the server came back (`awaitingConsent`).
    ///
    /// - Throws: `wrongState` where there is neither.
    public func resume() throws(UnitError) {
        try life.change { life throws(UnitError) in
            if try life.resume() { graph.setPause(false) } else { supervisor?.permit() }
        }
    }

    /// Leaves the graph. What was being rendered is cut off; nodes, connections and taps stay, and it can be started again.
    /// Calling it again does nothing. Thread: control.
    public func stop() { leave(isFinal: false) }

    /// Stops, and starts again where it was running: the nodes forget what they have heard. Players go on where they were; taps see
    /// a new run. Thread: control.
    ///
    /// - Throws: see `start`.
    public func reset() throws(UnitError) {
        guard state != .closed else { throw .wrongState("an engine that is closed cannot reset; make another") }
        if let supervisor { return try supervisor.reset() }
        let (isAlive, isPaused) = (life.isAlive, state == .paused)
        stop()
        guard isAlive else { return }
        try start()
        if isPaused { try pause() }
    }

    /// Leaves the graph before the program is stopped, as by Ctrl-Z, until `endSuspension`. A client that is stopped in the graph
    /// makes every other one late in sync mode; in async mode jackd 1.9.21 fills its socket with messages, loses its place in
    /// them, and then may stop answering clients that disconnect. What is missing meanwhile is a gap of the cause `restart`.
    ///
    /// - Parameter seconds: how long to wait for JACK at the most.
    /// - Returns: whether no client of the engine's is left in the graph.
    ///
    /// Thread: control.
    public func suspend(within seconds: Double) -> Bool { supervisor?.suspend(within: seconds) ?? true }

    /// Joins the graph again with the connections that there were, on the engine's worker. Does nothing where the engine is
    /// not suspended. Thread: control.
    public func endSuspension() { supervisor?.endSuspension() }

    /// Up to when it has waited for a server, on the monotonic clock: until now, or until it gave up; `nil` where it waits for none.
    package var outageEnd: UInt64? {
        switch state {
        case .interrupted(.serverGone), .interrupted(.awaitingConsent): MonotonicClock.nanoseconds()
        case .failed where policy.consent != .never: events.last { $0.kind.isFailure }?.monotonicNanoseconds
        default: nil
        }
    }

    /// Up to when sound is missing behind the last that was rendered; `nil` where none is, or a pause, which was wanted, goes on
    /// up to there.
    package var missingUntil: UInt64? {
        let endedInPause = supervisor?.endedInPause.load(ordering: .relaxed) ?? false
        return endedInPause || graph.isPausing ? nil : outageEnd
    }

    /// Leaves the graph for good, hands the taps what was rendered so far and ends them, and finishes recordings. Calling it
    /// again does nothing. From a handler, the rest is done once that has returned. Waits for JACK, on a server that stands
    /// still for 7 s. Thread: control.
    public func close() {
        // A handler that closes while another thread does must not wait for that, which waits for the handler.
        guard !isClosing.exchange(true, ordering: .relaxed) else { return }
        defer { isClosing.store(false, ordering: .relaxed) }
        let missingUntil = missingUntil
        leave(isFinal: true)
        for tap in taps.withLock({ $0 }) { tap.end() }
        // If libjack did not return, the engine has failed and can be started again.
        ends.callAll(missingUntil, areOver: state == .closed)
        if state == .closed { graph.close() }
    }

    /// - Parameter end: called by `close`, when nothing more will be rendered, with the time up to which sound is missing;
    ///   at once where the engine is closed already.
    /// - Returns: removes the call. For an owner that ends before the engine.
    @discardableResult
    package func atClose(_ end: @escaping @Sendable (UInt64?) -> Void) -> @Sendable () -> Void { ends.add(end) }

    private func leave(isFinal: Bool) {
        switch backend {
        case .unit(_, let supervisor): supervisor.leave(isFinal: isFinal)
        case .offline:
            try? life.change { life in
                graph.end()
                graph.setPause(false)
                isFinal ? life.close() : life.stop()
            }
        }
    }
}
