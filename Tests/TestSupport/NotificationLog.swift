import Jack
import Synchronization

/// Everything that a client's handler was told, in order.
public final class NotificationLog: Sendable {
    private let notifications = Mutex<[Notification]>([])

    public init<Client: JackClient & ~Copyable>(of client: borrowing Client) {
        client.onNotification { [weak self] notification in
            self?.notifications.withLock { $0.append(notification) }
        }
    }

    public var all: [Notification] { notifications.withLock { $0 } }

    public func contains(_ notification: Notification) -> Bool { all.contains(notification) }

    public var hasShutdown: Bool { all.contains { if case .shutdown = $0 { true } else { false } } }
    public var xruns: Int { all.count { if case .xrun = $0 { true } else { false } } }
}
