import Synchronization
import Threads

/// Makes a cycle late on purpose, and without the system's help: what finds out who was late is tested with it.
package struct StallOrder: ~Copyable {
    /// How long the next cycle is to take; 0 where nothing is asked for.
    private let wantedNanoseconds = Atomic<UInt64>(0)
    /// When the last stall began and ended. The end is written last, and is 0 until then.
    private let beginNanoseconds = Atomic<UInt64>(0)
    private let endNanoseconds = Atomic<UInt64>(0)

    package init() {}

    /// Makes the next cycle take so long. Thread: control.
    package func give(nanoseconds: UInt64) {
        endNanoseconds.store(0, ordering: .relaxed)
        wantedNanoseconds.store(nanoseconds, ordering: .releasing)
    }

    /// When the stall that was asked for began and ended, once it is over. Thread: control.
    package var stall: (beginNanoseconds: UInt64, endNanoseconds: UInt64)? {
        let end = endNanoseconds.load(ordering: .acquiring)
        return end > 0 ? (beginNanoseconds.load(ordering: .relaxed), end) : nil
    }

    /// Lasts as long as was asked for. Thread: audio.
    @_noLocks @_noAllocation
    func obey(since entryNanoseconds: UInt64) {
        let wanted = wantedNanoseconds.exchange(0, ordering: .acquiring)
        guard wanted > 0 else { return }
        var now = MonotonicClock.nanoseconds()
        while now - entryNanoseconds < wanted { now = MonotonicClock.nanoseconds() }
        beginNanoseconds.store(entryNanoseconds, ordering: .relaxed)
        endNanoseconds.store(now, ordering: .releasing)
    }
}
