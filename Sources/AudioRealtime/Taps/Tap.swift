import AudioDSP
import Synchronization

/// A copy of what a node renders, or of what goes to the outputs, through a ring to a worker, with a description of each block in a second ring. All
/// or nothing for each block (a period, or 8192 frames of a longer one): a block that finds no room in either ring is
/// dropped whole and counted.
@safe package struct TapWriter: ~Copyable {
    private var producer: FrameProducer
    private var blocks: Producer<TapBlock>
    private let dropped: Cell<Atomic<UInt64>>
    private let droppedFrames: UnsafeMutablePointer<Atomic<UInt64>>

    init(
        _ producer: consuming FrameProducer, _ blocks: consuming Producer<TapBlock>, dropped: Cell<Atomic<UInt64>>
    ) {
        self.producer = producer
        self.blocks = blocks
        self.dropped = dropped
        unsafe droppedFrames = dropped.pointer
    }

    /// Whether a period of this length would find room. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func hasRoom(for frames: Int) -> Bool {
        let count = (frames + PlanRunner.maximumFrames - 1) / PlanRunner.maximumFrames
        return producer.hasRoom(for: frames) && blocks.hasRoomRealtime(for: count)
    }

    /// Takes a block of at least one frame over, or drops it; returns whether it found room. Thread: audio. Wait-free.
    @discardableResult @_noLocks @_noAllocation
    package mutating func write(
        _ block: borrowing TapBlock, _ planes: borrowing Planes, _ bundle: Bundle
    ) -> Bool {
        let frames = Int(block.frames)
        guard producer.hasRoom(for: frames) && blocks.hasRoomRealtime(for: 1) else {
            // SAFETY: `dropped` keeps the counter.
            unsafe droppedFrames.pointee.count(UInt64(frames))
            return false
        }
        for channel in 0..<bundle.channels {
            producer.write(planes.run(bundle, channel, count: frames), channel: channel)
        }
        // In this order: who sees a description finds the frames.
        producer.publish(frames)
        return blocks.pushRealtime(copy block)
    }
}

/// The worker's end of a tap. It is read either in blocks or in runs of any length, not now this way and now that.
public struct TapReader: ~Copyable, Sendable {
    private var consumer: FrameConsumer
    private var blocks: Consumer<TapBlock>
    private let dropped: Cell<Atomic<UInt64>>
    /// Frames of blocks whose description was taken and that were not read yet.
    private var begunFrames = 0
    private var plane: [Float] = []

    init(_ consumer: consuming FrameConsumer, _ blocks: consuming Consumer<TapBlock>, dropped: Cell<Atomic<UInt64>>) {
        self.consumer = consumer
        self.blocks = blocks
        self.dropped = dropped
    }

    public var channels: Int { consumer.channels }

    /// Frames that found no room because this end did not read fast enough. Thread: any. Wait-free.
    public var droppedFrames: UInt64 { unsafe dropped.pointer.pointee.load(ordering: .relaxed) }

    /// What `droppedFrames` is read from.
    package var droppedCounter: Cell<Atomic<UInt64>> { dropped }

    /// Reads up to `capacity` frames into `target`, interleaved, and returns how many. Thread: one, the reader's.
    public mutating func read(interleavedInto target: inout [Float], capacity: Int) -> Int {
        while begunFrames < capacity, let block = blocks.pop() { begunFrames += Int(block.frames) }
        let frames = min(begunFrames, capacity)
        take(frames, interleavedInto: &target)
        return frames
    }

    /// Takes the oldest block, as the audio thread handed it over: puts its frames into `target`, interleaved, and returns
    /// what is to be said of it; `nil` when there is none. Thread: one, the reader's.
    public mutating func readBlock(interleavedInto target: inout [Float]) -> TapBlock? {
        precondition(begunFrames == 0, "a tap that was read without regard to blocks cannot be read in blocks")
        guard let block = blocks.pop() else { return nil }
        begunFrames = Int(block.frames)
        take(begunFrames, interleavedInto: &target)
        return block
    }

    private mutating func take(_ frames: Int, interleavedInto target: inout [Float]) {
        let channels = consumer.channels
        if target.count < frames * channels { target = [Float](repeating: 0, count: frames * channels) }
        if plane.count < frames { plane = [Float](repeating: 0, count: frames) }
        // Learns of the frames that were published; the descriptions say that they were.
        _ = consumer.available(wanting: frames)
        for channel in 0..<channels {
            unsafe plane.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress, frames > 0 else { return }
                // SAFETY: `plane` holds at least `frames` samples.
                consumer.read(into: unsafe Samples(base, count: frames), channel: channel)
            }
            for frame in 0..<frames { target[frame * channels + channel] = plane[frame] }
        }
        consumer.release(frames)
        begunFrames -= frames
    }
}

/// Both ends of a tap.
@frozen package struct Tap: ~Copyable {
    package var writer: TapWriter
    package var reader: TapReader

    /// Blocks of this length and more leave room for their descriptions as long as they find room themselves.
    private static let shortestBlockFrames = 16
    /// So many blocks find room for their descriptions in any tap.
    private static let leastBlocks = 256

    package init(channels: Int, capacity: Int) {
        let ring = FrameRing(channels: channels, capacity: capacity)
        let blocks = Ring<TapBlock>(capacity: max(Self.leastBlocks, capacity / Self.shortestBlockFrames))
        let dropped = Cell(Atomic<UInt64>(0))
        writer = TapWriter(ring.producer, blocks.producer, dropped: dropped)
        reader = TapReader(ring.consumer, blocks.consumer, dropped: dropped)
    }
}
