import AudioDSP
import Synchronization

/// What one channel's meter shows, written by the audio thread and read by any other.
struct MeterCell: ~Copyable {
    /// Bits of the largest magnitude since the last reading. Of floats that are not negative, the larger has the
    /// larger bits.
    let peak = Atomic<UInt32>(0)
    /// Bits of the largest magnitude since the start.
    let highest = Atomic<UInt32>(0)
    /// Bits of the sum of squares since the start, a `Double`.
    let squares = Atomic<UInt64>(0)
    let clipped = Atomic<UInt64>(0)
}

/// The levels of a unit's outputs.
///
/// The audio thread writes each value by itself, so that a reading may lie a block apart from the next one.
@safe public final class Meters: @unchecked Sendable {
    // Sendable: the addresses never change and what is behind them is atomic.
    private let cells: UnsafeMutablePointer<MeterCell>
    private let frames = Cell(Atomic<UInt64>(0))
    /// That are metered.
    public let channels: Int

    package init(channels: Int) {
        precondition(channels >= 1)
        self.channels = channels
        unsafe cells = .allocate(capacity: channels)
        for channel in 0..<channels { unsafe (cells + channel).initialize(to: MeterCell()) }
    }

    deinit {
        // SAFETY: initialised above; the writer is gone with its unit.
        unsafe cells.deinitialize(count: channels)
        unsafe cells.deallocate()
    }

    /// What a meter has gathered since the unit was made.
    public struct Totals: Sendable, Equatable {
        /// Largest magnitude, linear.
        public var peak: Float = 0
        /// Sum of the squares of `frames` samples.
        public var sumOfSquares: Double = 0
        /// That were metered, of each channel.
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
            frames: frames.pointer.pointee.load(ordering: .relaxed),
            clipped: cells[channel].clipped.load(ordering: .relaxed))
    }

    /// The largest magnitude since this was last asked, linear. One reader. Thread: any. Wait-free.
    public func takePeak(_ channel: Int) -> Float {
        precondition(channel >= 0 && channel < channels)
        // SAFETY: checked on the line above.
        return unsafe Float(bitPattern: cells[channel].peak.exchange(0, ordering: .relaxed))
    }

    var writer: MeterWriter { unsafe MeterWriter(cells: cells, frames: frames.pointer, channels: channels) }
}

/// The audio thread's side of the meters. Whoever holds it keeps the `Meters` too.
@safe struct MeterWriter {
    private let cells: UnsafeMutablePointer<MeterCell>
    private let frames: UnsafeMutablePointer<Atomic<UInt64>>
    private let channels: Int

    @unsafe init(cells: UnsafeMutablePointer<MeterCell>, frames: UnsafeMutablePointer<Atomic<UInt64>>, channels: Int) {
        unsafe self.cells = cells
        unsafe self.frames = frames
        self.channels = channels
    }

    /// Adds a block's level to a channel's. Thread: audio, the only writer. Wait-free.
    @_noLocks @_noAllocation
    func add(_ level: Level, channel: Int) {
        precondition(channel >= 0 && channel < channels)
        // SAFETY: checked on the line above; the unit keeps the meters.
        let bits = level.peak.bitPattern
        // A reader takes the peak away, so that this one alone needs an indivisible step, and seldom.
        if unsafe bits > cells[channel].peak.load(ordering: .relaxed) {
            unsafe cells[channel].peak.max(bits, ordering: .relaxed)
        }
        if unsafe bits > cells[channel].highest.load(ordering: .relaxed) {
            unsafe cells[channel].highest.store(bits, ordering: .relaxed)
        }
        let squares = unsafe Double(bitPattern: cells[channel].squares.load(ordering: .relaxed))
        unsafe cells[channel].squares.store((squares + level.sumOfSquares).bitPattern, ordering: .relaxed)
        if level.clipped > 0 { unsafe cells[channel].clipped.count(UInt64(level.clipped)) }
    }

    /// Counts the frames of a block that was added to every channel. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func advance(by count: Int) {
        // SAFETY: the unit keeps the meters.
        unsafe frames.pointee.count(UInt64(count))
    }
}
