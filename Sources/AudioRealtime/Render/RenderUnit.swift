import AudioDSP

/// One cycle after the other, of each of our clients, of a queue's worker, and offline: what is to be done, from when to when,
/// and a record of it.
///
/// It knows nothing of JACK: a cycle is two tables of port buffers, a number of frames and a time. Made and wired by
/// the control thread; while anything is rendered, one thread alone touches it: the audio thread in callback mode and that of
/// a queue, a queue's worker, the caller offline. All but the counters.
@safe package struct RenderUnit: ~Copyable {
    /// What is done in each cycle. Its state is reached through its address: a state that lies in an enum, and cannot be
    /// copied, is changed by taking it out and putting it back.
    @unsafe package enum Work: BitwiseCopyable {
        /// Renders this plan, which somebody keeps until the audio thread has left it for the next one.
        case plan(UnsafeMutablePointer<Plan>)
        /// Queued mode: a worker renders the plan.
        case queue(UnsafeMutablePointer<QueueUnit>)
        /// Plays a probe signal, hears one, or both.
        case probe(UnsafeMutablePointer<ProbePlayer>?, UnsafeMutablePointer<ProbeCapture>?)
        /// Leaves a record, and that is all.
        case none
    }

    // First what each cycle looks at, side by side: other programs have used the caches since the last one.

    private var work: Work
    /// Filled in by the caller before each `render`.
    package let inputs: PortBuffers
    package let outputs: PortBuffers
    private var record = CycleRecord()
    /// For the taps, which are told of each block: frames that were rendered while the unit was paused.
    private var pausedFrames: UInt64 = 0
    private var run = TapRun(sampleRate: 1)
    private var runNumber: UInt32 = 0
    /// Of the next buffer of a queue's worker, which sets it: the cycle in which its first frame came. All zero in callback mode.
    package var cycle = TapCycle()
    /// What was counted since the unit was made. Thread: any.
    package let counters = UnitCounters()
    private var records: Producer<CycleRecord>?
    /// How long a change of a gain, a delay or a connection lasts.
    private var rampMilliseconds = 0.0
    private let keeps: [AnyObject?]

    /// - Parameters:
    ///   - work: no plan. Those begin with `begin`.
    ///   - keeps: what the work points at, or who keeps the plans.
    ///   - inputs: how many there are.
    ///   - outputs: how many there are.
    ///   - records: takes the record of each cycle; `nil` where nobody reads them.
    @unsafe package init(
        _ work: Work, keeping keeps: [AnyObject?] = [], inputs: Int = 0, outputs: Int = 0,
        records: consuming Producer<CycleRecord>? = nil
    ) {
        if case .plan = unsafe work { preconditionFailure("a plan begins with its sample rate") }
        unsafe self.work = work
        self.inputs = PortBuffers(channels: inputs)
        self.outputs = PortBuffers(channels: outputs)
        self.records = records
        self.keeps = keeps
    }

    /// Begins a run at a sample rate in hertz. Counts go on. Thread: control, while nothing is rendered.
    package mutating func begin(sampleRate: Int) { record.follow(sampleRate: UInt32(clamping: sampleRate)) }

    /// Begins a run of plans, of which this is the first. Counts go on. Thread: control, while nothing is rendered.
    ///
    /// - Parameter rampMilliseconds: how long a change of a gain, a delay or a connection lasts.
    @unsafe package mutating func begin(_ plan: UnsafeMutablePointer<Plan>, rampMilliseconds: Double, run: TapRun) {
        self.rampMilliseconds = rampMilliseconds
        self.run = run
        runNumber &+= 1
        record.sampleRate = run.sampleRate
        unsafe goOn(with: plan)
    }

    /// Renders this plan from now on, at the sample rate of the present cycle. If the rate has changed, the taps are told that a
    /// new run begins. The plan is always told the rate: the last plan may have left out one of its nodes when the rate changed.
    /// Not inlined, because it happens seldom.
    @unsafe @inline(never) @_noLocks @_noAllocation
    private mutating func goOn(with plan: UnsafeMutablePointer<Plan>) {
        if record.sampleRate != run.sampleRate {
            run = TapRun(sampleRate: Int(record.sampleRate), cause: .rateChange)
            runNumber &+= 1
        }
        unsafe work = .plan(plan)
        let sampleRate = Int(run.sampleRate)
        // SAFETY: here and below, `keeps` holds the object that the work points into, or the object that owns the plans.
        unsafe plan.pointee.rampFrames = Ramp.frames(milliseconds: rampMilliseconds, sampleRate: sampleRate)
        unsafe plan.pointee.changeRate(to: sampleRate)
    }

    var rendersPlan: Bool { if case .plan = unsafe work { true } else { false } }

    /// Frames that were rendered before the present cycle. Thread: the renderer's.
    package var position: UInt64 { record.position }

    /// See `CycleRecord.restFrames`: of the next cycles. Thread: the renderer's.
    package var restFrames: UInt32 {
        get { record.restFrames }
        set { record.restFrames = newValue }
    }

    /// Whether the workers beside are ready for a cycle of this length, and the players' for a quarter of a second more: a server
    /// that stops to freewheel wants the next cycle in time, and only one that freewheels may be made to wait for them.
    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func isReady(for frames: Int) -> Bool {
        switch unsafe work {
        case .plan(let plan): unsafe plan.pointee.isReady(for: frames, reserveFrames: Int(run.sampleRate) / 4)
        case .queue(let queue): unsafe !queue.pointee.awaitsWorker()
        case .probe, .none: true
        }
    }

    /// Whether the readers of all taps have room for a cycle of this length. Thread: the renderer's. Wait-free.
    @_noLocks @_noAllocation
    package func hasRoom(for frames: Int) -> Bool {
        guard case .plan(let plan) = unsafe work else { return true }
        return unsafe plan.pointee.hasRoom(for: frames)
    }

    /// Whether everything that follows the transport can begin at this frame. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func isReady(forTransportFrame frame: UInt32) -> Bool {
        guard case .plan(let plan) = unsafe work else { return true }
        return unsafe plan.pointee.isReady(forTransportFrame: frame)
    }

    /// Does the work of a cycle. Any number of frames, even none. Thread: the renderer's. Wait-free.
    ///
    /// - Parameters:
    ///   - frames: length of each port buffer. Those of the inputs may be the memory of the outputs.
    ///   - frameTime: JACK's frame clock at the start of the cycle.
    ///   - entryNanoseconds: when the callback began.
    ///   - sampleRate: the server's, in hertz; 0 where nobody asks. Where it is another, a new run begins for the taps, and
    ///     nothing else is interrupted.
    ///   - isFreewheeling: whether the server does.
    ///   - transport: where JACK's is at the start; `nil` where the unit does not follow it.
    /// - Returns: how often the queue's worker is to be woken.
    @discardableResult @_noLocks @_noAllocation
    package mutating func render(
        frames: Int, frameTime: UInt32, entryNanoseconds: UInt64, sampleRate: UInt32 = 0, isFreewheeling: Bool = false,
        transport: TapTransport? = nil
    ) -> Int {
        record.follow(sampleRate: sampleRate)
        record.entryNanoseconds = entryNanoseconds
        record.frameTime = frameTime
        record.frames = UInt32(truncatingIfNeeded: frames)
        record.isFreewheeling = isFreewheeling
        var (broken, wakes) = (0, 0)
        switch unsafe work {
        case .plan(let last):
            let next = unsafe last.pointee.goOn()
            let plan = unsafe next ?? last
            if unsafe next != nil || record.sampleRate != run.sampleRate { unsafe goOn(with: plan) }
            broken = unsafe render(plan, transport: transport)
        case .queue(let queue):
            broken = unsafe queue.pointee.render(record, inputs, outputs)
            wakes = unsafe queue.pointee.handedInCycle
        case .probe(let player, let capture):
            // First what is heard: it may be the very memory that is played into.
            unsafe capture?.pointee.take(record, inputs)
            unsafe player?.pointee.play(into: outputs, frames: frames, frameTime: frameTime)
        case .none: break
        }
        if broken > 0 { counters.nonFinite.count(UInt64(broken)) }
        return wakes
    }

    /// Has a cycle rendered in blocks of a length that the plan can render, each described for the taps.
    ///
    /// - Returns: how many samples of the inputs were not finite; they are silence.
    @unsafe @inline(__always) @_noLocks @_noAllocation
    private mutating func render(_ plan: UnsafeMutablePointer<Plan>, transport: TapTransport?) -> Int {
        var block = TapBlock(run: run)
        block.runNumber = runNumber
        block.isFreewheeling = record.isFreewheeling
        block.pausedFrames = pausedFrames
        block.cycle = cycle
        if cycle.frames == 0 {
            block.cycle.entryNanoseconds = record.entryNanoseconds
            block.cycle.frames = record.frames
            block.cycle.burstFrames = record.frames
        }
        let frames = Int(record.frames)
        var broken = 0
        var start = 0
        while start < frames {
            // What is left of the cycle from here on.
            block.entryNanoseconds = record.entryNanoseconds
            if start > 0 { block.entryNanoseconds += UInt64(start) * 1_000_000_000 / UInt64(run.sampleRate) }
            block.position = record.position + UInt64(start)
            block.frameTime = record.frameTime &+ UInt32(truncatingIfNeeded: start)
            block.frames = record.frames - UInt32(truncatingIfNeeded: start)
            block.cycle.offset = cycle.offset &+ UInt32(truncatingIfNeeded: start)
            block.transport = transport?.advanced(by: start)
            broken += unsafe plan.pointee.render(inputs, outputs, from: start, &block)
            start += Int(block.frames)
        }
        pausedFrames = block.pausedFrames
        return broken
    }

    /// Notes the end of the cycle that `render` began. Thread: the renderer's. Wait-free.
    @_noLocks @_noAllocation
    package mutating func finish(exitNanoseconds: UInt64) {
        record.exitNanoseconds = exitNanoseconds
        if let isThere = records?.push(record), !isThere {
            record.lostRecords += 1
            counters.lostRecords.count(1)
        }
        record.position += UInt64(record.frames)
        counters.cycles.count(1)
        counters.frames.count(UInt64(record.frames))
    }
}

