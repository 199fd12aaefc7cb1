import Synchronization

/// What the two threads of a queue tell others, and are told.
package struct QueueState: ~Copyable {
    /// Frames of input that were not taken, to make up for silence that was inserted.
    package let droppedFrames = Atomic<UInt64>(0)
    /// Frames of silence that were played because no buffer was ready.
    package let insertedFrames = Atomic<UInt64>(0)
    /// Buffers that the worker was called back with.
    package let buffers = Atomic<UInt64>(0)
    /// Of these, those whose record was lost.
    package let lostBufferRecords = Atomic<UInt64>(0)

    /// How often a flush was asked for.
    package let flushes = Atomic<UInt64>(0)
    /// Set by the control thread: no more input is taken.
    package let isDraining = Atomic<Bool>(false)
    /// Set by the audio thread, when all that was taken has been played and the cycle is over in which it was.
    package let isDrained = Atomic<Bool>(false)

    package init() {}
}
