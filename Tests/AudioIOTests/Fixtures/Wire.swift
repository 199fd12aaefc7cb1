import Jack

/// A bare client that copies its input to its output: what a unit adds is measured against it.
final class Wire {
    private var client: ActiveClient?
    private let state: UnsafeMutablePointer<WireState>

    /// Opens the client `wire` with the ports `in` and `out`.
    init(on server: Server) throws {
        let client = try Client(name: "wire", server: server.name, permitsRenaming: false)
        let input = try client.register("in", .input)
        let output = try client.register("out", .output)
        state = .allocate(capacity: 1)
        state.initialize(to: WireState(client: client.handle, input: input.handle, output: output.handle))
        try client.setProcess(wireCycle, context: state)
        _ = LatencyDeclaration(of: client, inputs: [input], outputs: [output], addedFrames: 0)
        self.client = try client.activate()
    }

    deinit {
        client = nil
        state.deinitialize(count: 1)
        state.deallocate()
    }
}

private struct WireState {
    let client: ClientHandle
    let input: PortHandle
    let output: PortHandle
}

/// Thread: audio.
@c(iounit_test_wire) @_noLocks @_noAllocation
private func wireCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    guard let state = context?.assumingMemoryBound(to: WireState.self) else { return 0 }
    let cycle = Cycle(state.pointee.client, frames: frames)
    if let input = cycle.buffer(of: state.pointee.input), let output = cycle.buffer(of: state.pointee.output) {
        for frame in 0..<cycle.frames { output[frame] = input[frame] }
    }
    cycle.end()
    return 0
}
