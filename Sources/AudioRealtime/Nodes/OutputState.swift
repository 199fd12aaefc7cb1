import AudioDSP
import Synchronization

/// An output node on the audio thread: the end of a plan. It fades the sound for a pause, shows the levels and writes to the
/// ports; what no input would take for sound is silence there too.
@safe package struct OutputState: ~Copyable {
    // First what each block looks at, on one cache line.
    private var gate = Ramp(1)
    private let meters: UnsafeMutablePointer<MeterCell>
    private let channels: Int
    /// Set by the control thread.
    private let wantsPause = Atomic<Bool>(false)
    private let runaways = Atomic<UInt64>(0)
    private let keeps: Meters

    /// - Parameter meters: of as many channels as the node has.
    package init(_ meters: Meters) {
        keeps = meters
        channels = meters.channels
        unsafe self.meters = meters.cells
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
        precondition(bundle.channels <= channels)
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
            // SAFETY: `keeps` keeps the meters; checked above.
            unsafe meters[channel].add(level, frames: frames)
            if let output = outputs.run(channel, from: start, count: frames) { output.copy(from: plane) }
        }
        if made > 0 { runaways.count(UInt64(made)) }
        gate.advance(by: frames)
    }
}

/// What one channel's meter shows, written by the audio thread and read by any other. Two lie on a cache line.
struct MeterCell: ~Copyable {
    /// Bits of the largest magnitude since the last reading. Of floats that are not negative, the larger has the
    /// larger bits.
    let peak = Atomic<UInt32>(0)
    /// Bits of the largest magnitude since the start.
    let highest = Atomic<UInt32>(0)
    /// Bits of the sum of squares since the start, a `Double`.
    let squares = Atomic<UInt64>(0)
    let frames = Atomic<UInt64>(0)
    let clipped = Atomic<UInt64>(0)

    /// Adds the level of a block. Thread: the renderer's, the only writer. Wait-free.
    @_noLocks @_noAllocation
    func add(_ level: Level, frames count: Int) {
        let bits = level.peak.bitPattern
        // A reader takes the peak away, so that this one alone needs an indivisible step, and seldom.
        if bits > peak.load(ordering: .relaxed) { peak.max(bits, ordering: .relaxed) }
        if bits > highest.load(ordering: .relaxed) { highest.store(bits, ordering: .relaxed) }
        let sum = Double(bitPattern: squares.load(ordering: .relaxed)) + level.sumOfSquares
        squares.store(sum.bitPattern, ordering: .relaxed)
        frames.count(UInt64(count))
        if level.clipped > 0 { clipped.count(UInt64(level.clipped)) }
    }
}

/// The levels of a unit's outputs.
///
/// The audio thread writes each value by itself, so that a reading may lie a block apart from the next one.
@safe public final class Meters: @unchecked Sendable {
    // Sendable: the address never changes and the values behind it are atomic.
    let cells: UnsafeMutablePointer<MeterCell>
    /// That are metered.
    public let channels: Int

    package init(channels: Int) {
        precondition(channels >= 1)
        self.channels = channels
        // On as few cache lines as they need.
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: channels * MemoryLayout<MeterCell>.stride, alignment: 64)
        unsafe cells = memory.bindMemory(to: MeterCell.self, capacity: channels)
        for channel in 0..<channels { unsafe (cells + channel).initialize(to: MeterCell()) }
    }

    deinit {
        // SAFETY: initialised above; the writer is gone with its unit.
        unsafe cells.deinitialize(count: channels)
        unsafe UnsafeMutableRawPointer(cells).deallocate()
    }

    /// What a meter has gathered since the unit was made.
    public struct Totals: Sendable, Equatable {
        /// Largest magnitude, linear.
        public var peak: Float = 0
        /// Sum of the squares of `frames` samples.
        public var sumOfSquares: Double = 0
        /// That were metered of the channel.
        public var frames: UInt64 = 0
        /// Samples at or beyond full scale.
        public var clipped: UInt64 = 0

        /// The root of the mean square, linear; 0 where nothing was heard.
        public var rms: Double { frames == 0 ? 0 : (sumOfSquares / Double(frames)).squareRoot() }

        /// The RMS level between an earlier reading and this one, linear.
        public func rms(since earlier: Totals) -> Double {
            guard frames > earlier.frames else { return 0 }
            let squares = max(0, sumOfSquares - earlier.sumOfSquares)
            return (squares / Double(frames - earlier.frames)).squareRoot()
        }
    }

    /// Thread: any. Wait-free.
    public func totals(_ channel: Int) -> Totals {
        precondition(channel >= 0 && channel < channels)
        // SAFETY: checked on the line above.
        return unsafe Totals(
            peak: Float(bitPattern: cells[channel].highest.load(ordering: .relaxed)),
            sumOfSquares: Double(bitPattern: cells[channel].squares.load(ordering: .relaxed)),
            frames: cells[channel].frames.load(ordering: .relaxed),
            clipped: cells[channel].clipped.load(ordering: .relaxed))
    }

    /// The largest magnitude since this was last asked, linear. One reader. Thread: any. Wait-free.
    public func takePeak(_ channel: Int) -> Float {
        precondition(channel >= 0 && channel < channels)
        // SAFETY: checked on the line above.
        return unsafe Float(bitPattern: cells[channel].peak.exchange(0, ordering: .relaxed))
    }

    /// Adds the level of a block to a channel's, in place of an output node. Thread: the renderer's.
    func add(_ level: Level, frames: Int, channel: Int) {
        precondition(channel >= 0 && channel < channels)
        // SAFETY: checked on the line above.
        unsafe cells[channel].add(level, frames: frames)
    }
}
