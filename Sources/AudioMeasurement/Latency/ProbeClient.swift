import AudioIO
import AudioRealtime
import Jack

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
