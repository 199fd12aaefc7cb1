import AudioRealtime
import Jack

/// A client in the graph that plays the probe signal, or hears what has become of it, or both.
struct ProbeClient: ~Copyable {
    // In this order they end: the audio thread uses the process until the client is closed.
    let client: ActiveClient
    private let process: Cell<ProbeProcess>
    let output: Port?
    let inputs: [Port]

    /// - Parameters:
    ///   - signal: to be played on `out_1`; `nil` for no output.
    ///   - capture: of `in_1` and so on; `nil` for no inputs.
    ///   - listen: is told what JACK notifies.
    init(
        name: String, server: String?, signal: ProbeSignal?, inputs count: Int, capture: consuming ProbeCapture?,
        listen: @escaping @Sendable (Notification) -> Void
    ) throws(JackError) {
        let client = try Client(name: name, server: server)
        var output: Port?
        var player: ProbePlayer?
        if let signal {
            output = try client.register("out_1", .output)
            player = ProbePlayer(signal.samples)
        }
        var inputs: [Port] = []
        for number in 0..<count { inputs.append(try client.register("in_\(number + 1)", .input)) }
        let process = Cell(
            ProbeProcess(client: client.handle, output: output, player: player, inputs: inputs, capture: capture))
        // SAFETY: the process is freed after the client was closed, or here, where none is active.
        unsafe try client.setProcess(probeProcess, context: process.pointer, keeping: process)
        client.onNotification(listen)
        self.client = try client.activate()
        self.process = process
        self.output = output
        self.inputs = inputs
    }
}
