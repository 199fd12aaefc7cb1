import Synchronization

/// A worker that does something again and again, on an absolute timer: nobody has to wake it.
package final class TimerWorker: Sendable {
    private let worker: Worker
    private let stopping = Flag()

    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    /// Starts a thread, which calls `body` at once and then every so often.
    ///
    /// - Parameters:
    ///   - name: shown by `top -H`; at most 15 bytes are.
    ///   - nanoseconds: from one call to the next. After a late wake-up the timer starts again: one call catches up with all.
    ///   - atEnd: called on the thread when it has been stopped.
    ///   - body: is given a question to ask in a long call, whether it is to end.
    /// - Throws: where the machine has no more threads to give.
    package init(
        _ name: String, every nanoseconds: UInt64, atEnd: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (_ isStopping: () -> Bool) -> Void
    ) throws(ResourceError) {
        let stopping = stopping
        worker = try Worker(name) {
            var next = MonotonicClock.nanoseconds()
            func isStopping() -> Bool { stopping.isSet.load(ordering: .relaxed) }
            while !isStopping() {
                body(isStopping)
                next = max(next + nanoseconds, MonotonicClock.nanoseconds())
                MonotonicClock.sleep(until: next)
            }
            atEnd()
        }
    }

    /// Starts a thread, which calls `body` at once, and then whenever the call before said.
    ///
    /// - Parameters:
    ///   - name: shown by `top -H`; at most 15 bytes are.
    ///   - atStart: called on the thread before all else.
    ///   - body: returns when it is to be called again, on the monotonic clock: `stop` waits for so long at the most.
    /// - Throws: where the machine has no more threads to give.
    package init(
        _ name: String, atStart: @escaping @Sendable () -> Void, whenever body: @escaping @Sendable () -> UInt64
    ) throws(ResourceError) {
        let stopping = stopping
        worker = try Worker(name) {
            atStart()
            while !stopping.isSet.load(ordering: .relaxed) { MonotonicClock.sleep(until: body()) }
        }
    }

    /// Ends the thread after its present call, and waits for it; on the thread itself it does not wait. Calling it again does
    /// nothing.
    package func stop() {
        stopping.isSet.store(true, ordering: .relaxed)
        worker.join()
    }
}
