import Jack

/// A client that does to a signal what a path can do to it: delay it, make it louder, turn it over, clip it, add an
/// echo or noise.
final class Effect {
    struct Settings {
        var delayFrames = 1
        var gain: Float = 1
        /// Behind the delay; none at 0.
        var echoFrames = 0
        /// As strong as the signal is at 1.
        var echoGain: Float = 1
        /// Where it is clipped.
        var ceiling = Float.infinity
        /// The peak of white noise that is added.
        var noise: Float = 0
        /// What its ports declare, right or wrong.
        var declaredFrames = 0
    }

    private var client: ActiveClient?
    private let state: UnsafeMutablePointer<State>
    let name: String

    fileprivate struct State {
        let client: ClientHandle
        let input: PortHandle
        let output: PortHandle
        let settings: Settings
        let memory: UnsafeMutablePointer<Float>
        let length: Int
        var place = 0
        var random: UInt32 = 1
    }

    /// Opens a client with the ports `in` and `out`.
    init(_ settings: Settings = Settings(), name: String = "effect", on server: Server) throws {
        let client = try Client(name: name, server: server.name, permitsRenaming: false)
        let input = try client.register("in", .input)
        let output = try client.register("out", .output)
        let length = settings.delayFrames + settings.echoFrames + 1
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: length)
        memory.initialize(repeating: 0, count: length)
        state = .allocate(capacity: 1)
        state.initialize(
            to: State(
                client: client.handle, input: input.handle, output: output.handle, settings: settings, memory: memory,
                length: length))
        self.name = name
        try client.setProcess(effectCycle, context: state)
        _ = LatencyDeclaration(of: client, inputs: [input], outputs: [output], addedFrames: settings.declaredFrames)
        self.client = try client.activate()
    }

    deinit {
        client = nil
        state.pointee.memory.deallocate()
        state.deallocate()
    }
}

/// Thread: audio.
@c(iounit_test_effect) @_noLocks @_noAllocation
private func effectCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    guard let state = context?.assumingMemoryBound(to: Effect.State.self) else { return 0 }
    let cycle = Cycle(state.pointee.client, frames: frames)
    if let input = cycle.buffer(of: state.pointee.input), let output = cycle.buffer(of: state.pointee.output) {
        for frame in 0..<cycle.frames { output[frame] = effect(input[frame], state) }
    }
    cycle.end()
    return 0
}

/// One sample in, one out. Thread: audio.
@_noLocks @_noAllocation
private func effect(_ sample: Float, _ state: UnsafeMutablePointer<Effect.State>) -> Float {
    let settings = state.pointee.settings
    let length = state.pointee.length
    let place = state.pointee.place
    state.pointee.memory[place] = sample
    state.pointee.place = place + 1 == length ? 0 : place + 1
    var sum = state.pointee.memory[(place + length - settings.delayFrames) % length]
    if settings.echoFrames > 0 {
        let echo = place + length - settings.delayFrames - settings.echoFrames
        sum += settings.echoGain * state.pointee.memory[(echo + length) % length]
    }
    // Numerical Recipes' quick generator: white enough for a noise floor.
    state.pointee.random = state.pointee.random &* 1_664_525 &+ 1_013_904_223
    let noise = settings.noise * (Float(state.pointee.random >> 8) / Float(1 << 23) - 1)
    let louder = settings.gain * sum + noise
    return louder > settings.ceiling ? settings.ceiling : louder < -settings.ceiling ? -settings.ceiling : louder
}
