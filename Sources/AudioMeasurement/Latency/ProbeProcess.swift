import AudioDSP
import AudioRealtime
import Jack

/// What the audio thread of a probe's client owns: made and wired by the control thread, then reached through its
/// address.
@safe struct ProbeProcess: ~Copyable {
    private let client: ClientHandle
    private let output: PortHandle?
    /// In memory of our own: the audio thread must not touch an array.
    private let inputs: UnsafeMutablePointer<PortHandle>
    private let inputCount: Int
    private let player: ProbePlayer?
    private var capture: ProbeCapture?

    /// - Parameters:
    ///   - output: where `player` is heard, if there is one.
    ///   - inputs: what `capture` hears, if there is one.
    init(
        client: ClientHandle, output: Port?, player: consuming ProbePlayer?, inputs: [Port],
        capture: consuming ProbeCapture?
    ) {
        self.client = client
        self.output = output?.handle
        inputCount = inputs.count
        unsafe self.inputs = .allocate(capacity: max(1, inputs.count))
        for (channel, port) in inputs.enumerated() { unsafe (self.inputs + channel).initialize(to: port.handle) }
        self.player = player
        self.capture = capture
    }

    deinit {
        // SAFETY: allocated above; handles need no destruction, and libjack calls us no more.
        unsafe inputs.deallocate()
    }

    /// Hears a cycle, then plays one: what is heard may be the very memory that is played into. Thread: audio.
    /// Wait-free.
    @_noLocks @_noAllocation
    mutating func run(frames: UInt32) {
        let cycle = Cycle(client, frames: frames)
        let frameTime = cycle.frameTime
        for channel in 0..<inputCount {
            // SAFETY: as many handles were initialised; a buffer holds the frames of its cycle.
            unsafe capture?.inputs.set(channel, to: cycle.buffer(of: inputs[channel]))
        }
        capture?.follow(sampleRate: cycle.sampleRate)
        capture?.take(frames: cycle.frames, frameTime: frameTime)
        if let output, let buffer = unsafe cycle.buffer(of: output) {
            // SAFETY: as above.
            player?.play(into: unsafe Samples(buffer, count: cycle.frames), frameTime: frameTime)
        }
        cycle.end()
    }
}

/// JACK's audio thread comes in here, with a client's `ProbeProcess` as its context.
@c(iounit_probe_process) @_noLocks @_noAllocation
func probeProcess(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    // SAFETY: `ProbeClient` passes the address of one, and keeps it until the client is closed.
    unsafe context?.assumingMemoryBound(to: ProbeProcess.self).pointee.run(frames: frames)
    return 0
}
