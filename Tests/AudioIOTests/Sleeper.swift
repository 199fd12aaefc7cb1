import Glibc
import Jack
import Synchronization

/// A client with the output `out` that does what a client must not: it sleeps in its callback, when told to.
final class Sleeper {
    private var client: ActiveClient?
    private let isDue: UnsafeMutablePointer<Atomic<Bool>>

    init(on server: Server) throws {
        let client = try Client(name: "sleeper", server: server.name)
        _ = try client.register("out", .output)
        isDue = .allocate(capacity: 1)
        isDue.initialize(to: Atomic(false))
        try client.setProcess(sleepyCycle, context: isDue)
        self.client = try client.activate()
    }

    deinit {
        client = nil
        isDue.deinitialize(count: 1)
        isDue.deallocate()
    }

    /// Whether it has slept since it was told to.
    var isAwake: Bool { !isDue.pointee.load(ordering: .relaxed) }

    /// Sleeps for 30 ms in the next cycle, which is then late.
    func sleepOnce() { isDue.pointee.store(true, ordering: .relaxed) }
}

/// Thread: audio. Makes no `Cycle`: the real-time sanitizer is not to find what is planted here.
@c(iounit_test_sleep)
private func sleepyCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    guard let isDue = context?.assumingMemoryBound(to: Atomic<Bool>.self) else { return 0 }
    if isDue.pointee.load(ordering: .relaxed) {
        usleep(30_000)
        isDue.pointee.store(false, ordering: .relaxed)
    }
    return 0
}
