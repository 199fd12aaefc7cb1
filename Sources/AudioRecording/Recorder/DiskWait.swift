import Synchronization
import Threads

/// Waits for a disk as long as it gets on. The kernel lets nobody out of a call to one that hangs, so what makes such calls runs
/// on a thread of its own, which keeps what it uses.
enum DiskWait {
    private static let lookNanoseconds: UInt64 = 100_000_000

    private final class End: Sendable {
        let hasCome = Atomic<Bool>(false)
        let changed = Semaphore()
    }

    /// Runs something to its end, or until the disk has not got on with it for so long. Then it goes on by itself.
    ///
    /// - Parameters:
    ///   - seconds: for how long the disk may take nothing.
    ///   - progress: a number that changes with what the disk takes.
    /// - Returns: whether it came to its end.
    static func run(
        patienceSeconds seconds: Double, progress: () -> UInt64, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        let end = End()
        let worker = try? Worker("iounit-close") {
            body()
            end.hasCome.store(true, ordering: .releasing)
            end.changed.handle.post()
        }
        guard let worker else {
            // The machine has no thread for it: a disk that hangs is waited for then.
            body()
            return true
        }
        let patience = UInt64(seconds * 1e9)
        var (taken, deadline) = (progress(), MonotonicClock.nanoseconds() + patience)
        while !end.hasCome.load(ordering: .acquiring) {
            let (present, now) = (progress(), MonotonicClock.nanoseconds())
            if present != taken { (taken, deadline) = (present, now + patience) }
            guard now < deadline else { return false }
            end.changed.wait(untilNanoseconds: min(deadline, now + lookNanoseconds))
        }
        worker.join()
        return true
    }
}
