import Synchronization

/// Hands what the inputs hear to a worker, each cycle with its time.
///
/// Samples go into one ring and a record for each cycle into another. A cycle that does not fit into both is dropped
/// as a whole and counted; the worker sees it, like a cycle that the server skipped, as a gap between frame times.
@safe package struct ProbeCapture: ~Copyable {
    private var samples: FrameProducer
    private var records: Producer<CycleRecord>
    private let droppedFrames: Cell<Atomic<UInt64>>
    /// What an input without a buffer is heard as.
    private let silence: Planes

    package init(
        samples: consuming FrameProducer, records: consuming Producer<CycleRecord>, droppedFrames: Cell<Atomic<UInt64>>
    ) {
        self.samples = samples
        self.records = records
        self.droppedFrames = droppedFrames
        silence = Planes(channels: 1, capacity: Plan.maximumFrames)
    }

    /// Takes a cycle. Any number of frames, even none. Thread: audio. Wait-free.
    ///
    /// - Parameter inputs: as many as the ring has channels.
    @_noLocks @_noAllocation
    package mutating func take(_ record: borrowing CycleRecord, _ inputs: borrowing PortBuffers) {
        let frames = Int(record.frames)
        var slice = copy record
        var start = 0
        while start < frames {
            let count = min(frames - start, Plan.maximumFrames)
            slice.frames = UInt32(truncatingIfNeeded: count)
            takeSlice(slice, inputs, from: start, count: count)
            slice.frameTime &+= slice.frames
            slice.position += UInt64(count)
            start += count
        }
    }

    @_noLocks @_noAllocation
    private mutating func takeSlice(
        _ record: borrowing CycleRecord, _ inputs: borrowing PortBuffers, from start: Int, count: Int
    ) {
        // The record first: what was published cannot be taken back, and the reader waits for samples all the same.
        guard samples.hasRoom(for: count), records.push(copy record) else {
            // SAFETY: `droppedFrames` keeps it.
            return unsafe droppedFrames.pointer.pointee.count(UInt64(count))
        }
        for channel in 0..<inputs.channels {
            let heard = inputs.run(channel, from: start, count: count) ?? silence.run(0, count: count)
            samples.write(heard, channel: channel)
        }
        samples.publish(count)
    }
}
