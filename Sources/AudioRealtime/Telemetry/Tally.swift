import Synchronization

extension Atomic where Value == UInt64 {
    /// Adds to a counter that no other thread writes. Thread: the writer's. Wait-free.
    ///
    /// A load and a store, because an indivisible addition makes the processor finish all stores before it: after
    /// a pause, when each of them misses the caches, that cost the audio thread more than the block itself.
    @_noLocks @_noAllocation
    func count(_ more: UInt64) { store(load(ordering: .relaxed) &+ more, ordering: .relaxed) }
}
