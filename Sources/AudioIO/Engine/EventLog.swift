import Synchronization

/// The events of an engine: the last ones, and who listens. Listeners are called in the order of the events, one call at a
/// time, and under no lock: they may call the engine.
final class EventLog: Sendable {
    /// So that one that runs for a year on a bad machine does not eat its memory.
    private static let capacity = 1000

    typealias Listener = @Sendable (EngineEvent) -> Void

    /// Who may listen, at most once each.
    enum Role { case closure, delegate }

    private struct State {
        var events: [EngineEvent] = []
        /// Those that the listeners of then were not called with yet.
        var waiting: [(event: EngineEvent, listeners: [Role: Listener])] = []
        var isDelivering = false
        var listeners: [Role: Listener] = [:]
    }

    private let state = Mutex(State())

    /// The last 1000, oldest first.
    var events: [EngineEvent] { state.withLock { $0.events } }

    func add(_ kind: EngineEvent.Kind) {
        note(kind)
        deliver()
    }

    /// Adds an event whose listeners are called later, by `deliver`: the caller holds a lock.
    func note(_ kind: EngineEvent.Kind) {
        state.withLock { state in
            let event = EngineEvent(kind)
            if state.events.count == Self.capacity { state.events.removeFirst() }
            state.events.append(event)
            if !state.listeners.isEmpty { state.waiting.append((event, state.listeners)) }
        }
    }

    /// Calls the listeners with what waits. Where another thread is about that, or a listener itself has caused the event, that
    /// call goes on with it.
    func deliver() {
        while true {
            let next = state.withLock { state -> (event: EngineEvent, listeners: [Role: Listener])? in
                guard !state.isDelivering, !state.waiting.isEmpty else { return nil }
                state.isDelivering = true
                return state.waiting.removeFirst()
            }
            guard let (event, listeners) = next else { return }
            for listener in listeners.values { listener(event) }
            state.withLock { $0.isDelivering = false }
        }
    }

    /// - Parameter listener: called with each event from now on, in place of the one before; `nil` for nobody.
    func listen(_ role: Role, _ listener: Listener?) {
        // What those before held may call the engine as it ends: under no lock.
        let before = state.withLock { state in
            let before = [state.listeners[role]] + state.waiting.map { $0.listeners[role] }
            state.listeners[role] = listener
            for index in state.waiting.indices { state.waiting[index].listeners[role] = nil }
            return before
        }
        withExtendedLifetime(before) {}
    }
}
