import CJack
import Synchronization

/// Passes on what JACK's notification thread says.
///
/// libjack holds a pointer to it from before activation until the client is closed.
@safe final class NotificationHub: @unchecked Sendable {
    // Sendable: the client's address and name never change, libjack's functions on clients may be called from any thread, and
    // the rest is atomic or behind locks.

    /// The client that speaks. It is open as long as libjack calls.
    let client: OpaquePointer
    /// Its name, which the server may have made of the one that was asked for.
    let name: String

    /// The kernel's number of the audio thread; 0 before it runs.
    let audioThread = Atomic<Int32>(0)

    /// Set where libjack has freed the client by itself.
    let isFreed = Atomic<Bool>(false)

    /// Set where the audio thread had not started when libjack gave up waiting for it. It still will, and libjack never
    /// ends it: the client must then stay open as long as the process, or the thread would begin in freed memory.
    let hasLateThread = Atomic<Bool>(false)

    /// What the process callback uses: it ends with the hub, and so after the close.
    private let kept = Mutex<[any AnyObject & Sendable]>([])

    init(client: OpaquePointer) {
        unsafe self.client = client
        name = unsafe jack_get_client_name(client).map { unsafe String(cString: $0) } ?? ""
    }

    func keep(_ object: any AnyObject & Sendable) { kept.withLock { $0.append(object) } }

    typealias Handler = @Sendable (Notification) -> Void

    /// A queue lives as long as the stream that reads it.
    private struct Listener {
        weak var queue: NotificationQueue?
    }

    private struct State {
        var handlers: [Handler] = []
        var listeners: [Listener] = []
        /// Set once the server is gone.
        var shutdown: Notification?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let through = Mutex<[LatencyThrough]>([])

    /// Calls the handlers, then feeds the streams. After a shutdown nothing follows, though libjack may say that the
    /// server's ports go too. Thread: notification.
    func post(_ notification: Notification) {
        let (handlers, queues) = state.withLock { state -> ([Handler], [NotificationQueue]) in
            guard state.shutdown == nil else { return ([], []) }
            if case .shutdown = notification { state.shutdown = notification }
            state.listeners.removeAll { $0.queue == nil }
            return (state.handlers, state.listeners.compactMap(\.queue))
        }
        for handler in handlers { handler(notification) }
        for queue in queues {
            queue.put(notification)
            if case .shutdown = notification { queue.finish() }
        }
    }

    /// Also where libjack has freed the client because its server ended, and could not tell it so any more.
    var hasShutDown: Bool { isFreed.load(ordering: .acquiring) || state.withLock { $0.shutdown != nil } }

    /// One that comes after the shutdown is told of it at once.
    func add(_ handler: @escaping Handler) {
        let shutdown = state.withLock { state in
            state.handlers.append(handler)
            return state.shutdown
        }
        if let shutdown { handler(shutdown) }
    }

    /// A stream of what comes from now on; of the shutdown, if that has come already.
    func stream() -> AsyncStream<Notification> {
        let queue = NotificationQueue()
        state.withLock { state in
            if let shutdown = state.shutdown { queue.put(shutdown) }
            if state.shutdown != nil || state.isClosed { return queue.finish() }
            state.listeners.append(Listener(queue: queue))
        }
        return AsyncStream {
            await queue.next()
        } onCancel: {
            queue.finish()
        }
    }

    /// Ends the streams: the client is about to be closed. Returns whether this is the first call.
    func finish() -> Bool {
        let queues = state.withLock { state -> [NotificationQueue]? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            state.handlers = []
            defer { state.listeners = [] }
            return state.listeners.compactMap(\.queue)
        }
        for queue in queues ?? [] { queue.finish() }
        return queues != nil
    }

    func answerLatency(_ pairs: [LatencyThrough]) {
        through.withLock { $0 = pairs }
    }

    /// Answers JACK's question for the latencies of our ports. Thread: notification.
    func recomputeLatency(_ mode: jack_latency_callback_mode_t) {
        LatencyThrough.recompute(through.withLock { $0 }, mode)
    }
}
