import AudioRealtime
import Jack
import Synchronization

/// A unit's membership in a graph, from its start to its stop, whatever it does there.
///
/// What differs from mode to mode is done by closures, which must not hold the unit: its end waits for them.
public final class Membership: Sendable {
    let configuration: UnitConfiguration
    let desk: Desk
    private let queuedFrames: Int
    private let collect: @Sendable () -> Void
    private let afterClose: @Sendable () -> Void
    private let life = Mutex(Life())
    private let cause = Mutex(TapRun.Cause.start)

    /// What belongs to one start.
    private struct Life: ~Copyable {
        var client: ActiveClient?
        var collector: Collector?
        var ports = UnitPorts()
        var latency: LatencyDeclaration?
    }

    /// - Parameters:
    ///   - queuedFrames: what the mode itself adds to the latency of the signal's processing.
    ///   - collect: called a hundred times a second, on a worker, and once after the close.
    ///   - afterClose: called when libjack calls back no more, of a start that failed too.
    init(
        _ configuration: UnitConfiguration, _ desk: Desk, queuedFrames: Int = 0,
        collect: @escaping @Sendable () -> Void,
        afterClose: @escaping @Sendable () -> Void
    ) {
        self.configuration = configuration
        self.desk = desk
        self.queuedFrames = queuedFrames
        self.collect = collect
        self.afterClose = afterClose
    }

    /// Opens the client, joins the graph and makes the connections. Thread: control.
    ///
    /// - Parameter prepare: makes everything ready for the first cycle of a client that is not active yet.
    /// - Throws: `wrongState` where the unit runs; `jack`; `nothingMatches`; what `prepare` throws. Nothing is left
    ///   behind then.
    func start(_ prepare: @Sendable (borrowing Client, UnitPorts) throws -> Void) throws(UnitError) {
        try life.withLock { life throws(UnitError) in
            guard life.client == nil else { throw .wrongState("the unit runs already") }
            do {
                try open(&life, prepare)
            } catch let error as JackError {
                close(&life)
                throw .jack(error)
            } catch let error as UnitError {
                close(&life)
                throw error
            } catch {
                close(&life)
                throw .wrongState("\(error)")
            }
        }
    }

    /// Leaves the graph and closes the client. Thread: control.
    func stop() { life.withLock { close(&$0) } }

    /// Why the next start is made, for whoever reads the taps. Thread: control.
    package var runCause: TapRun.Cause {
        get { cause.withLock { $0 } }
        set { cause.withLock { $0 = newValue } }
    }

    /// Does something that is possible only while the unit does not run; nothing starts meanwhile. `nil` where it runs.
    func whileStopped<Result: ~Copyable>(_ body: () -> Result?) -> Result? {
        life.withLock { life in life.client == nil ? body() : nil }
    }

    private func open(_ life: inout Life, _ prepare: @Sendable (borrowing Client, UnitPorts) throws -> Void) throws {
        let client = try Client(
            name: configuration.clientName, server: configuration.serverName,
            permitsRenaming: !configuration.requiresExactName)
        life.ports = try UnitPorts(configuration.channels, on: client)
        try prepare(client, life.ports)
        client.onNotification { [desk] notification in
            switch notification {
            case .xrun(let delay): desk.noteXrun(delayMicroseconds: Double(delay))
            case .shutdown(let reason): desk.shutdownReason.withLock { $0 = reason }
            default: break
            }
        }
        desk.telemetry.begin(sampleRate: client.sampleRate)
        desk.isCounting.store(true, ordering: .relaxed)
        let latency = LatencyDeclaration(
            of: client, inputs: life.ports.inputs, outputs: life.ports.outputs,
            addedFrames: desk.addedFrames(queued: queuedFrames))
        life.latency = latency
        life.collector = try Collector { [collect, desk, queuedFrames] in
            collect()
            latency.change(toAddedFrames: desk.addedFrames(queued: queuedFrames))
        }
        let active = try client.activate()
        let links = try links(on: active, life.ports)
        for link in links { try active.connect(link.source, to: link.target) }
        if configuration.describesPorts { describe(life.ports, of: active) }
        life.client = consume active
    }

