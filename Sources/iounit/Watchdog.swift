import Foundation
import Synchronization

/// Does something if what it watches has not ended in time: either that or the end, never both.
final class Watchdog: Sendable {
    private let isDecided = Atomic<Bool>(false)

    /// - Parameters:
    ///   - seconds: how long to wait.
    ///   - bite: called on a thread of its own.
    init(seconds: Double, _ bite: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            Thread.sleep(forTimeInterval: seconds)
            if decide() { bite() }
        }
    }

    /// What was watched has ended. Returns whether that was in time.
    func call() -> Bool { decide() }

    /// Whether nobody was first.
    private func decide() -> Bool { !isDecided.exchange(true, ordering: .acquiringAndReleasing) }
}
