import Synchronization

/// The way of plans to the audio thread, and back to where they are freed. There is one place each way: a plan that was not
/// taken yet gives way to a newer one, and no new one is taken before the last one is out of the way.
package struct PlanExchange: ~Copyable {
    /// Addresses of plans; 0 for none.
    fileprivate let waiting = Atomic<UInt>(0)
    fileprivate let returned = Atomic<UInt>(0)

    package init() {}

    /// Thread: audio. Wait-free.
    ///
    /// - Parameter current: the plan that was rendered up to now. Where there is a new one, it goes back.
    /// - Returns: the plan to be rendered from now on.
    @unsafe @_noLocks @_noAllocation
    package func take(_ current: UnsafeMutablePointer<Plan>) -> UnsafeMutablePointer<Plan> {
        guard waiting.load(ordering: .relaxed) != 0, returned.load(ordering: .acquiring) == 0 else {
            return unsafe current
        }
        let address = waiting.exchange(0, ordering: .acquiring)
        // SAFETY: an address of a plan that the other end keeps until it has come back.
        guard let plan = unsafe UnsafeMutablePointer<Plan>(bitPattern: address) else { return unsafe current }
        returned.store(UInt(bitPattern: current), ordering: .releasing)
        return unsafe plan
    }
}

/// The plans that the audio thread has or may take. Thread: control, one at a time.
package struct PlanKeeper: ~Copyable {
    package let exchange: Cell<PlanExchange>
    private var plans: [Cell<Plan>]

    /// - Parameter first: the plan that the audio thread begins with.
    package init(_ first: Cell<Plan>) {
        exchange = Cell(PlanExchange())
        plans = [first]
    }

    /// How many plans have not come back.
    package var count: Int { plans.count }

    /// The plan that was handed over last.
    @unsafe package var newest: UnsafeMutablePointer<Plan> {
        guard let last = plans.last else { preconditionFailure("there is a plan from the beginning") }
        return unsafe last.pointer
    }

    /// Has the audio thread begin with this plan and frees all others. Thread: control, while no plan is rendered.
    package mutating func restart(with plan: Cell<Plan>) {
        unsafe exchange.pointer.pointee.waiting.store(0, ordering: .relaxed)
        unsafe exchange.pointer.pointee.returned.store(0, ordering: .relaxed)
        plans = [plan]
    }

    /// Hands a plan to the audio thread.
    package mutating func offer(_ plan: Cell<Plan>) {
        collect()
        plans.append(plan)
        // SAFETY: the cell is ours; here and below, an address is only compared.
        let address = unsafe UInt(bitPattern: plan.pointer)
        // What gave way comes back.
        forget(unsafe exchange.pointer.pointee.waiting.exchange(address, ordering: .acquiringAndReleasing))
    }

    /// Frees the plan that has come back, if one has.
    package mutating func collect() {
        forget(unsafe exchange.pointer.pointee.returned.exchange(0, ordering: .acquiringAndReleasing))
    }

    private mutating func forget(_ address: UInt) {
        plans.removeAll { unsafe UInt(bitPattern: $0.pointer) == address }
    }
}
