import AudioRealtime
import Jack
import Synchronization
import Threads

/// A unit's client in a graph, from its start to its stop: in callback mode, or in queued mode.
public final class UnitClient: Sendable {
    package let configuration: EngineConfiguration
    let controlSide: ControlSide
    package let graph: EngineGraph
    /// `nil` where the configuration has no MIDI.
    let midi: MIDIControlEnd?
    private let midiFollower: MIDIFollower?
    let audio: Cell<AudioSide>
    /// `nil` in callback mode.
    let queue: UnitQueue?
    /// Held from the beginning of a start or a stop to its end, which JACK may keep us waiting for.
    private let transition = Mutex(())
    /// Held for a moment, so that a unit can be asked for figures whatever it is waiting for.
    private let life = Mutex(Life())
    private let patchbay = Patchbay()
    private let routes: RouteFollower
    /// Of the first client of a run. Those behind it ask for it: units of one configuration would else take each other's.
    private let name: Mutex<String>
    /// One that was opened for the next start.
    private let open = Mutex<Client?>(nil)
    /// What that one is to wait for.
    private let beforeActivation = Mutex<(@Sendable () -> Void)?>(nil)
    /// Of the last close; `nil` where that came to its end.
    private let closeFailure = Mutex<JackError?>(nil)

    /// What belongs to one start.
    private struct Life: ~Copyable, Sendable {
        var client: ActiveClient?
        var collector: TimerWorker?
        var ports = UnitPorts()
        var latency: LatencyDeclaration?
    }

    /// Allocates everything that the audio thread will need.
    ///
    /// - Parameters:
    ///   - graph: has the nodes that are rendered.
    ///   - queue: of the same graph, for queued mode.
    init(_ configuration: EngineConfiguration, _ graph: EngineGraph, queue: UnitQueue? = nil) {
        self.configuration = configuration
        name = Mutex(configuration.clientName)
        self.graph = graph
        self.queue = queue
        routes = RouteFollower(configuration)
        // Read a hundred times a second; deep enough for a freewheeling server's cycles too.
        let records = Ring<CycleRecord>(capacity: 8192)
        // In queued mode a worker renders the nodes, and they have no MIDI.
        let nodes = queue == nil ? graph.midi : Cell(MIDICycle())
        let midi = configuration.midi.map { _ in MIDIControlEnd(nodes) }
        self.midi = midi
        midiFollower = configuration.midi.flatMap { route in midi.map { MIDIFollower(route, $0) } }
        let unit: RenderUnit
        if let queue {
            // SAFETY: the unit keeps the queue's.
            unit = unsafe RenderUnit(
                .queue(queue.unit.pointer), keeping: [queue.unit], inputs: graph.inputs,
                outputs: graph.meters.channels, records: records.producer)
        } else {
            unit = graph.makeRenderer(records: records.producer)
        }
        audio = Cell(
            AudioSide(unit, waking: queue?.thread.semaphore, transport: configuration.transport, midi: midi))
        controlSide = ControlSide(records: records.consumer)
    }

    /// Opens the client, joins the graph and makes the connections. Thread: control.
    ///
    /// - Parameter wiring: which connections to make.
    /// - Throws: `wrongState` where the unit runs; `invalidConfiguration` where its queue cannot work on the server's period;
    ///   `jack`; `nothingMatches`. Nothing is left behind then.
    func start(_ wiring: Wiring) throws(UnitError) {
        try transition.withLock { _ throws(UnitError) in
            guard !isRunning else { throw .wrongState("the unit runs already") }
            var fresh = Life()
            do {
                try open(&fresh, wiring)
            } catch {
                close(&fresh)
                switch error {
                case let error as JackError: throw .jack(error)
                case let error as UnitError: throw error
                default: throw .wrongState("\(error)")
                }
            }
            life.withLock { swap(&$0, &fresh) }
        }
    }

    func join(as client: consuming Client, beforeActivation: @escaping @Sendable () -> Void) {
        var fresh: Client? = client
        open.withLock { swap(&$0, &fresh) }
        self.beforeActivation.withLock { $0 = beforeActivation }
    }

    /// Joins for a moment, to see whether `start` would find a server and ports; returns its sample rate in hertz.
    ///
    /// - Throws: `jack`; `nothingMatches`.
    func look() throws(UnitError) -> Int {
        try transition.withLock { _ throws(UnitError) in
            let client = try UnitError.ofJack { () throws(JackError) in try newClient(configuration.clientName) }
            _ = try configuration.partners(on: client)
            return client.sampleRate
        }
    }

