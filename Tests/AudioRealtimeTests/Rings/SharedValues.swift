import Synchronization

/// A flag that one thread raises and another sees.
final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

/// A sum that several threads add to.
final class Count: Sendable {
    private let sum = Atomic(0)
    var value: Int { sum.load(ordering: .acquiring) }
    func add(_ amount: Int) { sum.add(amount, ordering: .acquiringAndReleasing) }
}
