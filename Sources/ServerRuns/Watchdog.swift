import Foundation
import Synchronization

/// Does something if what it watches has not ended in time: either that or the end, never both.
final class Watchdog: Sendable {
    /// What to do. Gone as soon as it is decided, so that nothing it holds on to outlives that.
    private let bite: Mutex<(@Sendable () -> Void)?>

    /// - Parameters:
    ///   - seconds: how long to wait.
    ///   - bite: called on a thread of its own.
    init(seconds: Double, _ bite: @escaping @Sendable () -> Void) {
        self.bite = Mutex(bite)
        Thread.detachNewThread { [self] in
            Thread.sleep(forTimeInterval: seconds)
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