    private func links(on client: borrowing ActiveClient, _ ports: UnitPorts) throws(UnitError) -> [Link] {
        let sources = try configuration.inputs.resolve(.output, on: client, ownName: client.name)
        let targets = try configuration.outputs.resolve(.input, on: client, ownName: client.name)
        return Route.links(inputs: ports.inputs.map(\.name), from: sources)
            + Route.links(outputs: ports.outputs.map(\.name), to: targets)
    }

    /// Names for people, where the server keeps them: not every one does, and nothing depends on it.
    private func describe(_ ports: UnitPorts, of client: borrowing ActiveClient) {
        for (word, ports) in [("Input", ports.inputs), ("Output", ports.outputs)] {
            for (index, port) in ports.enumerated() {
                guard
                    (try? client.setProperty(.prettyName, of: port, to: "\(word) \(index + 1)")) != nil,
                    (try? client.setProperty(.order, of: port, to: "\(index)")) != nil
                else { return }
            }
        }
    }

    private func close(_ life: inout Life) {
        desk.isCounting.store(false, ordering: .relaxed)
        if configuration.describesPorts, life.client?.hasShutDown == false {
            for port in life.ports.inputs + life.ports.outputs { life.client?.removeProperties(of: port) }
        }
        life.latency?.end()
        life.latency = nil
        // Deactivated and closed first; what the callback uses is the unit's own and outlives it.
        life.client = nil
        afterClose()
        life.collector?.stop()
        life.collector = nil
        desk.control.withLock { $0.isRunning = false }
        collect()
    }
}

// What a running unit can be asked.
extension Membership {
    var connection: UnitConnection? {
        life.withLock { life in
            guard let name = life.client?.name else { return nil }
            return UnitConnection(
                clientName: name,
                sampleRate: life.client?.sampleRate ?? 0,
                periodFrames: life.client?.periodFrames ?? 0,
                isRealtime: life.client?.isRealtime ?? false,
                scheduling: life.client?.scheduling,
                inputs: life.ports.inputs.map(\.name),
                outputs: life.ports.outputs.map(\.name))
        }
    }

    var audioThreadUsage: ThreadUsage? { life.withLock { $0.client?.audioThreadUsage } }
    var dspLoad: Double { life.withLock { $0.client?.dspLoad ?? 0 } }
    var sampleRate: Int { life.withLock { $0.client?.sampleRate ?? 0 } }
    var periodFrames: Int { life.withLock { $0.client?.periodFrames ?? 0 } }
    var hasLostServer: Bool { life.withLock { $0.client?.hasShutDown ?? false } }
    var isRunning: Bool { life.withLock { $0.client != nil } }

    func notifications() -> AsyncStream<Notification> {
        life.withLock { $0.client?.notifications() } ?? AsyncStream { $0.finish() }
    }

    /// What the desk has counted, with what the audio thread has.
    func statistics(_ counters: borrowing RenderCounters) -> UnitStatistics {
        let account = desk.telemetry.account
        return UnitStatistics(
            cycles: counters.cycles.load(ordering: .relaxed),
            frames: counters.frames.load(ordering: .relaxed),
            xruns: desk.xruns.load(ordering: .relaxed),
            xrunDelayNanoseconds: desk.xrunDelayNanoseconds.load(ordering: .relaxed),
            overruns: account?.overruns ?? 0,
            frameGaps: account?.frameGaps ?? 0,
            gapFrames: account?.gapFrames ?? 0,
            lateCycles: account?.lateCycles ?? 0,
            lostNanoseconds: account?.lostNanoseconds ?? 0,
            lostRecords: counters.lostRecords.load(ordering: .relaxed),
            nonFiniteSamples: counters.nonFinite.load(ordering: .relaxed))
    }
}
