import Jack
import Synchronization

/// The clients of a probe, for those who control it and for its worker.
final class ProbeClients: Sendable {
    struct Both: ~Copyable {
        /// `nil` after `close`.
        var receiver: ProbeClient?
        /// `nil` in a round trip, too.
        var sender: ProbeClient?
    }

    private let both: Mutex<Both>

    init(receiver: consuming sending ProbeClient, sender: consuming sending ProbeClient?) {
        both = Mutex(Both(receiver: receiver, sender: sender))
    }

    func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Both) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try both.withLock { (both: inout sending Both) throws(Failure) in try body(&both) }
    }

    /// Looks at the ports' connections while there is a server.
    ///
    /// - Returns: whether other clients had connected something since the last look.
    func haveForeignConnections(_ connections: ProbeConnections) -> Bool {
        withLock { both in
            guard both.receiver?.client.hasShutDown == false else { return false }
            return both.receiver?.look(connections) ?? false
        }
    }

    func close() {
        withLock { both in
            both.receiver = nil
            both.sender = nil
        }
    }
}
