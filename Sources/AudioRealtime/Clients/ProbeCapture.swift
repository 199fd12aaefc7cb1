import AudioDSP
import Synchronization

/// Hands what the inputs hear to a worker, each cycle with its time.
///
/// Samples go into one ring and a record for each cycle into another. A cycle that does not fit into both is dropped
/// as a whole and counted; the worker sees it, like a cycle that the server skipped, as a gap between frame times.
@safe package struct ProbeCapture: ~Copyable {
    /// Filled in by the caller before each `take`.
    package let inputs: PortBuffers
    private var samples: FrameProducer
    private var records: Producer<CycleRecord>
    private var record = CycleRecord()
    private let dropped: Cell<Atomic<UInt64>>
    private let droppedFrames: UnsafeMutablePointer<Atomic<UInt64>>
    /// What an input without a buffer is heard as.
    private let silence: Planes

    package init(
        channels: Int, samples: consuming FrameProducer, records: consuming Producer<CycleRecord>,
        droppedFrames: Cell<Atomic<UInt64>>
    ) {
        inputs = PortBuffers(channels: channels)
        self.samples = samples
        self.records = records
        dropped = droppedFrames
        unsafe self.droppedFrames = droppedFrames.pointer
        silence = Planes(channels: 1, capacity: PlanRunner.maximumFrames)
    }

    /// Takes over the server's present sample rate, in hertz, for the records. Before `take`. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func follow(sampleRate: UInt32) { _ = record.follow(sampleRate: sampleRate) }

    /// Takes a cycle. Any number of frames, even none. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func take(frames: Int, frameTime: UInt32) {
        var start = 0
        while start < frames {
            let count = min(frames - start, PlanRunner.maximumFrames)
            takeSlice(from: start, count: count, frameTime: frameTime &+ UInt32(truncatingIfNeeded: start))
            start += count
        }
    }

    @_noLocks @_noAllocation
    private mutating func takeSlice(from start: Int, count: Int, frameTime: UInt32) {
        record.frameTime = frameTime
        record.frames = UInt32(truncatingIfNeeded: count)
        // The record first: what was published cannot be taken back, and the reader waits for samples all the same.
        guard samples.hasRoom(for: count), records.pushRealtime(record) else {
            // SAFETY: `dropped` keeps it.
            return unsafe droppedFrames.pointee.count(UInt64(count))
        }
        for channel in 0..<inputs.channels {
            let heard = inputs.run(channel, from: start, count: count) ?? silence.run(0, count: count)
            samples.write(heard, channel: channel)
        }
        samples.publish(count)
        record.position += UInt64(count)
    }
}
