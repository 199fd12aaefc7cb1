import AudioRealtime
import Jack
import Synchronization
import Threads

/// What the audio thread owns of a unit: the render unit, and where JACK's buffers are to be had.
///
/// At a fixed address from the unit's making to its end. The control thread touches it only while the client is
/// not active, save for the atomic.
@safe struct AudioSide: ~Copyable {
    /// Set on JACK's notification thread. JACK does not tell a client that joins a server which freewheels already.
    let isFreewheeling = Atomic<Bool>(false)
    /// Whether a worker was waited for in vain since freewheeling began.
    private var hasWaitedInVain = false
    var unit: RenderUnit
    var ports: PortHandles

    init(unit: consuming RenderUnit, inputs: Int, outputs: Int) {
        self.unit = unit
        ports = PortHandles(inputs: inputs, outputs: outputs)
    }

    /// Renders one cycle. Thread: audio. Wait-free, but while the server freewheels, which is not real time.
    @_noLocks @_noAllocation
    mutating func run(frames: UInt32, entryNanoseconds: UInt64) {
        guard let client = ports.client else { return }
        let isFreewheeling = isFreewheeling.load(ordering: .relaxed)
        if isFreewheeling && !hasWaitedInVain { waitForWorkers(frames: Int(frames)) }
        hasWaitedInVain = hasWaitedInVain && isFreewheeling
        unit.runner.noteFreewheel(isFreewheeling)
        let cycle = Cycle(client, frames: frames)
        ports.find(in: cycle, unit.runner.inputs, unit.runner.outputs)
        unit.follow(sampleRate: cycle.sampleRate)
        unit.render(frames: cycle.frames, frameTime: cycle.frameTime, entryNanoseconds: entryNanoseconds)
        unit.finish(exitNanoseconds: MonotonicClock.nanoseconds())
        cycle.end()
    }

    /// Faster than real time neither a recorder nor a player can keep up, and need not: JACK waits for us up to ten seconds. A
    /// tap that nobody reads, and a file that nobody can, is waited for once.
    @_noLocks @_noAllocation
    private mutating func waitForWorkers(frames: Int) {
        var pauses = 0
        while !unit.runner.isReady(for: frames) {
            pauseFreewheelingCycle()
            pauses += 1
            if pauses == 40_000 { return hasWaitedInVain = true }
        }
    }
}

/// What libjack's audio thread calls, with the address of an `AudioSide`.
@c(iounit_process) @_noLocks @_noAllocation
func processCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    let entry = MonotonicClock.nanoseconds()
    guard let context = unsafe context else { return 0 }
    // SAFETY: the unit gives this context, and keeps it until the client is closed.
    unsafe context.assumingMemoryBound(to: AudioSide.self).pointee.run(frames: frames, entryNanoseconds: entry)
    return 0
}
