import Jack
import Synchronization
import Threads

/// A unit that outlives its server.
///
/// It has states (`EngineState`), and each way from one to another is an event. A server that stands still
/// interrupts it until that ends. When the server goes away, the engine closes its clients, waits for a server of the
/// same name, and joins that with the same connections, parameters and taps, as its policy and the user permit. What the
/// unit counts goes on, and a recorder's tap tells of the gap.
///
/// Its calls may be made from any thread but the audio thread, and from none that an event is told on.
public final class Engine: Sendable {
    public let unit: any GraphUnit
    public let policy: ReconnectPolicy
    private let supervisor: Supervisor
    private let worker = Mutex<Worker?>(nil)

    /// - Parameters:
    ///   - unit: one that does not run. From now on it is the engine's to start and stop; its parameters and figures are
    ///     anybody's.
    ///   - policy: what is done when the server goes away.
    /// - Throws: `jack` where the process has too many files open.
    public init(_ unit: any GraphUnit, policy: ReconnectPolicy = ReconnectPolicy(.never)) throws(UnitError) {
        self.unit = unit
        self.policy = policy
        do throws(JackError) {
            supervisor = try Supervisor(unit, policy)
        } catch {
            throw .jack(error)
        }
    }

    deinit { close() }

    public var state: EngineState { supervisor.state }
    /// What has happened: the last 1000 events, oldest first.
    public var events: [EngineEvent] { supervisor.log.events }

    /// How often the server went away and the unit joined it again.
    public var resets: Int { supervisor.resets.load(ordering: .relaxed) }

    /// - Parameter listener: called with each event from now on, in their order, on a worker or on the thread of the call
    ///   that it comes of. It must not call the engine. `nil` ends it.
    public func onEvent(_ listener: (@Sendable (EngineEvent) -> Void)?) { supervisor.log.listen(listener) }

    /// Has something that has joined already leave and join together with the unit from now on.
    public func accompany(with companion: any Companion) { supervisor.add(companion) }

    /// Starts the unit with the connections of its configuration. Thread: control.
    ///
    /// - Throws: `wrongState` where it was started or closed; else what the unit throws, and the state stays what it was.
    public func start() throws(UnitError) {
        try worker.withLock { worker throws(UnitError) in
            worker?.join()
            try supervisor.start()
            do throws(JackError) {
                let supervisor = supervisor
                worker = try Worker.start("iounit-engine") { supervisor.run() }
            } catch {
                supervisor.fail(.jack(error))
                throw .jack(error)
            }
        }
    }

    /// Fades the sound out and stays in the graph; nothing is recorded until `resume`.
    ///
    /// - Throws: `wrongState` where it is not running.
    public func pause() throws(UnitError) { try supervisor.pause() }

    /// Ends a pause, or permits the sound to go on after the server came back (`awaitingConsent`).
    ///
    /// - Throws: `wrongState` where there is neither.
    public func resume() throws(UnitError) { try supervisor.resume() }

    /// Leaves the graph before the program is stopped, as by Ctrl-Z, until `endSuspension`. A client that is stopped in the graph
    /// makes every other one late in sync mode; in async mode jackd 1.9.21 fills its socket with messages, loses its place in
    /// them, and then answers nobody who leaves. What is missing meanwhile is a gap of the cause `restart`.
    ///
    /// - Parameter seconds: how long to wait for JACK at the most.
    /// - Returns: whether no client of the engine's is left in the graph.
    ///
    /// Thread: control.
    public func suspend(within seconds: Double) -> Bool { supervisor.suspend(within: seconds) }

    /// Joins the graph again with the connections that there were, on the engine's worker. Does nothing where the engine is
    /// not suspended. Thread: control.
    public func endSuspension() { supervisor.endSuspension() }

    /// Leaves the graph for good. Calling it again does nothing. Waits for JACK, on a server that stands still for ever.
    /// Thread: control.
    public func close() {
        supervisor.stop()
        worker.withLock { $0?.join() }
        supervisor.close()
    }
}
