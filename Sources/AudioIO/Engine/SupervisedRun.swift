import Jack
import Synchronization
import Threads

/// From a start of the unit to the stop behind it: what its worker is told, and what it tells. The worker of a run that is over
/// may be about to end yet when the next run begins, so that each has an object of its own.
final class SupervisedRun: Sendable {
    /// Set for good, by who has the supervisor's turn.
    let isOver = Atomic<Bool>(false)
    /// Whether the return of the server is welcome.
    let hasConsent = Atomic<Bool>(false)
    let isFreewheeling = Atomic<Bool>(false)
    /// Whether it was asked to leave the graph for a while, and whether it has.
    let isSuspended = Atomic<Bool>(false)
    let hasWithdrawn = Atomic<Bool>(false)
    private let worker = Mutex<Worker?>(nil)

    /// - Throws: `resources` where the machine has no more threads to give.
    func start(_ body: @escaping @Sendable () -> Void) throws(JackError) {
        let next = try Worker.start("iounit-engine", body)
        worker.withLock { $0 = next }
    }

    /// Waits for the end of the worker, which has been told to end. On the worker itself it does nothing.
    func join() { worker.withLock { $0 }?.join() }
}
