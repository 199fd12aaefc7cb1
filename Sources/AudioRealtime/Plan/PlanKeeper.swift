import Synchronization

/// The plans that the audio thread has or may take. Each names the next one: a plan that was not taken yet gives way to a
/// newer one, and the audio thread marks a plan that it has left. Thread: control, one at a time.
package struct PlanKeeper: ~Copyable {
    /// The plan that the audio thread rendered at the last look.
    private var current: Cell<Plan>
    /// The plan that it renders next, or renders already; `nil` for none.
    private var newest: Cell<Plan>?

    /// - Parameter first: the plan that the audio thread begins with.
    package init(_ first: Cell<Plan>) { current = first }

    /// How many plans are in use.
    package var count: Int { newest == nil ? 1 : 2 }

    /// Hands a plan to the audio thread.
    package mutating func offer(_ plan: Cell<Plan>) {
        // SAFETY: here and below, the cells are ours, and what is touched atomic. Release: the plan is whole before its address
        // is seen. Acquire: the audio thread is done with the plan that it has left.
        let address = unsafe UInt(bitPattern: plan.pointer)
        let last = unsafe current.pointer.pointee.next.exchange(address, ordering: .acquiringAndReleasing)
        if last == Plan.over, let newest {
            current = newest
            unsafe newest.pointer.pointee.next.store(address, ordering: .releasing)
        }
        newest = plan
    }

    /// Frees the plan that the audio thread has left, if it has.
    package mutating func collect() {
        guard let newest, unsafe current.pointer.pointee.next.load(ordering: .acquiring) == Plan.over else { return }
        current = newest
        self.newest = nil
    }
}
