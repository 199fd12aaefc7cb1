import AudioRealtime
import Jack
import Synchronization
import Threads

/// What the audio thread owns of a unit in queued mode: the queue's end, and where JACK's buffers are to be had.
///
/// At a fixed address from the unit's making to its end. The control thread touches it only while the client is
/// not active, save for the atomic.
struct QueueSide: ~Copyable {
    /// Set on JACK's notification thread. JACK does not tell a client that joins a server which freewheels already.
    let isFreewheeling = Atomic<Bool>(false)
    var unit: QueueUnit
    var ports: PortHandles
    private let keptSemaphore: Semaphore
    private let semaphore: SemaphoreHandle

    /// - Parameter semaphore: wakes the worker.
    init(unit: consuming QueueUnit, channels: Int, semaphore: Semaphore) {
        self.unit = unit
        ports = PortHandles(inputs: channels, outputs: channels)
        keptSemaphore = semaphore
        self.semaphore = semaphore.handle
    }

    /// Takes and plays one cycle. Thread: audio. Wait-free, but while the server freewheels, which is not real time.
    @_noLocks @_noAllocation
    mutating func run(frames: UInt32, entryNanoseconds: UInt64) {
        guard let client = ports.client else { return }
        if isFreewheeling.load(ordering: .relaxed) { waitForWorker() }
        let cycle = Cycle(client, frames: frames)
        ports.find(in: cycle, unit.inputs, unit.outputs)
        unit.follow(sampleRate: cycle.sampleRate)
        unit.render(frames: cycle.frames, frameTime: cycle.frameTime, entryNanoseconds: entryNanoseconds)
        // Once the outputs are written: the worker may run on this processor.
        for _ in 0..<unit.handedInCycle { semaphore.post() }
        unit.finish(exitNanoseconds: MonotonicClock.nanoseconds())
        cycle.end()
    }

    /// Faster than real time the worker cannot keep up, and need not: JACK waits for us up to ten seconds. A worker
    /// that does not return is waited for once.
    @_noLocks @_noAllocation
    private mutating func waitForWorker() {
        var pauses = 0
        while unit.awaitsWorker() {
            pauseFreewheelingCycle()
            pauses += 1
            if pauses == 40_000 { return isFreewheeling.store(false, ordering: .relaxed) }
        }
    }
}

/// What libjack's audio thread calls, with the address of a `QueueSide`.
@c(iounit_queue_process) @_noLocks @_noAllocation
func queueProcess(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    let entry = MonotonicClock.nanoseconds()
    guard let context = unsafe context else { return 0 }
    // SAFETY: the unit gives this context, and keeps it until the client is closed.
    unsafe context.assumingMemoryBound(to: QueueSide.self).pointee.run(frames: frames, entryNanoseconds: entry)
    return 0
}
