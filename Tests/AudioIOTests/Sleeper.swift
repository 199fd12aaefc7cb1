import Glibc
import Jack
import Synchronization

/// A client with the output `out` that does what a client must not: it sleeps in its callback, when told to.
final class Sleeper {
    private var client: ActiveClient?
    private let due: UnsafeMutablePointer<Atomic<Int>>

    init(on server: Server) throws {
        let client = try Client(name: "sleeper", server: server.name)
        _ = try client.register("out", .output)
        due = .allocate(capacity: 1)
        due.initialize(to: Atomic(0))
        try client.setProcess(sleepyCycle, context: due)
        self.client = try client.activate()
    }

    deinit {
        client = nil
        due.deinitialize(count: 1)
        due.deallocate()
    }

    /// Whether it has slept since it was told to.
    var isAwake: Bool { due.pointee.load(ordering: .relaxed) <= 0 }

    /// Sleeps for 30 ms in each of the next cycles, which are then late.
    func sleep(cycles: Int = 1) { due.pointee.store(cycles, ordering: .relaxed) }
}

/// Thread: audio. Makes no `Cycle`: the real-time sanitizer is not to find what is planted here.
@c(iounit_test_sleep)
private func sleepyCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    guard let due = context?.assumingMemoryBound(to: Atomic<Int>.self) else { return 0 }
    if due.pointee.load(ordering: .relaxed) > 0 {
        usleep(30_000)
        due.pointee.subtract(1, ordering: .relaxed)
    }
    return 0
}
