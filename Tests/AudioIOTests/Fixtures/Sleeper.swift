import Glibc
import Jack
import Synchronization

/// A client with the output `out` that does what a client must not: it sleeps in its callback, when told to.
final class Sleeper {
    fileprivate struct Orders: ~Copyable {
        let cycles = Atomic<Int>(0)
        let microseconds = Atomic<UInt32>(0)
    }

    private var client: ActiveClient?
    private let orders: UnsafeMutablePointer<Orders>

    init(on server: Server) throws {
        let client = try Client(name: "sleeper", server: server.name)
        _ = try client.register("out", .output)
        orders = .allocate(capacity: 1)
        orders.initialize(to: Orders())
        try client.setProcess(sleepyCycle, context: orders)
        self.client = try client.activate()
    }

    deinit {
        client = nil
        orders.deinitialize(count: 1)
        orders.deallocate()
    }

    /// Whether it has slept since it was told to.
    var isAwake: Bool { orders.pointee.cycles.load(ordering: .relaxed) <= 0 }

    /// Sleeps in each of the next cycles, which are then late.
    func sleep(cycles: Int = 1, milliseconds: UInt32 = 30) {
        orders.pointee.microseconds.store(milliseconds * 1000, ordering: .relaxed)
        orders.pointee.cycles.store(cycles, ordering: .relaxed)
    }
}

/// Thread: audio. Makes no `Cycle`: the real-time sanitizer is not to find what is planted here.
@c(iounit_test_sleep)
private func sleepyCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    guard let orders = context?.assumingMemoryBound(to: Sleeper.Orders.self) else { return 0 }
    if orders.pointee.cycles.load(ordering: .relaxed) > 0 {
        usleep(orders.pointee.microseconds.load(ordering: .relaxed))
        orders.pointee.cycles.subtract(1, ordering: .relaxed)
    }
    return 0
}
