import AudioDSP
import Synchronization

/// What the audio thread says of a block of a receiver, so that a worker can hold the clocks together.
package struct ReceiverReading: BitwiseCopyable, Sendable {
    /// When the callback began, on the monotonic clock.
    package var entryNanoseconds: UInt64
    /// Frames that the unit rendered before this block.
    package var position: UInt64
    /// How many frames are read from there at a time: the cycle's, in however many blocks.
    package var frames: Int
    /// The frame of the stream that the block's first frame was made at.
    package var streamFrame: Double
    /// Frames that had not come in time, since the feed began.
    package var underrunFrames: Int
    package var jumps: Int
}

/// A stream on its way from a worker to a receiver node: frames one after the other, each with its number.
///
/// The worker writes them without a hole. The audio thread reads at a place of its own, between two frames, which moves on by
/// `step` with each frame that it makes. Frames before the first one, and frames that have not come, are silence there. A frame
/// that comes too late is not heard: the place never waits, so that the delay cannot grow.
@safe package struct ReceiverFeed: ~Copyable {
    /// Of the server, in hertz. At another rate nothing is taken from it.
    let sampleRate: Int
    private var consumer: FrameConsumer
    private var resampler: VariableResampler
    /// Written here, read by the worker.
    private var readings: Producer<ReceiverReading>
    /// The number of the oldest frame in the ring.
    private var oldest: Int
    /// The number of the frame that goes into the resampler next.
    private var next: Int
    private var underrunFrames = 0
    private var jumps = 0
    /// When the callback began of which the last reading told, on the monotonic clock.
    private var toldNanoseconds: UInt64 = 0
    private var level = Ramp(1)
    /// When the place that it begins at is right, on the monotonic clock; `nil` once it has begun.
    private var startNanoseconds: UInt64?
    /// Frames of the stream for one of the server's: the bits of a Double.
    private let stepBits: Atomic<UInt64>
    /// The frames to jump in total and the number of jumps asked for, in one word, so that both change together.
    private let jumpOrder = Atomic<Int>(0)
    private var jumpedFrames = 0

    /// - Parameters:
    ///   - consumer: of as many channels as the node has.
    ///   - readings: a reading that finds no room is left out.
    ///   - step: frames of the stream for one of the server's.
    ///   - first: the number of the first frame in the ring.
    ///   - streamFrame: the place where it begins, if that were at once.
    ///   - nanoseconds: when that is, on the monotonic clock: with the first block, which comes up to a period later, the place has moved on.
    ///   - sampleRate: of the server, in hertz.
    package init(
        _ consumer: consuming FrameConsumer, readings: consuming Producer<ReceiverReading>, step: Double,
        first: Int, from streamFrame: Int, at nanoseconds: UInt64, sampleRate: Int
    ) {
        let step = Self.possible(step)
        resampler = VariableResampler(channels: consumer.channels, step: step)
        self.consumer = consumer
        self.readings = readings
        self.sampleRate = sampleRate
        oldest = first
        next = streamFrame + resampler.halfFrames + 1
        startNanoseconds = nanoseconds
        stepBits = Atomic(step.bitPattern)
    }

    // The worker's side.

    /// How fast the place moves from now on. Thread: worker. Wait-free.
    package func setStep(_ step: Double) {
        stepBits.store(Self.possible(step).bitPattern, ordering: .relaxed)
    }

    /// Two clocks are never exactly as fast as they say: of the fastest stream for a server a step may be a little more.
    private static func possible(_ step: Double) -> Double { max(1e-4, min(step, VariableResampler.longestStep)) }

    /// Has the place jump by whole frames, once. The next reading that counts one more jump was made behind it.
    /// Thread: worker. Wait-free.
    package func jump(by frames: Int) {
        let order = jumpOrder.load(ordering: .relaxed)
        let count = (order &+ 1) & 0xffff
        jumpOrder.store(((order >> 16) &+ frames) << 16 | count, ordering: .releasing)
    }

    // The audio thread's side.

    /// Renders a block. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func process(_ planes: borrowing Planes, _ bundle: Bundle, _ block: borrowing TapBlock, rampFrames: Int) {
        takeJump(rampFrames)
        let step = Double(bitPattern: stepBits.load(ordering: .relaxed))
        begin(at: block.entryNanoseconds, step)
        tell(of: block)
        var start = 0
        while start < Int(block.frames) {
            let count = min(VariableResampler.sliceFrames, Int(block.frames) - start)
            pull(resampler.wanted(for: count, step: step))
            for channel in 0..<bundle.channels {
                let target = planes.run(bundle, channel, from: start, count: count)
                resampler.render(channel, into: target, step: step)
            }
            resampler.advance(by: count, step: step)
            start += count
        }
        guard level.remaining > 0 else { return }
        let count = min(level.remaining, Int(block.frames))
        for channel in 0..<bundle.channels { planes.run(bundle, channel, count: count).applyGain(level) }
        level.advance(by: count)
    }

    /// Tells the worker where a callback begins to read, and how much it reads at once, in however many blocks.
    @_noLocks @_noAllocation
    private mutating func tell(of block: borrowing TapBlock) {
        let callback = block.cycle.entryNanoseconds
        guard callback == 0 || callback != toldNanoseconds else { return }
        toldNanoseconds = callback
        let place = Double(next - resampler.halfFrames - 1) + resampler.phase
        let reading = ReceiverReading(
            entryNanoseconds: block.entryNanoseconds, position: block.position, frames: block.burst, streamFrame: place,
            underrunFrames: underrunFrames, jumps: jumps)
        _ = readings.push(reading)
    }

    /// Before the first block: moves the place on to where it is by now.
    @_noLocks @_noAllocation
    private mutating func begin(at nanoseconds: UInt64, _ step: Double) {
        guard let start = startNanoseconds else { return }
        startNanoseconds = nil
        guard nanoseconds > start else { return }
        next += Int(Double(nanoseconds - start) / 1e9 * Double(sampleRate) * step)
    }

    @_noLocks @_noAllocation
    private mutating func takeJump(_ rampFrames: Int) {
        let order = jumpOrder.load(ordering: .acquiring)
        guard order & 0xffff != jumps & 0xffff else { return }
        // More than one may have come meanwhile.
        jumps += (order &- jumps) & 0xffff
        let total = order >> 16
        next += total - jumpedFrames
        jumpedFrames = total
        level = Ramp(0)
        level.move(to: 1, over: rampFrames)
    }

    /// Moves frames into the resampler, with silence for those that there are none of.
    @_noLocks @_noAllocation
    private mutating func pull(_ count: Int) {
        discard()
        let before = min(count, max(0, oldest - next))
        // Frames that come between here and `discard` are late: the next block drops them.
        let available = oldest < next ? 0 : min(count - before, consumer.available(wanting: count - before))
        for channel in 0..<consumer.channels {
            resampler.room(channel, from: 0, count: before).clear()
            consumer.read(into: resampler.room(channel, from: before, count: available), channel: channel)
            resampler.room(channel, from: before + available, count: count - before - available).clear()
        }
        consumer.release(available)
        oldest += available
        next += count
        underrunFrames += count - before - available
    }

    /// Lets go of frames that the place has passed before they came.
    @_noLocks @_noAllocation
    private mutating func discard() {
        while oldest < next {
            let count = consumer.available(wanting: next - oldest)
            guard count > 0 else { return }
            let passed = min(count, next - oldest)
            consumer.release(passed)
            oldest += passed
        }
    }
}

