import AudioDSP
import Synchronization

/// The worker of a queue: called back with each filled buffer, it runs the chain on it and enqueues it for output.
///
/// Made and reset by the control thread; while the worker runs, it alone touches it.
package struct QueueWorker: ~Copyable, @unchecked Sendable {
    // Sendable: it cannot be copied, so that only the thread that holds it works.

    /// What a user has done to a buffer in the chain's place.
    package typealias Process = @Sendable (inout QueueBuffer) -> Void

    private let memory: QueueMemory
    private let planes: Cell<Planes>
    private var chain: Chain
    private let process: Process?
    private let meters: Meters
    private var commands: Consumer<Command>
    private var filled: Consumer<QueuedBuffer>
    private var enqueued: Producer<QueuedBuffer>
    private var records: Producer<CycleRecord>
    private let state: Cell<QueueState>
    private var record = CycleRecord()

    package init(
        memory: QueueMemory, chain: consuming Chain, process: Process?, meters: Meters,
        commands: consuming Consumer<Command>, filled: consuming Consumer<QueuedBuffer>,
        enqueued: consuming Producer<QueuedBuffer>, records: consuming Producer<CycleRecord>, state: Cell<QueueState>
    ) {
        self.memory = memory
        planes = Cell(Planes(channels: memory.pool.channels, capacity: memory.pool.frames))
        self.chain = chain
        self.process = process
        self.meters = meters
        self.commands = commands
        self.filled = filled
        self.enqueued = enqueued
        self.records = records
        self.state = state
    }

    /// Begins anew with these parameters; buffers and commands that wait are void. Counts go on.
    /// Thread: control, while neither thread of the queue runs.
    package mutating func reset(parameters: Parameters, rampFrames: Int, sampleRate: Int) {
        while commands.pop() != nil {}
        while filled.pop() != nil {}
        chain.reset(parameters: parameters, rampFrames: rampFrames, sampleRate: sampleRate)
        record.sampleRate = UInt32(clamping: sampleRate)
    }

    /// Works on the buffer that was filled first, if there is one; returns whether there was. Thread: the worker.
    ///
    /// - Parameter now: tells the monotonic clock in nanoseconds.
    package mutating func workOnNext(now: () -> UInt64) -> Bool {
        guard let buffer = filled.pop() else { return false }
        record.entryNanoseconds = now()
        record.frameTime = buffer.frameTime
        if record.follow(sampleRate: buffer.sampleRate) { chain.changeRate(to: Int(record.sampleRate)) }
        record.frames = UInt32(truncatingIfNeeded: buffer.frames)
        takeCommands()
        work(on: buffer)
        record.exitNanoseconds = now()
        // There is room for all buffers in the ring.
        _ = enqueued.push(buffer)
        if !records.push(record) {
            record.lostRecords += 1
            // SAFETY: here and below, the cell is ours.
            unsafe state.pointer.pointee.lostBufferRecords.count(1)
        }
        record.position += UInt64(buffer.frames)
        unsafe state.pointer.pointee.buffers.count(1)
        return true
    }

    private mutating func takeCommands() {
        var hasTaken = false
        while let command = commands.pop() {
            chain.take(command)
            hasTaken = true
        }
        if hasTaken { chain.beginChange() }
    }

    private mutating func work(on buffer: QueuedBuffer) {
        let pool = memory.pool
        // SAFETY: the cell is ours, and `QueueBuffer` ends with the block.
        unsafe planes.pointer.pointee.arrange(frames: buffer.frames)
        for channel in 0..<pool.channels {
            let plane = unsafe planes.pointer.pointee.run(channel, count: buffer.frames)
            pool.read(into: plane, buffer: buffer.number, channel: channel, from: 0)
        }
        if let process {
            var lent = unsafe QueueBuffer(planes.pointer, frames: buffer.frames, position: record.position)
            process(&lent)
        } else {
            unsafe chain.process(planes.pointer.pointee, frames: buffer.frames)
        }
        for channel in 0..<pool.channels {
            let plane = unsafe planes.pointer.pointee.run(channel, count: buffer.frames)
            meters.writer.add(plane.level(), channel: channel)
            pool.write(plane, buffer: buffer.number, channel: channel, from: 0)
        }
        meters.writer.advance(by: buffer.frames)
    }
}