    /// Why the last client is not closed yet: libjack does not come back from it. `nil` where it is.
    var pendingClose: JackError? { LibJack.overdueOperation == nil ? nil : closeFailure.withLock { $0 } }

    /// Leaves the graph and closes the client. Where JACK does not let it, it is left to itself (`pendingClose`).
    /// Thread: control.
    func stop() {
        transition.withLock { _ in
            var last = Life()
            life.withLock { swap(&$0, &last) }
            close(&last)
        }
    }

    /// What its ports are connected to at present.
    var links: [Link] { isRunning && !hasLostServer ? patchbay.made : [] }

    /// The client has joined again: what is not connected as before waits for its port.
    func announceMissing() {
        _ = transition.withLock { _ in makeMissing() }
        patchbay.announceMissing()
    }

    /// Makes the connections that are wanted and missing, as far as their ports are there; returns what was lost or
    /// restored since the last call. Looks later where somebody waits for the server at present. Thread: worker.
    func reconnect() -> [EngineEvent.Kind] { transition.withLockIfAvailable { _ in makeMissing() } ?? [] }

    private func makeMissing() -> [EngineEvent.Kind] {
        var news: [EngineEvent.Kind] = []
        let (view, ports) = life.withLock { ($0.client?.view, $0.ports) }
        if let view, !view.hasShutDown {
            view.restore(patchbay)
            news = routes.follow(view, ports, patchbay)
            // The first search has checked the pattern; what else fails now is searched again.
            try? midiFollower?.follow(view, ports)
        }
        return patchbay.takeNews() + news
    }

    private func newClient(_ name: String) throws(JackError) -> Client {
        try Client(
            name: name, server: configuration.serverName,
            permitsRenaming: !configuration.requiresExactName)
    }

    private func open(_ life: inout Life, _ wiring: Wiring) throws {
        if case .routes = wiring { name.withLock { $0 = configuration.clientName } }
        let client = try open.withLock { $0.take() } ?? newClient(name.withLock { $0 })
        if case .routes = wiring { name.withLock { [name = client.name] in $0 = name } }
        life.ports = try UnitPorts(
            inputs: configuration.inputChannels, outputs: configuration.outputChannels,
            hasMIDI: configuration.midi != nil, on: client)
        try prepareNodes(client, TapRun(sampleRate: client.sampleRate, cause: wiring.runCause))
        controlSide.shutdownReason.withLock { $0 = "" }
        try AudioSide.attach(audio, to: client, life.ports)
        patchbay.begin(wiring, life.ports.all)
        routes.begin(life.ports)
        midiFollower?.begin(wiring, life.ports)
        client.onNotification { [audio, controlSide, patchbay, routes, midiFollower] notification in
            switch notification {
            // SAFETY: here and below, an atomic, and counters of atomics, which the cells keep.
            case .freewheel(let isOn):
                unsafe audio.pointer.pointee.isFreewheeling.store(isOn, ordering: .relaxed)
                if isOn { controlSide.freewheelings.add(1, ordering: .relaxed) }
            case .xrun(let delay): controlSide.noteXrun(delayMicroseconds: Double(delay))
            case .shutdown(let reason): controlSide.shutdownReason.withLock { $0 = reason }
            default:
                patchbay.note(notification)
                routes.note(notification)
                midiFollower?.note(notification)
            }
            controlSide.tell(notification)
        }
        controlSide.telemetry.begin(sampleRate: client.sampleRate)
        controlSide.isCounting.store(true, ordering: .relaxed)
        let latency = LatencyDeclaration(
            of: client, inputs: life.ports.inputs, outputs: life.ports.outputs,
            addedFrames: queuedFrames + graph.latencyFrames)
        life.latency = latency
        beforeActivation.withLock { $0.take() }?()
        let active = try client.activate()
        let view = active.view
        // From here on the client is closed by `close`, which ends the declaration before: the worker must not ask a
        // client that is closed.
        life.client = consume active
        life.collector = try TimerWorker.start("iounit-collect", every: 10_000_000) {
            [queue, controlSide, graph, queuedFrames] _ in
            controlSide.telemetry.collect()
            queue?.buffers.collect()
            graph.tick(sampleRate: controlSide.telemetry.sampleRate)
            latency.change(toAddedFrames: queuedFrames + graph.latencyFrames)
        }
        switch wiring {
        case .routes:
            let links = try routes.links(on: view, life.ports)
            for link in links {
                try view.connect(link.source, to: link.target)
                patchbay.connected(link)
            }
            routes.begin(links)
        case .asBefore, .afterSuspension:
            view.restore(patchbay)
            routes.look()
        }
        try midiFollower?.follow(view, life.ports)
    }