/// A receiver node on the audio thread: plays the feed that a worker has put there last.
@safe package struct ReceiverState: ~Copyable {
    private var sampleRate: Int
    private let exchange: Cell<ReceiverExchange>

    /// - Parameter sampleRate: in hertz.
    package init(_ exchange: Cell<ReceiverExchange>, sampleRate: Int) {
        self.exchange = exchange
        self.sampleRate = sampleRate
    }

    /// Thread: control, while nothing is processed.
    package mutating func reset(sampleRate: Int) { self.sampleRate = sampleRate }

    /// Between two blocks. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func changeRate(to sampleRate: Int) { self.sampleRate = sampleRate }

    /// Renders a block. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func process(_ planes: borrowing Planes, _ bundle: Bundle, _ block: borrowing TapBlock, rampFrames: Int) {
        // SAFETY: the cell keeps the exchange, and the worker each feed that is in it or was taken last.
        unsafe exchange.pointer.pointee.blockFrames.store(block.burst, ordering: .relaxed)
        if let feed = unsafe exchange.pointer.pointee.take(), unsafe feed.pointee.sampleRate == sampleRate {
            return unsafe feed.pointee.process(planes, bundle, block, rampFrames: rampFrames)
        }
        for channel in 0..<bundle.channels { planes.run(bundle, channel, count: Int(block.frames)).clear() }
    }
}

extension TapBlock {
    /// How many frames are rendered at a time, of which this block may be a part.
    fileprivate var burst: Int { @_noLocks @_noAllocation get { Int(max(frames, cycle.burstFrames)) } }
}

/// Where a worker leaves a feed for the audio thread.
@safe package struct ReceiverExchange: ~Copyable {
    private let offered = Atomic<UInt>(0)
    private let taken = Atomic<UInt>(0)
    fileprivate let blockFrames = Atomic<Int>(0)
    /// What the audio thread may have looked at last.
    private var kept: [Cell<ReceiverFeed>] = []

    package init() {}

    /// Offers another feed, or none. It is to be kept until another one has been taken. Thread: worker. Wait-free.
    package func offer(_ feed: Cell<ReceiverFeed>?) {
        // SAFETY: an address; the caller keeps what is there.
        let address = feed.map { unsafe UInt(bitPattern: $0.pointer) } ?? 0
        offered.store(address, ordering: .releasing)
    }

    /// Keeps feeds as long as the exchange lives, where nobody else does. Thread: worker, at its end.
    package mutating func keep(_ feeds: [Cell<ReceiverFeed>]) { kept = feeds }

    /// Whether the audio thread has the feed that was offered last, and so no other. Thread: worker. Wait-free.
    package var isTaken: Bool { taken.load(ordering: .acquiring) == offered.load(ordering: .relaxed) }

    /// Length of the last block in frames; `nil` before the first. Thread: worker. Wait-free.
    package var period: Int? {
        let frames = blockFrames.load(ordering: .relaxed)
        return frames > 0 ? frames : nil
    }

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func take() -> UnsafeMutablePointer<ReceiverFeed>? {
        let address = offered.load(ordering: .acquiring)
        taken.store(address, ordering: .releasing)
        // SAFETY: as above.
        return unsafe UnsafeMutablePointer(bitPattern: address)
    }
}
