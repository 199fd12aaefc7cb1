import AudioDSP
import Synchronization

/// A copy of what goes to the outputs, through a ring to a worker. All or nothing for each block (a period, or
/// 8192 frames of a longer one): a block that finds no room is dropped whole and counted.
@safe package struct TapWriter: ~Copyable {
    private var producer: FrameProducer
    private let dropped: Cell<Atomic<UInt64>>
    private let droppedFrames: UnsafeMutablePointer<Atomic<UInt64>>
    private var accepts = false

    init(_ producer: consuming FrameProducer, dropped: Cell<Atomic<UInt64>>) {
        self.producer = producer
        self.dropped = dropped
        unsafe droppedFrames = dropped.pointer
    }

    /// Whether a block of this length would find room. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func hasRoom(for frames: Int) -> Bool { producer.hasRoom(for: frames) }

    /// Decides on a block; returns how many frames are dropped. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func begin(frames: Int) -> Int {
        accepts = producer.hasRoom(for: frames)
        if accepts { return 0 }
        // SAFETY: `dropped` keeps the counter.
        unsafe droppedFrames.pointee.add(UInt64(frames), ordering: .relaxed)
        return frames
    }

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func write(_ block: Samples, channel: Int) {
        if accepts { producer.write(block, channel: channel) }
    }

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func end(frames: Int) {
        if accepts { producer.publish(frames) }
    }
}

/// The worker's end of a tap.
public struct TapReader: ~Copyable, Sendable {
    package var consumer: FrameConsumer
    private let dropped: Cell<Atomic<UInt64>>

    init(_ consumer: consuming FrameConsumer, dropped: Cell<Atomic<UInt64>>) {
        self.consumer = consumer
        self.dropped = dropped
    }

    public var channels: Int { consumer.channels }

    /// Frames that found no room because this end did not read fast enough. Thread: any. Wait-free.
    public var droppedFrames: UInt64 { unsafe dropped.pointer.pointee.load(ordering: .relaxed) }

    /// Reads up to `capacity` frames into `target`, interleaved, and returns how many. Thread: one, the reader's.
    public mutating func read(interleavedInto target: inout [Float], capacity: Int) -> Int {
        let channels = consumer.channels
        let frames = min(consumer.available(wanting: capacity), capacity)
        if target.count < frames * channels { target = [Float](repeating: 0, count: frames * channels) }
        if plane.count < frames { plane = [Float](repeating: 0, count: frames) }
        for channel in 0..<channels {
            unsafe plane.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress, frames > 0 else { return }
                // SAFETY: `plane` holds at least `frames` samples.
                consumer.read(into: unsafe Samples(base, count: frames), channel: channel)
            }
            for frame in 0..<frames { target[frame * channels + channel] = plane[frame] }
        }
        consumer.release(frames)
        return frames
    }

    private var plane: [Float] = []
}

/// Both ends of a tap.
@frozen package struct Tap: ~Copyable {
    package var writer: TapWriter
    package var reader: TapReader

    package init(channels: Int, capacity: Int) {
        let ring = FrameRing(channels: channels, capacity: capacity)
        let dropped = Cell(Atomic<UInt64>(0))
        writer = TapWriter(ring.producer, dropped: dropped)
        reader = TapReader(ring.consumer, dropped: dropped)
    }
}
