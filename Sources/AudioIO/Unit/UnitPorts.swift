import AudioRealtime
import Jack

/// A unit's ports, as the control thread knows them.
struct UnitPorts: Sendable {
    var inputs: [Port] = []
    var outputs: [Port] = []

    init() {}

    /// Registers `in_1 … in_N` and `out_1 … out_N`.
    init(_ channels: Int, on client: borrowing Client) throws(JackError) {
        for channel in 1...channels {
            inputs.append(try client.register("in_\(channel)", .input))
            outputs.append(try client.register("out_\(channel)", .output))
        }
    }
}

/// A unit's ports, as the audio thread knows them: in memory of their own, because it must not touch an array.
@safe struct PortHandles: ~Copyable {
    private(set) var client: ClientHandle?
    private let inputs: UnsafeMutablePointer<PortHandle>
    private let outputs: UnsafeMutablePointer<PortHandle>
    private let channels: Int

    init(channels: Int) {
        self.channels = channels
        unsafe inputs = .allocate(capacity: channels)
        unsafe outputs = .allocate(capacity: channels)
    }

    deinit {
        // SAFETY: allocated above; handles need no destruction.
        unsafe inputs.deallocate()
        unsafe outputs.deallocate()
    }

    /// Thread: control, before activation.
    mutating func wire(_ client: ClientHandle, _ ports: UnitPorts) {
        precondition(ports.inputs.count == channels && ports.outputs.count == channels)
        self.client = client
        for channel in 0..<channels {
            // SAFETY: `channels` handles fit, as checked above.
            unsafe (inputs + channel).initialize(to: ports.inputs[channel].handle)
            unsafe (outputs + channel).initialize(to: ports.outputs[channel].handle)
        }
    }

    /// Looks up where JACK has the ports' samples in this cycle. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func find(
        in cycle: borrowing Cycle, _ inputBuffers: borrowing PortBuffers, _ outputBuffers: borrowing PortBuffers
    ) {
        for channel in 0..<channels {
            // SAFETY: `wire` initialised `channels` handles; a buffer holds the frames of its cycle.
            unsafe inputBuffers.set(channel, to: cycle.buffer(of: inputs[channel]))
            unsafe outputBuffers.set(channel, to: cycle.buffer(of: outputs[channel]))
        }
    }
}
