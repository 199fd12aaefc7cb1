import Jack
import Synchronization
import Threads

/// One run of an engine's unit, from a start to the next stop: what the engine's calls tell the worker, and what the worker tells
/// them. The next run may begin before the worker of the last one has ended. So each run has an object of its own.
final class SupervisedRun: Sendable {
    /// Set for good, by who has the supervisor's turn.
    let isOver = Atomic<Bool>(false)
    /// Whether the return of the server is welcome.
    let hasConsent = Atomic<Bool>(false)
    let isFreewheeling = Atomic<Bool>(false)
    /// How often the server began to freewheel, and how many of these times the state has told.
    let freewheelings = Atomic<Int>(0)
    let toldFreewheelings = Atomic<Int>(0)
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
