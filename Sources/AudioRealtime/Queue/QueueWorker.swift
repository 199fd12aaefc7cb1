import AudioDSP

/// The worker of a queue: called back with each filled buffer, it runs the plan on it and enqueues it for output.
///
/// Made and reset by the control thread; while the worker runs, it alone touches it, but for the renderer's counters.
package struct QueueWorker: ~Copyable, @unchecked Sendable {
    // Sendable: it cannot be copied, so that only the thread that holds it works. Planes and renderer are its alone, but for the
    // renderer's counters, which are atomic. With others it shares ends of rings, buffers that it has by their numbers, and a
    // `process` that is Sendable.

    /// What a user has done to a buffer in the plan's place.
    package typealias Process = @Sendable (inout QueueBuffer) -> Void

    private let memory: QueueMemory
    private let planes: Cell<Planes>
    /// Others touch its counters alone. It has no plan where there is a `process`.
    package var renderer: RenderUnit
    private let process: Process?
    private let meters: Meters
    private var filled: Consumer<QueuedBuffer>
    private var enqueued: Producer<QueuedBuffer>

    init(
        memory: QueueMemory, renderer: consuming RenderUnit, process: Process?, meters: Meters,
        filled: consuming Consumer<QueuedBuffer>, enqueued: consuming Producer<QueuedBuffer>
    ) {
        precondition(process == nil || !renderer.rendersPlan)
        self.memory = memory
        planes = Cell(Planes(channels: memory.pool.channels, capacity: memory.pool.frames))
        self.renderer = renderer
        self.process = process
        self.meters = meters
        self.filled = filled
        self.enqueued = enqueued
    }

    /// Begins a run; buffers that wait are void. Counts go on. Thread: control, while neither thread of the queue runs.
    ///
    /// - Parameters: see `RenderUnit.begin`.
    @unsafe package mutating func reset(_ plan: UnsafeMutablePointer<Plan>, rampMilliseconds: Double, run: TapRun) {
        while filled.pop() != nil {}
        if process != nil { return renderer.begin(sampleRate: Int(run.sampleRate)) }
        unsafe renderer.begin(plan, rampMilliseconds: rampMilliseconds, run: run)
    }

    /// Works on the buffer that was filled first, if there is one; returns whether there was. Thread: the worker.
    ///
    /// - Parameters:
    ///   - now: tells the monotonic clock in nanoseconds.
    ///   - pause: lets the workers beside do something; returns whether to look once more how far they are. A freewheeling server
    ///     waits for us, and we for them.
    package mutating func workOnNext(now: () -> UInt64, pause: () -> Bool = { false }) -> Bool {
        guard let buffer = filled.pop() else { return false }
        if buffer.isFreewheeling { while !renderer.isReady(for: buffer.frames), pause() {} }
        let entry = now()
        read(buffer)
        // In place: the plan has read a block of all inputs before it writes to an output. The audio thread has made the input
        // finite, and counted what was not.
        renderer.restFrames = buffer.restFrames
        renderer.cycle = buffer.cycle
        renderer.render(
            frames: buffer.frames, frameTime: buffer.frameTime, entryNanoseconds: entry, sampleRate: buffer.sampleRate,
            isFreewheeling: buffer.isFreewheeling)
        if let process { run(process, on: buffer) }
        for channel in 0..<meters.channels {
            memory.pool.write(plane(channel, buffer), buffer: buffer.number, channel: channel, from: 0)
        }
        let exit = now()
        // There is room for all buffers in the ring.
        _ = enqueued.push(buffer)
        renderer.finish(exitNanoseconds: exit)
        return true
    }

    /// Takes a buffer into the planes, which are the renderer's inputs and outputs.
    private mutating func read(_ buffer: QueuedBuffer) {
        let pool = memory.pool
        // SAFETY: the cell is ours.
        unsafe planes.pointer.pointee.arrange(frames: buffer.frames)
        for channel in 0..<pool.channels {
            let plane = plane(channel, buffer)
            if channel < renderer.inputs.channels {
                pool.read(into: plane, buffer: buffer.number, channel: channel, from: 0)
                unsafe renderer.inputs.set(channel, to: plane.baseAddress)
            } else {
                plane.clear()
            }
            if channel < renderer.outputs.channels { unsafe renderer.outputs.set(channel, to: plane.baseAddress) }
        }
    }

    /// In place of a plan: what the user has made is metered here.
    private mutating func run(_ process: Process, on buffer: QueuedBuffer) {
        // SAFETY: the cell is ours, and `QueueBuffer` ends with the function.
        var lent = unsafe QueueBuffer(planes.pointer, frames: buffer.frames, position: renderer.position)
        process(&lent)
        for channel in 0..<meters.channels {
            let plane = plane(channel, buffer)
            let broken = plane.silenceNotFinite()
            if broken > 0 { renderer.counters.nonFinite.count(UInt64(broken)) }
            meters.add(plane.level(), frames: buffer.frames, channel: channel)
        }
    }

    private func plane(_ channel: Int, _ buffer: QueuedBuffer) -> Samples {
        unsafe planes.pointer.pointee.run(channel, count: buffer.frames)
    }
}
