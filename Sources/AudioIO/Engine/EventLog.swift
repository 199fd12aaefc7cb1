import Synchronization

/// The events of an engine: the last ones, and whoever listens.
final class EventLog: Sendable {
    /// So that one that runs for a year on a bad machine does not eat its memory.
    private static let capacity = 1000

    private struct State {
        var events: [EngineEvent] = []
        var listener: (@Sendable (EngineEvent) -> Void)?
    }

    private let state = Mutex(State())

    /// The last 1000, oldest first.
    var events: [EngineEvent] { state.withLock { $0.events } }

    /// Under the lock, so that events reach the listener in their order.
    func add(_ kind: EngineEvent.Kind) {
        state.withLock { state in
            let event = EngineEvent(kind)
            if state.events.count == Self.capacity { state.events.removeFirst() }
            state.events.append(event)
            state.listener?(event)
        }
    }

    func listen(_ listener: (@Sendable (EngineEvent) -> Void)?) { state.withLock { $0.listener = listener } }
}
