import AudioDSP

/// A ring of audio frames between two threads, one plane of samples for each channel.
///
/// Planes, so that each end moves whole runs of memory; a file's interleaving is left to the worker. Lock-free and
/// wait-free at both ends. A write is all or nothing.
@frozen package struct FrameRing: ~Copyable {
    package var producer: FrameProducer
    package var consumer: FrameConsumer

    /// - Parameters:
    ///   - channels: 1 or more.
    ///   - capacity: in frames, 1 or more.
    package init(channels: Int, capacity: Int) {
        precondition(channels >= 1 && capacity >= 1)
        let memory = FrameRingMemory(channels: channels, capacity: capacity)
        producer = FrameProducer(memory, capacity: capacity)
        consumer = FrameConsumer(memory)
    }
}

/// The memory of a frame ring. Each end keeps it; the audio thread never touches the reference.
@safe final class FrameRingMemory: @unchecked Sendable {
    // Sendable: only addresses and sizes are read from it, and they never change.
    let indices = Cell(RingIndices())
    private let samples: Row<Float>
    let channels: Int
    let slots: Int

    init(channels: Int, capacity: Int) {
        self.channels = channels
        slots = slotCount(forCapacity: capacity)
        samples = Row(zeros: channels * slots)
    }

    func planes() -> RingPlanes {
        unsafe RingPlanes(samples: samples.base, channels: channels, slots: slots)
    }
}

/// The samples of a frame ring, addressed by channel and count of frames.
@safe struct RingPlanes {
    private let samples: UnsafeMutablePointer<Float>
    let channels: Int
    let slots: Int

    @unsafe init(samples: UnsafeMutablePointer<Float>, channels: Int, slots: Int) {
        unsafe self.samples = samples
        self.channels = channels
        self.slots = slots
    }

    /// How many of `count` frames from number `start` lie before the end of the plane, where they wrap around.
    @_noLocks @_noAllocation
    func unwrapped(from start: Int, count: Int) -> Int { min(count, slots - (start & (slots - 1))) }

    /// `count` frames from number `start`, which must not wrap.
    @_noLocks @_noAllocation
    func run(_ channel: Int, from start: Int, count: Int) -> Samples {
        let place = start & (slots - 1)
        precondition(channel >= 0 && channel < channels && place + count <= slots)
        // SAFETY: checked on the line above.
        return unsafe Samples(samples + channel * slots + place, count: count)
    }

    /// Copies frames of a channel here, from number `start` on, wherever they wrap.
    @_noLocks @_noAllocation
    func write(_ source: Samples, _ channel: Int, from start: Int) {
        let first = unwrapped(from: start, count: source.count)
        run(channel, from: start, count: first).copy(from: source.slice(from: 0, count: first))
        let rest = source.count - first
        guard rest > 0 else { return }
        run(channel, from: start + first, count: rest).copy(from: source.slice(from: first, count: rest))
    }

    /// Copies frames of a channel from here, from number `start` on, wherever they wrap.
    @_noLocks @_noAllocation
    func read(into target: Samples, _ channel: Int, from start: Int) {
        let first = unwrapped(from: start, count: target.count)
        target.slice(from: 0, count: first).copy(from: run(channel, from: start, count: first))
        let rest = target.count - first
        guard rest > 0 else { return }
        target.slice(from: first, count: rest).copy(from: run(channel, from: start + first, count: rest))
    }
}

/// The end of a frame ring that is written to, by one thread at a time.
@safe package struct FrameProducer: ~Copyable, @unchecked Sendable {
    // Sendable: it cannot be copied, so that only the thread that holds it writes, and only where atomic indices keep the reader
    // out.
    private let memory: FrameRingMemory
    private let planes: RingPlanes
    private var index: WriteIndex

    fileprivate init(_ memory: FrameRingMemory, capacity: Int) {
        self.memory = memory
        planes = memory.planes()
        index = unsafe WriteIndex(memory.indices.pointer, capacity: capacity)
    }

    /// Whether `frames` more frames fit. Thread: the writer's. Wait-free.
    @_noLocks @_noAllocation
    package mutating func hasRoom(for frames: Int) -> Bool { index.hasRoom(for: frames) }

    /// Copies one channel of frames that are to be published next, of which `hasRoom` was true.
    /// Thread: the writer's. Wait-free.
    @_noLocks @_noAllocation
    package func write(_ source: Samples, channel: Int) { planes.write(source, channel, from: index.next) }

    /// As `write`, of the first samples of an array, with silence in place of those that are no sound; returns how many these
    /// were. Thread: the writer's, but never an audio thread.
    @discardableResult
    package func copyFinite(from plane: inout [Float], count: Int, channel: Int) -> Int {
        unsafe plane.withUnsafeMutableBufferPointer { plane in
            guard let base = plane.baseAddress, plane.count >= count else { return 0 }
            // SAFETY: it holds as many, by the line above.
            let samples = unsafe Samples(base, count: count)
            let broken = samples.silenceNotFinite()
            write(samples, channel: channel)
            return broken
        }
    }

    /// Hands over `frames` frames, every channel of which was written. Thread: the writer's. Wait-free.
    @_noLocks @_noAllocation
    package mutating func publish(_ frames: Int) { index.publish(frames) }
}

/// The end of a frame ring that is read from, by one thread at a time.
@safe package struct FrameConsumer: ~Copyable, @unchecked Sendable {
    // Sendable: it cannot be copied, so that only the thread that holds it reads, and only what atomic indices say is written.
    private let memory: FrameRingMemory
    private let planes: RingPlanes
    private var index: ReadIndex

    fileprivate init(_ memory: FrameRingMemory) {
        self.memory = memory
        planes = memory.planes()
        index = unsafe ReadIndex(memory.indices.pointer)
    }

    package var channels: Int { @_noLocks @_noAllocation get { planes.channels } }

    /// How many frames can be read. Thread: the reader's. Wait-free.
    @_noLocks @_noAllocation
    package mutating func available(wanting frames: Int) -> Int { index.available(wanting: frames) }

    /// Copies one channel of the oldest frames, which must be available. Thread: the reader's. Wait-free.
    @_noLocks @_noAllocation
    package func read(into target: Samples, channel: Int) { planes.read(into: target, channel, from: index.next) }

    /// Copies the oldest frames of all channels, which must be available, a sample of each channel in turn.
    /// Thread: the reader's. Wait-free.
    ///
    /// - Parameter target: holds as many whole frames as are read.
    @_noLocks @_noAllocation
    package func read(interleavedInto target: Samples) {
        let frames = target.count / channels
        precondition(frames * channels == target.count)
        var done = 0
        while done < frames {
            let start = index.next + done
            let count = planes.unwrapped(from: start, count: frames - done)
            let part = target.slice(from: done * channels, count: count * channels)
            for channel in 0..<channels {
                planes.run(channel, from: start, count: count).interleave(into: part, channel, of: channels)
            }
            done += count
        }
    }

    /// Gives the oldest `frames` frames back to the writer. Thread: the reader's. Wait-free.
    @_noLocks @_noAllocation
    package mutating func release(_ frames: Int) { index.release(frames) }
}
