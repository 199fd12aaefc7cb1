import Synchronization

/// Counts the signals that asked the program to end. A signal interrupts one thread alone, and only a call that has begun; code
/// that waits for something else compares this count.
package enum StopSignals {
    private static let count = Atomic<Int>(0)

    /// Thread: any, a signal's handler too, once `number` has been asked for.
    package static func note() { count.add(1, ordering: .relaxed) }

    package static var number: Int { count.load(ordering: .relaxed) }
}
