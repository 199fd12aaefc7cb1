import Threads

/// Waits for work on a disk as long as the disk makes progress. No thread can leave a call to a disk that hangs, so the work runs
/// on a thread of its own, which owns all that it uses.
enum DiskWait {
    private static let lookNanoseconds: UInt64 = 100_000_000

    /// Runs work and waits for its end, or until the disk has made no progress for some time. The thread then goes on alone.
    ///
    /// - Parameters:
    ///   - seconds: how long the disk may make no progress.
    ///   - progress: a number that changes when the disk takes data.
    /// - Returns: whether the work has ended.
    static func run(
        patienceSeconds seconds: Double, progress: () -> UInt64, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        guard let worker = try? Worker("iounit-close", body) else {
            // The machine has no thread for it: a disk that hangs is waited for then.
            body()
            return true
        }
        let patience = UInt64(seconds * 1e9)
        var (taken, now) = (progress(), MonotonicClock.nanoseconds())
        var deadline = now + patience
        while !worker.join(untilNanoseconds: min(deadline, now + lookNanoseconds)) {
            let present = progress()
            now = MonotonicClock.nanoseconds()
            if present != taken { (taken, deadline) = (present, now + patience) }
            guard now < deadline else { return false }
        }
        return true
    }
}