    /// Makes everything ready for the first cycle of a client that is not active yet.
    private func prepareNodes(_ client: borrowing Client, _ run: TapRun) throws {
        try graph.check(sampleRate: client.sampleRate)
        let rampMilliseconds = configuration.rampMilliseconds
        if let queue { return try queue.start(graph, on: client, rampMilliseconds: rampMilliseconds, run: run) }
        // SAFETY: the client is not active yet, so the audio side is ours.
        unsafe graph.begin(sampleRate: client.sampleRate) { plan in
            unsafe audio.pointer.pointee.unit.begin(plan, rampMilliseconds: rampMilliseconds, run: run)
        }
    }

    /// What the mode itself adds to the latency of the nodes.
    private var queuedFrames: Int { queue?.configuration.latencyFrames ?? 0 }

    private func close(_ life: inout Life) {
        controlSide.isCounting.store(false, ordering: .relaxed)
        life.latency.take()?.end()
        // Deactivated and closed first; what the callback uses is the unit's own and outlives it.
        if let client = life.client.take() {
            unsafe audio.pointer.pointee.isLeaving.store(true, ordering: .relaxed)
            var failure: JackError?
            do throws(JackError) { try client.close() } catch { failure = error }
            closeFailure.withLock { $0 = failure }
        }
        unsafe audio.pointer.pointee.isFreewheeling.store(false, ordering: .relaxed)
        queue?.thread.stop()
        life.collector?.stop()
        life.collector = nil
        graph.end()
        controlSide.telemetry.collect()
        queue?.buffers.collect()
    }
}

// What a running unit can be asked.
extension UnitClient {
    var connection: UnitConnection? {
        life.withLock { life in
            // At 0 Hz libjack has freed the client.
            guard let name = life.client?.name, let rate = life.client?.sampleRate, rate > 0 else { return nil }
            return UnitConnection(
                clientName: name, sampleRate: rate,
                periodFrames: life.client?.periodFrames ?? 0, isRealtime: life.client?.isRealtime ?? false,
                scheduling: life.client?.scheduling,
                inputs: life.ports.inputs.map(\.name), outputs: life.ports.outputs.map(\.name))
        }
    }

    var audioThreadUsage: ThreadUsage? { life.withLock { $0.client?.audioThreadUsage } }
    var dspLoad: Double { life.withLock { $0.client?.dspLoad ?? 0 } }
    var sampleRate: Int { life.withLock { $0.client?.sampleRate ?? 0 } }
    var periodFrames: Int { life.withLock { $0.client?.periodFrames ?? 0 } }
    // SAFETY: here and below, an atomic, which the cell keeps.
    /// Frames that the nodes have rendered since it was made: behind a queue, those of the worker.
    var position: UInt64 {
        if let queue { return queue.thread.position }
        return unsafe audio.pointer.pointee.unit.counters.frames.load(ordering: .relaxed)
    }
    var isFreewheeling: Bool { unsafe audio.pointer.pointee.isFreewheeling.load(ordering: .relaxed) }
    /// Whether the freewheeling server waits for a worker of ours.
    var isWaitingForWorkers: Bool { unsafe audio.pointer.pointee.isWaiting.load(ordering: .relaxed) }
    var hasLostServer: Bool { life.withLock { $0.client?.hasShutDown ?? false } }
    /// Asks the client for something that returns at once; `nil` while it does not run, or its server has gone away.
    func withView<Result>(_ body: (ConnectionView) -> Result) -> Result? {
        life.withLock { life in
            guard let view = life.client?.view, !view.hasShutDown else { return nil }
            return body(view)
        }
    }
    /// The same of something that the server answers: no start and no stop goes on meanwhile, and figures do not wait for it.
    func withWaitingView<Result: Sendable>(_ body: (ConnectionView) -> Result) -> Result? {
        transition.withLock { _ in withView { $0 }.map(body) }
    }
    var isRunning: Bool { life.withLock { $0.client != nil } }

    func notifications() -> AsyncStream<Notification> {
        life.withLock { $0.client?.notifications() } ?? AsyncStream { $0.finish() }
    }
}
