import AudioDSP
import Synchronization

/// The audio thread's end of a tap: copies what a node renders, or what goes to the outputs, into a ring, with a description
/// of each block in a second ring. All or nothing for each block (a period, or 8192 frames of a longer one): a block that finds
/// no room in either ring is dropped whole and counted.
@safe package struct TapWriter: ~Copyable {
    private var producer: FrameProducer
    private var blocks: Producer<TapBlock>
    private let cell: Cell<TapAccount>
    private let account: UnsafeMutablePointer<TapAccount>

    init(_ producer: consuming FrameProducer, _ blocks: consuming Producer<TapBlock>, _ account: Cell<TapAccount>) {
        self.producer = producer
        self.blocks = blocks
        cell = account
        unsafe self.account = account.pointer
    }

    /// Whether every reader has room for a period of this length, which comes in so many blocks, and the ring too. Thread: audio.
    /// Wait-free.
    @_noLocks @_noAllocation
    package mutating func hasRoom(for frames: Int, blocks count: Int) -> Bool {
        // SAFETY: here and below, the cell is kept.
        let limit = unsafe account.pointee.limit.load(ordering: .acquiring)
        guard limit != TapAccount.unlimited else { return true }
        let written = unsafe Int(account.pointee.written.load(ordering: .relaxed))
        return written + frames <= limit && producer.hasRoom(for: frames) && blocks.hasRoomRealtime(for: count)
    }

    /// Takes a block of at least one frame over, or drops it; returns whether it found room. Thread: audio. Wait-free.
    @discardableResult @_noLocks @_noAllocation
    package mutating func write(
        _ block: borrowing TapBlock, _ planes: borrowing Planes, _ bundle: Bundle
    ) -> Bool {
        let frames = Int(block.frames)
        guard producer.hasRoom(for: frames) && blocks.hasRoomRealtime(for: 1) else {
            unsafe account.pointee.dropped.count(UInt64(frames))
            return false
        }
        for channel in 0..<bundle.channels {
            producer.write(planes.run(bundle, channel, count: frames), channel: channel)
        }
        // In this order: who sees a description finds the frames.
        producer.publish(frames)
        unsafe account.pointee.written.count(UInt64(frames))
        return blocks.pushRealtime(copy block)
    }
}

/// What the rings of one tap have in common, whichever of them the audio thread writes to.
struct TapAccount: ~Copyable {
    /// Frames that found no room in a ring. Written by the audio thread.
    let dropped = Atomic<UInt64>(0)
    /// Frames that were written. The audio thread alone reads and writes it. Atomic because a plain field would make each change
    /// an access to the whole structure, beside the other threads' loads.
    fileprivate let written = Atomic<UInt64>(0)
    /// How many may be, for the readers to have room for each of them. Written by those.
    let limit = Atomic<Int>(TapAccount.unlimited)

    /// As a limit: nobody reads.
    static var unlimited: Int { @_noLocks @_noAllocation get { .max } }
}
