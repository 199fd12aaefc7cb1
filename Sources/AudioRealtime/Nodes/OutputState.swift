import AudioDSP
import Synchronization

/// An output node on the audio thread: the end of a plan. It fades the sound for a pause, shows the levels and writes to the
/// ports; what no input would take for sound is silence there too.
@safe package struct OutputState: ~Copyable {
    // First what each block looks at, on one cache line.
    private var gate = Ramp(1)
    private let meters: MeterWriter
    /// Set by the control thread.
    private let wantsPause = Atomic<Bool>(false)
    private let runaways = Atomic<UInt64>(0)
    private let shownMeters: Meters

    /// - Parameter meters: of as many channels as the node has.
    package init(_ meters: Meters) {
        shownMeters = meters
        self.meters = meters.writer
    }

    // Control.

    /// Fades the sound out; once it is silent, nothing goes to the taps. Or fades it in. Thread: any but audio.
    package func setPause(_ isPaused: Bool) { wantsPause.store(isPaused, ordering: .relaxed) }

    /// Whether it is paused, or fades out to be. Thread: any but audio.
    package var isPaused: Bool { wantsPause.load(ordering: .relaxed) }

    /// Samples that were not finite though the inputs were, and became silence. Thread: any but audio.
    package var runawaySamples: UInt64 { runaways.load(ordering: .relaxed) }

    /// Takes over at once what is wanted. Thread: control, while nothing is rendered.
    package mutating func reset() { gate = Ramp(target) }

    // Audio.

    private var target: Float { @_noLocks @_noAllocation get { wantsPause.load(ordering: .relaxed) ? 0 : 1 } }

    /// Begins a block; returns whether any of it may be heard: else it goes to no tap. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func begin(rampFrames: Int) -> Bool {
        // One that was shut before is silent up to here, but what opens now is kept.
        if gate.target != target { gate.move(to: target, over: rampFrames) }
        return gate.target == 1 || gate.remaining > 0
    }

    /// Ends a block. Out of line, as what other nodes do. Thread: audio. Wait-free.
    ///
    /// - Parameters:
    ///   - bundle: what has arrived, `frames` long. It is then as it has gone to the ports.
    ///   - outputs: the port buffers, one for each channel; or none, where the sound goes nowhere.
    ///   - start: the block's first frame in them.
    ///   - made: samples that were not finite before, though the inputs were.
    @inline(never) @_noLocks @_noAllocation
    mutating func write(
        _ planes: borrowing Planes, _ bundle: Bundle, to outputs: borrowing PortBuffers, from start: Int, frames: Int,
        made: Int
    ) {
        var made = made
        for channel in 0..<min(bundle.channels, outputs.channels) {
            let plane = planes.run(bundle, channel, count: frames)
            if gate.remaining > 0 || gate.target != 1 { plane.applyGain(gate) }
            var level = plane.level()
            // The peak finds what is finite, the sum what is no number: most blocks cost no more than these comparisons.
            if level.peak > Samples.largestMagnitude || !level.sumOfSquares.isFinite {
                made += plane.silenceNotFinite()
                level = plane.level()
            }
            meters.add(level, channel: channel)
            if let output = outputs.run(channel, from: start, count: frames) { output.copy(from: plane) }
        }
        if made > 0 { runaways.count(UInt64(made)) }
        gate.advance(by: frames)
        meters.advance(by: frames)
    }
}
