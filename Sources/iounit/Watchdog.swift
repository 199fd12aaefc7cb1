import Foundation
import Synchronization

/// Does something if what it watches has not ended in time.
final class Watchdog: Sendable {
    private let isOver = Atomic<Bool>(false)

    /// - Parameters:
    ///   - seconds: how long to wait.
    ///   - bite: called on a thread of its own.
    init(seconds: Double, _ bite: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            Thread.sleep(forTimeInterval: seconds)
            if !isOver.load(ordering: .acquiring) { bite() }
        }
    }

    /// What was watched has ended.
    func call() { isOver.store(true, ordering: .releasing) }
}
