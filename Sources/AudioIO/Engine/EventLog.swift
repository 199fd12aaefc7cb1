import Synchronization

/// The events of an engine: the last ones, and who listens. The listener is called in the order of the events, one call at a
/// time, and under no lock: it may call the engine.
final class EventLog: Sendable {
    /// So that one that runs for a year on a bad machine does not eat its memory.
    private static let capacity = 1000

    private struct State {
        var events: [EngineEvent] = []
        /// Those that the listener was not called with yet.
        var waiting: [EngineEvent] = []
        var isDelivering = false
        var listener: (@Sendable (EngineEvent) -> Void)?
    }

    private let state = Mutex(State())

    /// The last 1000, oldest first.
    var events: [EngineEvent] { state.withLock { $0.events } }

    func add(_ kind: EngineEvent.Kind) {
        note(kind)
        deliver()
    }

    /// Adds an event whose listener is called later, by `deliver`: the caller holds a lock.
    func note(_ kind: EngineEvent.Kind) {
        state.withLock { state in
            let event = EngineEvent(kind)
            if state.events.count == Self.capacity { state.events.removeFirst() }
            state.events.append(event)
            if state.listener != nil { state.waiting.append(event) }
        }
    }

    /// Calls the listener with what waits. Where another thread is about that, or the listener itself has caused the event, that
    /// call goes on with it.
    func deliver() {
        while true {
            let next = state.withLock { state -> (EngineEvent, (@Sendable (EngineEvent) -> Void)?)? in
                guard !state.isDelivering, !state.waiting.isEmpty else { return nil }
                state.isDelivering = true
                return (state.waiting.removeFirst(), state.listener)
            }
            guard let (event, listener) = next else { return }
            listener?(event)
            state.withLock { $0.isDelivering = false }
        }
    }

    func listen(_ listener: (@Sendable (EngineEvent) -> Void)?) {
        state.withLock { state in
            state.listener = listener
            state.waiting = []
        }
    }
}
