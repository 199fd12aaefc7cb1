import Synchronization

/// What one cycle of the audio thread does: it stamps the entry, runs the plan, stamps the exit and leaves a record.
///
/// It knows nothing of JACK: a cycle is a table of port buffers, a number of frames and a time. Made and wired by
/// the control thread; from activation to deactivation the audio thread alone touches it, through its address.
@safe package struct RenderUnit: ~Copyable {
    package var runner: PlanRunner
    private var records: Producer<CycleRecord>
    private let counters: Cell<RenderCounters>
    private let counts: UnsafeMutablePointer<RenderCounters>
    private var record = CycleRecord()

    package init(
        _ runner: consuming PlanRunner, records: consuming Producer<CycleRecord>, counters: Cell<RenderCounters>
    ) {
        self.runner = runner
        self.records = records
        self.counters = counters
        unsafe counts = counters.pointer
    }

    /// Begins a run. Counts go on. Thread: control, while nothing is rendered.
    ///
    /// - Parameters:
    ///   - plan: what is rendered first.
    ///   - rampMilliseconds: how long a change of a gain, a delay or a connection lasts.
    ///   - run: of the blocks from now on, for the taps.
    @unsafe package mutating func reset(_ plan: UnsafeMutablePointer<Plan>, rampMilliseconds: Double, run: TapRun) {
        unsafe runner.reset(plan, rampMilliseconds: rampMilliseconds, run: run)
        record.sampleRate = run.sampleRate
    }

    /// Takes over the server's present sample rate, in hertz. Where it is another than before, a new run begins for the
    /// taps, and nothing else is interrupted. Before `render`. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func follow(sampleRate: UInt32) {
        if record.follow(sampleRate: sampleRate) { runner.changeRate(to: sampleRate) }
    }

    /// Renders a cycle. Any number of frames, even none. Thread: audio. Wait-free.
    ///
    /// - Parameters:
    ///   - frames: length of each port buffer.
    ///   - frameTime: JACK's frame clock at the start of the cycle.
    ///   - entryNanoseconds: when the callback began.
    @_noLocks @_noAllocation
    package mutating func render(frames: Int, frameTime: UInt32, entryNanoseconds: UInt64) {
        record.entryNanoseconds = entryNanoseconds
        record.frameTime = frameTime
        record.frames = UInt32(truncatingIfNeeded: frames)
        let broken = runner.render(record)
        // SAFETY: here and below, `counters` keeps them.
        if broken > 0 { unsafe counts.pointee.nonFinite.count(UInt64(broken)) }
    }

    /// Notes the end of the cycle that `render` began. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func finish(exitNanoseconds: UInt64) {
        record.exitNanoseconds = exitNanoseconds
        if !records.pushRealtime(record) {
            record.lostRecords += 1
            unsafe counts.pointee.lostRecords.count(1)
        }
        record.position += UInt64(record.frames)
        unsafe counts.pointee.cycles.count(1)
        unsafe counts.pointee.frames.count(UInt64(record.frames))
    }
}

/// What the audio thread counts, for any other to read.
package struct RenderCounters: ~Copyable {
    package let cycles = Atomic<UInt64>(0)
    package let frames = Atomic<UInt64>(0)
    /// Cycles whose record was lost. Each record tells of those before it; this tells of the last ones too.
    package let lostRecords = Atomic<UInt64>(0)
    /// Samples of the input that were NaN, infinite or absurd, and came out as silence.
    package let nonFinite = Atomic<UInt64>(0)

    package init() {}
}
