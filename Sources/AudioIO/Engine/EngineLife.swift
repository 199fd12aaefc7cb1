import Synchronization

/// The state of an engine, and what has happened to it.
final class EngineLife: Sendable {
    let log = EventLog()
    private let cycle = Mutex(LifeCycle())

    var state: EngineState { cycle.withLock { $0.state } }
    /// Whether there should be a unit in a graph.
    var isAlive: Bool { cycle.withLock { $0.isAlive } }
    var copy: LifeCycle { cycle.withLock { $0 } }

    /// Changes the state; what comes of it is an event. Events are noted under the lock, so that they come in the order of the
    /// states, and the listener is called behind it.
    func change<Result>(_ body: (inout LifeCycle) throws(UnitError) -> Result) throws(UnitError) -> Result {
        defer { log.deliver() }
        return try note(body)
    }

    /// The same; the listener is called later, by `log.deliver`: the caller holds a lock.
    func note<Result>(_ body: (inout LifeCycle) throws(UnitError) -> Result) throws(UnitError) -> Result {
        try cycle.withLock { cycle throws(UnitError) in
            let before = cycle.state
            let result = try body(&cycle)
            if cycle.state != before { log.note(.transition(from: before, to: cycle.state)) }
            return result
        }
    }
}
