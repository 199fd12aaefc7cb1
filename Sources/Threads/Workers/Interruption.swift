import Synchronization

/// How often the program was asked to end by a signal, so that whoever waits for something else hears of it: the signal itself
/// interrupts one thread alone, and only a call that has begun.
package enum Interruption {
    private static let count = Atomic<Int>(0)

    /// Thread: any, a signal's handler too, once `number` has been asked for.
    package static func note() { count.add(1, ordering: .relaxed) }

    package static var number: Int { count.load(ordering: .relaxed) }
}
