import AudioRealtime
import Jack
import Threads

/// What all units have in common: each is a client in the graph, renders nodes, and leaves a record of each cycle.
///
/// `start` and `stop` wait for JACK, and what tells of the connection waits for them; figures return at once. All may be called
/// from any thread but the audio thread.
public protocol GraphUnit: AnyObject, Sendable {
    /// The unit as a client of a server, or between two servers.
    var client: UnitClient { get }

    /// Opens the client, joins the graph and makes the connections. Thread: control.
    ///
    /// - Throws: `wrongState` where the unit runs; `invalidConfiguration` where its queue cannot work on the server's period;
    ///   `jack`; `nothingMatches`. Nothing is left behind then.
    func start(_ wiring: Wiring) throws(UnitError)
    /// Leaves the graph and closes the client. What was counted stays. Thread: control.
    func stop()
}

/// A unit of any nodes, for an engine.
final class NodesUnit: GraphUnit {
    let client: UnitClient

    init(_ client: UnitClient) { self.client = client }

    deinit { stop() }
}

// Life.
extension GraphUnit {
    public func start(_ wiring: Wiring) throws(UnitError) { try client.start(wiring) }
    public func stop() { client.stop() }

    /// Opens the client, joins the graph and makes the connections of the configuration. Thread: control.
    public func start() throws(UnitError) { try start(.routes) }

    /// Leaves the graph and joins it again, with the connections of the configuration. Thread: control.
    ///
    /// - Throws: see `start`. It is stopped then.
    public func restart() throws(UnitError) {
        stop()
        try start()
    }

    /// Gives the unit a client that is open, for the next start in place of one that it opens. It is of the configuration's
    /// server, and asked for by the configuration's name. Thread: control.
    ///
    /// - Parameter beforeActivation: called once, when that client has its ports and no cycle yet.
    package func join(as open: consuming Client, beforeActivation: @escaping @Sendable () -> Void) {
        client.join(as: open, beforeActivation: beforeActivation)
    }

    /// Hands over the record of each cycle from now on, in order, in batches about a hundred times a second.
    ///
    /// - Parameter listener: called on a worker, or on the thread that asks for figures. It must not call the
    ///   unit. `nil` ends it.
    public func onCycles(_ listener: (@Sendable ([CycleRecord]) -> Void)?) {
        client.controlSide.telemetry.listen(listener)
    }
}

// Connections.
extension GraphUnit {
    /// What its ports are connected to at present, by any program, in the order in which it was done. Thread: any but audio.
    public var links: [Link] { client.links }
}

// Pause.
extension GraphUnit {
    /// Fades the outputs out; once they are silent, nothing goes to the taps, so that a recording waits too. Or fades them in.
    /// Cycles, records and connections go on.
    public func setPause(_ isPaused: Bool) { client.graph.setPause(isPaused) }
    /// Whether it is paused, or fades out to be.
    public var isPaused: Bool { client.graph.isPausing }
}

// Figures.
extension GraphUnit {
    /// What was counted since the unit was made.
    public var statistics: UnitStatistics { client.statistics }

    /// The intervals between starts of the callback since the last call.
    public func takeIntervals() -> IntervalWindow { client.controlSide.telemetry.takeWindow() }

    /// The record of the cycle that began at a time of JACK's frame clock, if it is among the last 8192.
    public func cycle(atFrameTime frameTime: UInt32) -> CycleRecord? {
        client.controlSide.telemetry.account?.cycle(atFrameTime: frameTime)
    }

    /// The records of the last 8192 cycles, in order.
    package var recentCycles: [CycleRecord] { client.controlSide.telemetry.account?.recentCycles ?? [] }

    /// The record of the last cycle; `nil` before the first.
    public var lastCycle: CycleRecord? { client.controlSide.telemetry.account?.last }

    /// When the frames of the last cycle were over, on the monotonic clock; `nil` before the first.
    package var renderedUntilNanoseconds: UInt64? { client.controlSide.telemetry.account?.renderedUntilNanoseconds }

    package var cycles: UInt64 { client.controlSide.telemetry.cycles }
    /// How long the last cycle should have taken.
    package var periodSeconds: Double {
        let rate = client.sampleRate
        return rate > 0 ? Double(client.periodFrames) / Double(rate) : 0
    }

    /// What the unit is connected to, or `nil` while it does not run.
    public var connection: UnitConnection? { client.connection }
    /// What the audio thread has cost so far, or `nil` while the unit does not run.
    public var audioThreadUsage: ThreadUsage? { client.audioThreadUsage }
    /// The server's estimate of its load, 0…1; 0 while the unit does not run.
    public var dspLoad: Double { client.dspLoad }
    /// The server's present period in frames; 0 while the unit does not run.
    public var periodFrames: Int { client.periodFrames }
    /// Whether the server has gone away under the unit. It must be stopped then, and can be started again.
    public var hasLostServer: Bool { client.hasLostServer }
    /// Why the server went away, in JACK's words, if it said so; empty before.
    public var lostServerReason: String { client.controlSide.shutdownReason.withLock { $0 } }
    /// Whether the server runs as fast as it can. JACK does not tell a unit that joins meanwhile.
    package var isFreewheeling: Bool { client.isFreewheeling }
    /// How often it began to.
    package var freewheelings: Int { client.controlSide.freewheelings.load(ordering: .relaxed) }
    /// Whether it is in a graph.
    public var isRunning: Bool { client.isRunning }

    /// The notifications from now on; ends at once while the unit does not run.
    public func notifications() -> AsyncStream<Notification> { client.notifications() }
}
