import Synchronization
import Threads

/// Does something if what it watches has not ended in time: either that or the end, never both.
final class Watchdog: Sendable {
    /// What to do. Gone as soon as it is decided, so that nothing it holds on to outlives that.
    private let bite: Mutex<(@Sendable () -> Void)?>

    /// - Parameters:
    ///   - milliseconds: how long to wait.
    ///   - bite: called on a thread of its own.
    init(milliseconds: Int, _ bite: @escaping @Sendable () -> Void) {
        self.bite = Mutex(bite)
        // Where the machine has no thread left, the end is waited for without a limit.
        _ = try? Worker("iounit-watchdog") { [self] in
            MonotonicClock.sleep(milliseconds: milliseconds)
            take()?()
        }
    }

    /// What was watched has ended. Returns whether that was in time.
    func call() -> Bool { take() != nil }

    /// For whoever is first.
    private func take() -> (@Sendable () -> Void)? {
        bite.withLock { bite in
            defer { bite = nil }
            return bite
        }
    }
}
