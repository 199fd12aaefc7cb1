import CJack
import Synchronization

/// Passes on what JACK's notification thread says.
///
/// libjack holds a pointer to it from before activation until the client is closed.
@safe final class NotificationHub: @unchecked Sendable {
    // Sendable: the client's address never changes, and the rest is behind locks.

    /// The client that speaks. It is open as long as libjack calls.
    let client: OpaquePointer

    init(client: OpaquePointer) { unsafe self.client = client }

    typealias Handler = @Sendable (Notification) -> Void

    private struct Listener {
        var stream: AsyncStream<Notification>.Continuation
        var missed = 0
    }

    private struct State {
        var handlers: [Handler] = []
        var listeners: [Int: Listener] = [:]
        var nextListener = 0
        var hasShutDown = false
    }

    private let state = Mutex(State())
    private let through = Mutex<[LatencyThrough]>([])

    /// Calls the handlers, then feeds the streams. Thread: notification.
    func post(_ notification: Notification) {
        let handlers = state.withLock { state in
            if case .shutdown = notification { state.hasShutDown = true }
            return state.handlers
        }
        for handler in handlers { handler(notification) }
        state.withLock { state in
            for (key, listener) in state.listeners {
                if listener.missed > 0 {
                    guard case .enqueued = listener.stream.yield(.missed(count: listener.missed)) else {
                        state.listeners[key]?.missed += 1
                        continue
                    }
                    state.listeners[key]?.missed = 0
                }
                if case .dropped = listener.stream.yield(notification) { state.listeners[key]?.missed += 1 }
            }
        }
    }

    var hasShutDown: Bool { state.withLock { $0.hasShutDown } }

    func add(_ handler: @escaping Handler) {
        state.withLock { $0.handlers.append(handler) }
    }

    /// A stream of what comes from now on. When its reader lags by 1024, later ones are dropped and counted.
    func stream() -> AsyncStream<Notification> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Notification.self, bufferingPolicy: .bufferingOldest(1024))
        let key = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = Listener(stream: continuation)
            return state.nextListener
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: key) }
        }
        return stream
    }

    /// Ends the streams: the client is closed.
    func finish() {
        let listeners = state.withLock { state in
            defer { state.listeners = [:] }
            return state.listeners.values.map(\.stream)
        }
        for listener in listeners { listener.finish() }
    }

    func answerLatency(_ pairs: [LatencyThrough]) {
        through.withLock { $0 = pairs }
    }

    /// Answers JACK's question for the latencies of our ports. Thread: notification.
    func recomputeLatency(_ mode: jack_latency_callback_mode_t) {
        for pair in through.withLock({ $0 }) { pair.recompute(mode) }
    }
}
