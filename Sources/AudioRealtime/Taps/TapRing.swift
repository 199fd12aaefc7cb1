import AudioDSP
import Synchronization

/// A block of a tap with its samples, interleaved: one copy for all readers.
package struct TappedBlock: Sendable {
    package let block: TapBlock
    /// No more than those of the block.
    package let samples: [Float]
}

/// What the audio thread writes a tap's blocks into, and the end from which they are taken. Guarded by the tap's lock, but for
/// the writer.
final class TapRing {
    let writer: Cell<TapWriter>
    let capacity: Int
    private var frames: FrameConsumer
    private var blocks: Consumer<TapBlock>

    /// Blocks of this length and more leave room for their descriptions as long as they find room themselves.
    private static let shortestBlockFrames = 16
    /// So many blocks find room for their descriptions in any tap.
    private static let leastBlocks = 256

    init(channels: Int, capacity: Int, _ account: Cell<TapAccount>) {
        let frames = FrameRing(channels: channels, capacity: capacity)
        let blocks = Ring<TapBlock>(capacity: max(Self.leastBlocks, capacity / Self.shortestBlockFrames))
        self.capacity = capacity
        writer = Cell(TapWriter(frames.producer, blocks.producer, account))
        self.frames = frames.consumer
        self.blocks = blocks.consumer
    }

    var hasBlock: Bool { blocks.hasElement() }

    /// Takes the oldest block; `nil` where there is none.
    func take() -> TappedBlock? {
        guard let block = blocks.pop() else { return nil }
        // The description says that the frames are there: their own count is not looked at, which the audio thread then has
        // for itself.
        let count = Int(block.frames)
        let length = count * frames.channels
        let samples = unsafe [Float](unsafeUninitializedCapacity: length) { buffer, initialized in
            guard let base = buffer.baseAddress else { return }
            // SAFETY: the buffer holds `length` samples, each of which is written.
            frames.read(interleavedInto: unsafe Samples(base, count: length))
            initialized = length
        }
        frames.release(count)
        return TappedBlock(block: block, samples: samples)
    }
}
