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
