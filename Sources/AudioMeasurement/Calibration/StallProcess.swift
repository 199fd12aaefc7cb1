import AudioRealtime
import Jack
import Synchronization
import Threads

/// What the audio thread of a stall injector owns: made by the control thread, then reached through its address.
struct StallProcess: ~Copyable {
    /// How long the next cycle is to take, in nanoseconds; 0 where nothing is asked for. Set by the control thread,
    /// taken by the audio thread.
    let wantedNanoseconds = Atomic<UInt64>(0)
    /// When the last stall began and ended. The end is written last, and is 0 until then.
    let beginNanoseconds = Atomic<UInt64>(0)
    let endNanoseconds = Atomic<UInt64>(0)
    private let client: ClientHandle
    private var stamps: StampUnit

    init(client: ClientHandle, records: consuming Producer<CycleRecord>) {
        self.client = client
        stamps = StampUnit(records: records)
    }

    /// Notes a cycle, and is late in it if asked to: on purpose, and without the system's help. Thread: audio.
    @_noLocks @_noAllocation
    mutating func run(frames: UInt32, entryNanoseconds: UInt64) {
        let cycle = Cycle(client, frames: frames)
        let frameTime = cycle.frameTime
        let wanted = wantedNanoseconds.exchange(0, ordering: .acquiring)
        if wanted > 0 {
            while MonotonicClock.nanoseconds() - entryNanoseconds < wanted {}
        }
        let exit = MonotonicClock.nanoseconds()
        if wanted > 0 {
            beginNanoseconds.store(entryNanoseconds, ordering: .relaxed)
            endNanoseconds.store(exit, ordering: .releasing)
        }
        stamps.note(
            frames: cycle.frames, frameTime: frameTime, entryNanoseconds: entryNanoseconds, exitNanoseconds: exit)
        cycle.end()
    }
}

/// JACK's audio thread comes in here, with the injector's `StallProcess` as its context.
@c(iounit_stall_process) @_noLocks @_noAllocation
func stallProcess(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    let entry = MonotonicClock.nanoseconds()
    // SAFETY: `StallInjector` passes the address of one, and keeps it until the client is closed.
    unsafe context?.assumingMemoryBound(to: StallProcess.self).pointee.run(frames: frames, entryNanoseconds: entry)
    return 0
}
