import AudioRealtime
import Jack
import Threads

/// What the audio thread of a sentinel owns: made by the control thread, then reached through its address.
struct SentinelProcess: ~Copyable {
    private let client: ClientHandle
    private var stamps: StampUnit

    init(client: ClientHandle, records: consuming Producer<CycleRecord>) {
        self.client = client
        stamps = StampUnit(records: records)
    }

    /// Notes a cycle. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func run(frames: UInt32, entryNanoseconds: UInt64) {
        let cycle = Cycle(client, frames: frames)
        stamps.note(
            frames: cycle.frames, frameTime: cycle.frameTime, entryNanoseconds: entryNanoseconds,
            exitNanoseconds: MonotonicClock.nanoseconds())
        cycle.end()
    }
}

/// JACK's audio thread comes in here, with the sentinel's `SentinelProcess` as its context.
@c(iounit_sentinel_process) @_noLocks @_noAllocation
func sentinelProcess(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    let entry = MonotonicClock.nanoseconds()
    // SAFETY: `Sentinel` passes the address of one, and keeps it until the client is closed.
    unsafe context?.assumingMemoryBound(to: SentinelProcess.self).pointee.run(frames: frames, entryNanoseconds: entry)
    return 0
}