/// The addresses of the port buffers of one cycle, in a table that was allocated once.
///
/// A port that has no buffer this time (PipeWire gives none for some) is silent, or goes nowhere.
@safe @usableFromInline package struct PortBuffers: ~Copyable {
    @usableFromInline let table: Row<UnsafeMutablePointer<Float>?>

    package init(channels: Int) {
        precondition(channels >= 0)
        // No bits are no address.
        unsafe table = Row(zeros: channels)
    }

    @inlinable package var channels: Int { @_noLocks @_noAllocation get { unsafe table.count } }

    /// Sets a channel's buffer. It must hold as many frames as the cycle has. Thread: audio. Wait-free.
    @unsafe @inlinable @_noLocks @_noAllocation
    package func set(_ channel: Int, to buffer: UnsafeMutablePointer<Float>?) {
        precondition(channel >= 0 && channel < channels)
        unsafe table.base[channel] = buffer
    }

    /// `count` frames of a channel's buffer from frame `start` on. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func run(_ channel: Int, from start: Int, count: Int) -> Samples? {
        precondition(channel >= 0 && channel < channels && start >= 0)
        // SAFETY: the caller stays within the frames of the cycle, for which the buffer was set.
        guard let buffer = unsafe table.base[channel] else { return nil }
        return unsafe Samples(buffer + start, count: count)
    }

    /// Copies `count` frames of every channel from frame `start` on into a bundle. A channel without a buffer is silent, and so is
    /// what the bundle has more: that of an engine without inputs has one channel. Thread: audio. Wait-free.
    ///
    /// - Returns: how many samples were not finite; they are silence.
    @_noLocks @_noAllocation
    package func copyFinite(to planes: borrowing Planes, _ bundle: Bundle, from start: Int, count: Int) -> Int {
        var broken = 0
        for channel in 0..<bundle.channels {
            let plane = planes.run(bundle, channel, count: count)
            if channel < channels, let input = run(channel, from: start, count: count) {
                broken += plane.copyFinite(from: input)
            } else {
                plane.clear()
            }
        }
        return broken
    }
}
