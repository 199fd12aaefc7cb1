import Synchronization

/// What the audio thread of a queue is asked for, and what it answers.
package struct QueueState: ~Copyable {
    /// How often a flush was asked for.
    package let flushes = Atomic<UInt64>(0)
    /// Set by the control thread: no more input is taken.
    package let isDraining = Atomic<Bool>(false)
    /// Set by the audio thread, when all that was taken has been played and the cycle is over in which it was.
    package let isDrained = Atomic<Bool>(false)

    package init() {}
}
