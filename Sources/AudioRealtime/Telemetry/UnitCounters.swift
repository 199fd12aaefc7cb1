import Synchronization

/// What a unit counts while it runs, for any thread to read. Its renderer's thread writes it.
package struct UnitCounters: ~Copyable {
    package let cycles = Atomic<UInt64>(0)
    package let frames = Atomic<UInt64>(0)
    /// Cycles whose record was lost. Each record tells of those before it; this tells of the last ones too.
    package let lostRecords = Atomic<UInt64>(0)
    /// Samples of the input, or left by a user's `process`, that were NaN, infinite or absurd, and came out as silence.
    package let nonFinite = Atomic<UInt64>(0)
}

extension Atomic where Value == UInt64 {
    /// Adds to a counter that no other thread writes. Thread: the writer's. Wait-free.
    ///
    /// A load and a store, because an indivisible addition makes the processor finish all stores before it: after
    /// a pause, when each of them misses the caches, that cost the audio thread more than the block itself.
    @_noLocks @_noAllocation
    func count(_ more: UInt64) { store(load(ordering: .relaxed) &+ more, ordering: .relaxed) }
}
