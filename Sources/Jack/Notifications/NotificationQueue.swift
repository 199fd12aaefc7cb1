import Synchronization

/// Notifications on their way to one reader. The notification thread writes, one task reads; when the reader lags by
/// `capacity`, further ones are dropped and counted in their place. A shutdown is never dropped.
final class NotificationQueue: Sendable {
    static let capacity = 1024

    private struct State {
        var waiting: [Notification] = []
        var isFinished = false
        var readers: [CheckedContinuation<Notification?, Never>] = []

        mutating func add(_ notification: Notification) {
            if case .shutdown = notification { return waiting.append(notification) }
            guard waiting.count >= capacity else { return waiting.append(notification) }
            if case .missed(let count) = waiting[waiting.count - 1] {
                waiting[waiting.count - 1] = .missed(count: count + 1)
            } else {
                waiting.append(.missed(count: 1))
            }
        }
    }

    private let state = Mutex(State())

    /// Thread: notification.
    func put(_ notification: Notification) {
        let reader = state.withLock { state -> CheckedContinuation<Notification?, Never>? in
            if !state.readers.isEmpty { return state.readers.removeFirst() }
            if !state.isFinished { state.add(notification) }
            return nil
        }
        reader?.resume(returning: notification)
    }

    /// No more will come. Thread: any.
    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.resume(returning: nil) }
    }

    /// The next notification, or `nil` after the last one.
    func next() async -> Notification? {
        await withCheckedContinuation { reader in
            let found = state.withLock { state -> Notification?? in
                if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                if state.isFinished { return .some(nil) }
                state.readers.append(reader)
                return nil
            }
            if let found { reader.resume(returning: found) }
        }
    }
}
