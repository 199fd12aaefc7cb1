import AudioDSP

/// What one cycle of the audio thread does, in each of our clients: it stamps the entry, does the client's work, stamps the
/// exit and leaves a record.
///
/// It knows nothing of JACK: a cycle is two tables of port buffers, a number of frames and a time. Made and wired by
/// the control thread; from activation to deactivation the audio thread alone touches it, through its address.
@safe package struct RenderUnit: ~Copyable {
    /// What a client does in each cycle. Its state is reached through its address: a state that lies in an enum, and cannot be
    /// copied, is changed by taking it out and putting it back.
    @unsafe package enum Work: BitwiseCopyable {
        /// Callback mode: runs the plan.
        case plan(UnsafeMutablePointer<PlanRunner>)
        /// Queued mode: a worker runs the plan.
        case queue(UnsafeMutablePointer<QueueUnit>)
        /// Plays a probe signal, hears one, or both.
        case probe(UnsafeMutablePointer<ProbePlayer>?, UnsafeMutablePointer<ProbeCapture>?)
        /// Leaves a record, and that is all.
        case none
    }

    /// Filled in by the caller before each `render`.
    package let inputs: PortBuffers
    package let outputs: PortBuffers
    private let work: Work
    private let keeps: [AnyObject?]
    private var records: Producer<CycleRecord>?
    private let counters: Cell<UnitCounters>
    private let counts: UnsafeMutablePointer<UnitCounters>
    private var record = CycleRecord()

    /// - Parameters:
    ///   - keeps: what the work points at.
    ///   - inputs: how many there are.
    ///   - outputs: how many there are.
    ///   - records: takes the record of each cycle; `nil` where nobody reads them.
    @unsafe package init(
        _ work: Work, keeping keeps: [AnyObject?] = [], inputs: Int = 0, outputs: Int = 0,
        records: consuming Producer<CycleRecord>? = nil, counters: Cell<UnitCounters> = Cell(UnitCounters())
    ) {
        self.inputs = PortBuffers(channels: inputs)
        self.outputs = PortBuffers(channels: outputs)
        unsafe self.work = work
        self.keeps = keeps
        self.records = records
        self.counters = counters
        unsafe counts = counters.pointer
    }

    /// Begins a run at a sample rate in hertz; that of the work is begun apart. Counts go on. Thread: control, while nothing
    /// is rendered.
    package mutating func begin(sampleRate: Int) { record.sampleRate = UInt32(clamping: sampleRate) }

    /// Whether the workers beside are ready for a cycle of this length: only a freewheeling server may be made to wait for
    /// them. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func isReady(for frames: Int) -> Bool {
        // SAFETY: here and below, `keeps` keeps what the work points at, and `counters` the counts.
        switch unsafe work {
        case .plan(let runner): unsafe runner.pointee.isReady(for: frames)
        case .queue(let queue): unsafe !queue.pointee.awaitsWorker()
        case .probe, .none: true
        }
    }

    /// Whether everything that follows the transport can begin at this frame. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func isReady(forTransportFrame frame: UInt32) -> Bool {
        guard case .plan(let runner) = unsafe work else { return true }
        return unsafe runner.pointee.isReady(forTransportFrame: frame)
    }

    /// Does the work of a cycle. Any number of frames, even none. Thread: audio. Wait-free.
    ///
    /// - Parameters:
    ///   - frames: length of each port buffer.
    ///   - frameTime: JACK's frame clock at the start of the cycle.
    ///   - entryNanoseconds: when the callback began.
    ///   - sampleRate: the server's, in hertz; 0 where nobody asks.
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
        case .plan(let runner):
            broken = unsafe runner.pointee.render(record, inputs, outputs, transport: transport)
        case .queue(let queue):
            broken = unsafe queue.pointee.render(record, inputs, outputs)
            wakes = unsafe queue.pointee.handedInCycle
        case .probe(let player, let capture):
            // First what is heard: it may be the very memory that is played into.
            unsafe capture?.pointee.take(record, inputs)
            unsafe player?.pointee.play(into: outputs, frames: frames, frameTime: frameTime)
        case .none: break
        }
        if broken > 0 { unsafe counts.pointee.nonFinite.count(UInt64(broken)) }
        return wakes
    }

    /// Notes the end of the cycle that `render` began. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func finish(exitNanoseconds: UInt64) {
        record.exitNanoseconds = exitNanoseconds
        if let isThere = records?.push(record), !isThere {
            record.lostRecords += 1
            unsafe counts.pointee.lostRecords.count(1)
        }
        record.position += UInt64(record.frames)
        unsafe counts.pointee.cycles.count(1)
        unsafe counts.pointee.frames.count(UInt64(record.frames))
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

    /// Copies `count` frames of every channel from frame `start` on into a bundle of as many. A channel without a buffer is
    /// silent. Thread: audio. Wait-free.
    ///
    /// - Returns: how many samples were not finite; they are silence.
    @_noLocks @_noAllocation
    package func copyFinite(to planes: borrowing Planes, _ bundle: Bundle, from start: Int, count: Int) -> Int {
        var broken = 0
        for channel in 0..<channels {
            let plane = planes.run(bundle, channel, count: count)
            if let input = run(channel, from: start, count: count) {
                broken += plane.copyFinite(from: input)
            } else {
                plane.clear()
            }
        }
        return broken
    }
}
