import AudioRealtime
import Jack

/// A client's ports, as the control thread knows them.
package struct UnitPorts: Sendable {
    package private(set) var inputs: [Port] = []
    package private(set) var outputs: [Port] = []
    /// `nil` where the unit has no MIDI.
    package private(set) var midi: (input: Port, output: Port)?

    /// For sound, and for MIDI.
    var all: [Port] { inputs + outputs + (midi.map { [$0.input, $0.output] } ?? []) }

    package init() {}

    /// Registers `in_1 … in_N` and `out_1 … out_N`, and with MIDI `midi_in` and `midi_out`.
    package init(
        inputs: Int, outputs: Int, hasMIDI: Bool = false, on client: borrowing Client
    ) throws(JackError) {
        // In turns, so that each input stands beside its output wherever ports are listed in the order of their making.
        for channel in 1...max(inputs, outputs) {
            if channel <= inputs { self.inputs.append(try client.register("in_\(channel)", .input)) }
            if channel <= outputs { self.outputs.append(try client.register("out_\(channel)", .output)) }
        }
        guard hasMIDI else { return }
        midi = (
            try client.register("midi_in", .input, type: PortInfo.midiType),
            try client.register("midi_out", .output, type: PortInfo.midiType)
        )
    }
}

/// A client's ports, as the audio thread knows them: in memory of their own, because it must not touch an array.
@safe struct PortHandles: ~Copyable {
    private(set) var client: ClientHandle?
    private(set) var midiInput: PortHandle?
    private(set) var midiOutput: PortHandle?
    private let inputs: UnsafeMutableBufferPointer<PortHandle>
    private let outputs: UnsafeMutableBufferPointer<PortHandle>

    init(inputs: Int, outputs: Int) {
        unsafe self.inputs = .allocate(capacity: inputs)
        unsafe self.outputs = .allocate(capacity: outputs)
    }

    deinit {
        // SAFETY: allocated above; handles need no destruction.
        unsafe inputs.deallocate()
        unsafe outputs.deallocate()
    }

    /// Thread: control, before activation.
    mutating func wire(_ client: ClientHandle, _ ports: UnitPorts) {
        precondition(unsafe ports.inputs.count == inputs.count && ports.outputs.count == outputs.count)
        self.client = client
        midiInput = ports.midi?.input.handle
        midiOutput = ports.midi?.output.handle
        // SAFETY: as many handles fit, as checked above.
        _ = unsafe inputs.initialize(from: ports.inputs.map(\.handle))
        _ = unsafe outputs.initialize(from: ports.outputs.map(\.handle))
    }

    /// Looks up where JACK has the ports' samples in this cycle. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func find(
        in cycle: borrowing Cycle, _ inputBuffers: borrowing PortBuffers, _ outputBuffers: borrowing PortBuffers
    ) {
        // SAFETY: `wire` initialised them all; a buffer holds the frames of its cycle.
        for channel in unsafe 0..<inputs.count {
            unsafe inputBuffers.set(channel, to: cycle.buffer(of: inputs[channel]))
        }
        for channel in unsafe 0..<outputs.count {
            unsafe outputBuffers.set(channel, to: cycle.buffer(of: outputs[channel]))
        }
    }
}
