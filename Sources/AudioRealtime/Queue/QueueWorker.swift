import AudioDSP

/// The worker of a queue: called back with each filled buffer, it runs the plan on it and enqueues it for output.
///
/// Made and reset by the control thread; while the worker runs, it alone touches it.
package struct QueueWorker: ~Copyable, @unchecked Sendable {
    // Sendable: it cannot be copied, so that only the thread that holds it works; planes, port buffers and runner are its alone,
    // and with others it shares ends of rings, atomics, buffers that it has by their numbers, and a `process` that is Sendable.

    /// What a user has done to a buffer in the plan's place.
    package typealias Process = @Sendable (inout QueueBuffer) -> Void

    private let memory: QueueMemory
    private let planes: Cell<Planes>
    private let inputs: PortBuffers
    private let outputs: PortBuffers
    private var runner: PlanRunner
    private let process: Process?
    private let meters: Meters
    private var filled: Consumer<QueuedBuffer>
    private var enqueued: Producer<QueuedBuffer>
    private var records: Producer<CycleRecord>
    private let counters: Cell<UnitCounters>
    private var record = CycleRecord()

    init(
        memory: QueueMemory, inputs: Int, runner: consuming PlanRunner, process: Process?, meters: Meters,
        filled: consuming Consumer<QueuedBuffer>, enqueued: consuming Producer<QueuedBuffer>,
        records: consuming Producer<CycleRecord>, counters: Cell<UnitCounters>
    ) {
        self.memory = memory
        planes = Cell(Planes(channels: memory.pool.channels, capacity: memory.pool.frames))
        self.inputs = PortBuffers(channels: inputs)
        outputs = PortBuffers(channels: meters.channels)
        self.runner = runner
        self.process = process
        self.meters = meters
        self.filled = filled
        self.enqueued = enqueued
        self.records = records
        self.counters = counters
    }

    /// Begins a run; buffers that wait are void. Counts go on. Thread: control, while neither thread of the queue runs.
    ///
    /// - Parameters: see `PlanRunner.reset`.
    @unsafe package mutating func reset(_ plan: UnsafeMutablePointer<Plan>, rampMilliseconds: Double, run: TapRun) {
        while filled.pop() != nil {}
        unsafe runner.reset(plan, rampMilliseconds: rampMilliseconds, run: run)
        record.sampleRate = run.sampleRate
    }

    /// Works on the buffer that was filled first, if there is one; returns whether there was. Thread: the worker.
    ///
    /// - Parameter now: tells the monotonic clock in nanoseconds.
    package mutating func workOnNext(now: () -> UInt64) -> Bool {
        guard let buffer = filled.pop() else { return false }
        record.entryNanoseconds = now()
        record.frameTime = buffer.frameTime
        record.follow(sampleRate: buffer.sampleRate)
        record.frames = UInt32(truncatingIfNeeded: buffer.frames)
        record.restFrames = buffer.restFrames
        work(on: buffer)
        record.exitNanoseconds = now()
        // There is room for all buffers in the ring.
        _ = enqueued.push(buffer)
        if !records.push(record) {
            record.lostRecords += 1
            // SAFETY: here and below, the cell is ours.
            unsafe counters.pointer.pointee.lostBufferRecords.count(1)
        }
        record.position += UInt64(buffer.frames)
        unsafe counters.pointer.pointee.buffers.count(1)
        return true
    }

    private mutating func work(on buffer: QueuedBuffer) {
        let pool = memory.pool
        // SAFETY: the cell is ours, and `QueueBuffer` ends with the block.
        unsafe planes.pointer.pointee.arrange(frames: buffer.frames)
        for channel in 0..<pool.channels {
            let plane = plane(channel, buffer)
            if channel < inputs.channels {
                pool.read(into: plane, buffer: buffer.number, channel: channel, from: 0)
            } else {
                plane.clear()
            }
        }
        if let process {
            var lent = unsafe QueueBuffer(planes.pointer, frames: buffer.frames, position: record.position)
            process(&lent)
            for channel in 0..<outputs.channels {
                let plane = plane(channel, buffer)
                let broken = plane.silenceNotFinite()
                if broken > 0 { unsafe counters.pointer.pointee.processedNonFinite.count(UInt64(broken)) }
                meters.add(plane.level(), frames: buffer.frames, channel: channel)
            }
        } else {
            render(buffer)
        }
        for channel in 0..<outputs.channels {
            pool.write(plane(channel, buffer), buffer: buffer.number, channel: channel, from: 0)
        }
    }

    /// In place: the runner has read a block of all inputs before it writes to an output.
    private mutating func render(_ buffer: QueuedBuffer) {
        for channel in 0..<inputs.channels { unsafe inputs.set(channel, to: plane(channel, buffer).baseAddress) }
        for channel in 0..<outputs.channels { unsafe outputs.set(channel, to: plane(channel, buffer).baseAddress) }
        // The audio thread has made the input finite, and counted what was not.
        _ = runner.render(record, inputs, outputs)
    }

    private func plane(_ channel: Int, _ buffer: QueuedBuffer) -> Samples {
        unsafe planes.pointer.pointee.run(channel, count: buffer.frames)
    }
}
