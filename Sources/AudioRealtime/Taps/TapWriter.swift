import AudioDSP
import Synchronization

/// The audio thread's end of a tap: copies what a node renders, or what goes to the outputs, into a ring, with a description
/// of each block in a second ring. All or nothing for each block (a period, or 8192 frames of a longer one): a block that finds
/// no room in either ring is dropped whole and counted.
@safe package struct TapWriter: ~Copyable {
    private var producer: FrameProducer
    private var blocks: Producer<TapBlock>
    private let dropped: Cell<Atomic<UInt64>>
    private let droppedFrames: UnsafeMutablePointer<Atomic<UInt64>>
    private let limit: Cell<Atomic<Int>>
    private let frameLimit: UnsafeMutablePointer<Atomic<Int>>
    private var writtenFrames = 0
    /// As a limit: nobody reads.
    static var unlimited: Int { @_noLocks @_noAllocation get { .max } }

    /// - Parameters:
    ///   - dropped: counts frames that find no room.
    ///   - limit: how many frames may be written in all, for the readers to have room for each of them.
    init(
        _ producer: consuming FrameProducer, _ blocks: consuming Producer<TapBlock>, dropped: Cell<Atomic<UInt64>>,
        limit: Cell<Atomic<Int>>
    ) {
        self.producer = producer
        self.blocks = blocks
        self.dropped = dropped
        unsafe droppedFrames = dropped.pointer
        self.limit = limit
        unsafe frameLimit = limit.pointer
    }

    /// Whether every reader has room for a period of this length, and the ring too. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func hasRoom(for frames: Int) -> Bool {
        // SAFETY: here and below, the cells are kept.
        let limit = unsafe frameLimit.pointee.load(ordering: .acquiring)
        guard limit != Self.unlimited else { return true }
        let count = (frames + PlanRunner.maximumFrames - 1) / PlanRunner.maximumFrames
        return writtenFrames + frames <= limit && producer.hasRoom(for: frames)
            && blocks.hasRoomRealtime(for: count)
    }

    /// Takes a block of at least one frame over, or drops it; returns whether it found room. Thread: audio. Wait-free.
    @discardableResult @_noLocks @_noAllocation
    package mutating func write(
        _ block: borrowing TapBlock, _ planes: borrowing Planes, _ bundle: Bundle
    ) -> Bool {
        let frames = Int(block.frames)
        guard producer.hasRoom(for: frames) && blocks.hasRoomRealtime(for: 1) else {
            unsafe droppedFrames.pointee.count(UInt64(frames))
            return false
        }
        for channel in 0..<bundle.channels {
            producer.write(planes.run(bundle, channel, count: frames), channel: channel)
        }
        // In this order: who sees a description finds the frames.
        producer.publish(frames)
        writtenFrames += frames
        return blocks.pushRealtime(copy block)
    }
}
