import Jack
import Synchronization
import Threads

/// A worker that does something a hundred times a second, on an absolute timer: nobody has to wake it.
package final class Collector: Sendable {
    private let worker: Worker
    private let stopping: StopFlag

    private final class StopFlag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    package init(_ body: @escaping @Sendable () -> Void) throws(JackError) {
        let stopping = StopFlag()
        self.stopping = stopping
        worker = try Worker.start("iounit-collect") {
            var next = MonotonicClock.nanoseconds()
            while !stopping.isSet.load(ordering: .relaxed) {
                body()
                next = max(next + 10_000_000, MonotonicClock.nanoseconds())
                MonotonicClock.sleep(until: next)
            }
        }
    }

    /// Ends the thread and waits for it.
    package func stop() {
        stopping.isSet.store(true, ordering: .relaxed)
        worker.join()
    }
}
