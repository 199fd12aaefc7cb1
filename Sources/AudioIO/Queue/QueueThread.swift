import AudioRealtime
import Jack
import Synchronization
import Threads

/// The thread of a queue's worker: it waits to be woken, and works on what there is.
final class QueueThread: Sendable {
    /// Of a millisecond, for one buffer: less than the audio thread waits for us.
    private static let mostPauses = 2000
    /// Then nothing is waited for until it is there by itself.
    private static let mostVainWaits = 3
    /// Posted once for each buffer that was filled.
    let semaphore = Semaphore()
    private let worker: Cell<QueueWorker>
    private let thread = Mutex<Worker?>(nil)
    private let granted = Mutex<Scheduling?>(nil)
    private let isStopping = Atomic<Bool>(false)

    init(_ worker: consuming QueueWorker) { self.worker = Cell(worker) }

    /// Of the buffers: how many, whose record was lost, and samples of them that became silence.
    var counts: (buffers: UInt64, lostRecords: UInt64, nonFinite: UInt64) {
        // SAFETY: counters are atomic, and the cell is ours.
        unsafe (
            worker.pointer.pointee.renderer.counters.cycles.load(ordering: .relaxed),
            worker.pointer.pointee.renderer.counters.lostRecords.load(ordering: .relaxed),
            worker.pointer.pointee.renderer.counters.nonFinite.load(ordering: .relaxed)
        )
    }

    /// Frames of the buffers that the worker is done with.
    var position: UInt64 {
        // SAFETY: as above.
        unsafe worker.pointer.pointee.renderer.counters.frames.load(ordering: .relaxed)
    }

    /// Begins a run. Thread: control, before `start`.
    @unsafe func reset(_ plan: UnsafeMutablePointer<Plan>, rampMilliseconds: Double, run: TapRun) {
        // SAFETY: the thread does not run yet.
        unsafe worker.pointer.pointee.reset(plan, rampMilliseconds: rampMilliseconds, run: run)
    }

    /// Starts the thread, and waits until it is ready. Thread: control.
    ///
    /// - Parameter scheduling: what to ask the kernel for; `nil` for the caller's.
    func start(scheduling: Scheduling?) throws(JackError) {
        isStopping.store(false, ordering: .relaxed)
        let isReady = Semaphore()
        let thread = try Worker.start("iounit-queue") { [self] in
            Denormals.flushOnThisThread()
            scheduling?.request()
            granted.withLock { $0 = Scheduling.ofThisThread }
            isReady.handle.post()
            run()
        }
        self.thread.withLock { $0 = thread }
        isReady.wait()
    }

    /// Lets the thread end when it has done with its present buffer, and waits for that. Thread: control.
    func stop() {
        // Not under the lock: the buffer may be long in coming back, and figures do not wait for it.
        guard let running = thread.withLock({ $0 }) else { return }
        isStopping.store(true, ordering: .relaxed)
        semaphore.handle.post()
        running.join()
        thread.withLock { $0 = nil }
        granted.withLock { $0 = nil }
    }

    /// What the thread has cost so far, or `nil` while it does not run.
    var usage: ThreadUsage? { thread.withLock { $0?.usage } }
    /// What the kernel gave the thread, or `nil` while it does not run.
    var scheduling: Scheduling? { granted.withLock { $0 } }

    private func run() {
        var vainWaits = 0
        while true {
            semaphore.wait()
            if isStopping.load(ordering: .relaxed) { return }
            var pauses = 0
            var isReady = true
            // SAFETY: while this thread runs, it alone touches the worker.
            _ = unsafe worker.pointer.pointee.workOnNext(now: MonotonicClock.nanoseconds) {
                isReady = vainWaits < Self.mostVainWaits && pauses < Self.mostPauses
                guard isReady, !isStopping.load(ordering: .relaxed) else { return false }
                MonotonicClock.sleep(milliseconds: 1)
                pauses += 1
                return true
            }
            vainWaits = isReady ? 0 : min(vainWaits + 1, Self.mostVainWaits)
        }
    }
}
