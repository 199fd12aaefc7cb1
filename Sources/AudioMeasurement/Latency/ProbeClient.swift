import AudioIO
import AudioRealtime
import Jack
import Synchronization

/// A client in the graph that plays the probe signal, or hears what has become of it, or both.
struct ProbeClient: ~Copyable {
    let client: ActiveClient
    let ports: UnitPorts

    /// - Parameters:
    ///   - signal: to be played on `out_1`; `nil` for no output.
    ///   - inputs: `in_1` and so on.
    ///   - capture: of the inputs; `nil` for none.
    ///   - listen: called with what JACK notifies.
    init(
        name: String, server: String?, signal: ProbeSignal?, inputs: Int, capture: Cell<ProbeCapture>?,
        listen: @escaping @Sendable (Notification) -> Void
    ) throws(JackError) {
        let client = try Client(name: name, server: server)
        let player = signal.map { Cell(ProbePlayer($0.samples)) }
        let outputs = player == nil ? 0 : 1
        let ports = try UnitPorts(inputs: inputs, outputs: outputs, on: client)
        // SAFETY: the unit keeps both.
        let unit = unsafe RenderUnit(
            .probe(player?.pointer, capture?.pointer), keeping: [player, capture], inputs: inputs, outputs: outputs)
        try AudioSide.attach(Cell(AudioSide(unit)), to: client, ports)
        client.onNotification(listen)
        self.client = try client.activate()
        self.ports = ports
    }

    /// - Returns: whether other clients had connected something since the last look.
    func look(_ connections: ProbeConnections) -> Bool { connections.look(client) }
}

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
