import Synchronization
import Threads

/// Holds a thread up for as long as a test wants.
final class Gate: Sendable {
    private let isShut = Atomic(false)
    /// How often somebody came to the gate.
    private let arrived = Atomic(0)

    func shut() { isShut.store(true, ordering: .releasing) }
    func open() { isShut.store(false, ordering: .releasing) }
    var arrivals: Int { arrived.load(ordering: .acquiring) }

    /// Returns at once where the gate is open, else as soon as it is. Thread: any that may block.
    func pass() {
        arrived.add(1, ordering: .releasing)
        while isShut.load(ordering: .acquiring) { MonotonicClock.sleep(milliseconds: 1) }
    }
}
