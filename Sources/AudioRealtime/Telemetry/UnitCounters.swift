import Synchronization

/// What is counted of a unit while it runs, for any thread to read. Each has one thread that writes it.
package struct UnitCounters: ~Copyable {
    // Written by the audio thread.
    package let cycles = Atomic<UInt64>(0)
    package let frames = Atomic<UInt64>(0)
    /// Cycles whose record was lost. Each record tells of those before it; this tells of the last ones too.
    package let lostRecords = Atomic<UInt64>(0)
    /// Samples of the input that were NaN, infinite or absurd, and came out as silence.
    package let nonFinite = Atomic<UInt64>(0)
    /// Frames of input that a queue did not take, to make up for silence that was inserted.
    package let droppedFrames = Atomic<UInt64>(0)
    /// Frames of silence that were played because no buffer was ready.
    package let insertedFrames = Atomic<UInt64>(0)

    // Written by a queue's worker.
    /// Buffers that it was called back with.
    package let buffers = Atomic<UInt64>(0)
    /// Of these, those whose record was lost.
    package let lostBufferRecords = Atomic<UInt64>(0)
    /// Samples that a user's `process` left not finite in buffers, and that came out as silence.
    package let processedNonFinite = Atomic<UInt64>(0)

    package init() {}
}

extension Atomic where Value == UInt64 {
    /// Adds to a counter that no other thread writes. Thread: the writer's. Wait-free.
    ///
    /// A load and a store, because an indivisible addition makes the processor finish all stores before it: after
    /// a pause, when each of them misses the caches, that cost the audio thread more than the block itself.
    @_noLocks @_noAllocation
    func count(_ more: UInt64) { store(load(ordering: .relaxed) &+ more, ordering: .relaxed) }
}
