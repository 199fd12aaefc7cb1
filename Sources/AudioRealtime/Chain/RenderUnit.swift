import AudioDSP
import Synchronization

/// What one cycle of the audio thread does: it takes the commands, runs the plan, and passes what comes of it to meters,
/// outputs and taps.
///
/// It knows nothing of JACK: a block is a table of port buffers, a number of frames and a time. Made and wired by
/// the control thread; from activation to deactivation the audio thread alone touches it, through its address.
@safe package struct RenderUnit: ~Copyable {
    /// The longest block that is rendered at once. A longer period is rendered in slices.
    package static var maximumFrames: Int { @_noLocks @_noAllocation get { 8192 } }
    /// Commands taken in one cycle; the rest wait for the next, so that a flood cannot make a cycle late.
    private static var commandsPerCycle: Int { @_noLocks @_noAllocation get { 32 } }

    /// Filled in by the caller before each `render`.
    package let inputs: PortBuffers
    package let outputs: PortBuffers
    package var taps: TapList
    private let chain: Cell<Chain>
    private let shaper: UnsafeMutablePointer<Chain>
    private let plan: Cell<Plan>
    private let steps: UnsafeMutablePointer<Plan>
    private let meters: MeterWriter
    private let shownMeters: Meters
    private var commands: Consumer<Command>
    private var records: Producer<CycleRecord>
    private let counters: Cell<RenderCounters>
    private let counts: UnsafeMutablePointer<RenderCounters>
    private var record = CycleRecord()
    /// Of the next block for the taps.
    private var block = TapBlock(run: TapRun(sampleRate: 1))

    /// - Parameter chain: what it does between its inputs and its outputs, for as many channels as the meters have.
    package init(
        chain: Cell<Chain>, meters: Meters, commands: consuming Consumer<Command>,
        records: consuming Producer<CycleRecord>, counters: Cell<RenderCounters>
    ) {
        self.chain = chain
        let channels = meters.channels
        inputs = PortBuffers(channels: channels)
        outputs = PortBuffers(channels: channels)
        let row = [NodeBody.input, .shaper(chain), .output].map { PlanNode($0, channels: channels) }
        plan = Cell(PlanBuilder.plan(row: row, rampFrames: 0))
        unsafe shaper = chain.pointer
        unsafe steps = plan.pointer
        taps = TapList()
        self.meters = meters.writer
        shownMeters = meters
        self.commands = commands
        self.records = records
        self.counters = counters
        unsafe counts = counters.pointer
    }

    /// Takes over the server's present sample rate, in hertz. Where it is another than before, a new run begins for the
    /// taps, and nothing else is interrupted. Before `render`. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func follow(sampleRate: UInt32) {
        guard record.follow(sampleRate: sampleRate) else { return }
        // SAFETY: `chain` keeps it.
        unsafe shaper.pointee.changeRate(to: Int(sampleRate))
        block.run = TapRun(sampleRate: Int(sampleRate), cause: .rateChange)
        block.runNumber &+= 1
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
        takeCommands()
        var start = 0
        while start < frames {
            // SAFETY: here and below, `plan` and `chain` keep what is pointed at.
            let count = unsafe steps.pointee.begin(frames: frames - start)
            describe(from: start, count: count)
            renderSlice(from: start, count: count)
            start += count
        }
    }

    /// Notes for the taps whether the cycles from the next on are those of a freewheeling server. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func noteFreewheel(_ isOn: Bool) { block.isFreewheeling = isOn }

    /// Notes the end of the cycle that `render` began. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func finish(exitNanoseconds: UInt64) {
        record.exitNanoseconds = exitNanoseconds
        if !records.pushRealtime(record) {
            record.lostRecords += 1
            // SAFETY: here and below, `counters` keeps them.
            unsafe counts.pointee.lostRecords.count(1)
        }
        record.position += UInt64(record.frames)
        unsafe counts.pointee.cycles.count(1)
        unsafe counts.pointee.frames.count(UInt64(record.frames))
    }

    /// Starts anew with these parameters; commands that were not taken are void. Counts go on.
    /// Thread: control, while nothing is rendered.
    ///
    /// - Parameter run: what the taps are told of the blocks from now on.
    package mutating func reset(parameters: Parameters, rampFrames: Int, run: TapRun) {
        while commands.pop() != nil {}
        unsafe shaper.pointee.reset(
            parameters: parameters, rampFrames: rampFrames, sampleRate: Int(run.sampleRate))
        record.sampleRate = run.sampleRate
        block.run = run
        block.runNumber &+= 1
    }

    @_noLocks @_noAllocation
    private mutating func takeCommands() {
        var taken = 0
        while taken < Self.commandsPerCycle, let command = commands.popRealtime() {
            unsafe shaper.pointee.take(command)
            taken += 1
        }
        if taken > 0 { unsafe shaper.pointee.beginChange() }
    }

    /// Notes what the taps are told of the block that is rendered next.
    @_noLocks @_noAllocation
    private mutating func describe(from start: Int, count: Int) {
        block.entryNanoseconds = record.entryNanoseconds
        if start > 0 { block.entryNanoseconds += UInt64(start) * 1_000_000_000 / UInt64(block.run.sampleRate) }
        block.position = record.position + UInt64(start)
        block.frameTime = record.frameTime &+ UInt32(truncatingIfNeeded: start)
        block.frames = UInt32(truncatingIfNeeded: count)
    }

    @_noLocks @_noAllocation
    private mutating func renderSlice(from start: Int, count: Int) {
        // Every input is read before any output is written: in a feedback loop an input is one of our outputs.
        let isKept = unsafe !shaper.pointee.isAtRest
        let broken = unsafe steps.pointee.render(inputs, from: start, frames: count)
        // SAFETY: `counters` keeps them.
        if broken > 0 { unsafe counts.pointee.nonFinite.count(UInt64(broken)) }

        if isKept { record.tapDroppedFrames += UInt64(taps.begin(block)) } else { block.pausedFrames += UInt64(count) }
        for channel in 0..<outputs.channels {
            let plane = unsafe steps.pointee.output(channel, frames: count)
            meters.add(plane.level(), channel: channel)
            if let output = outputs.run(channel, from: start, count: count) { output.copy(from: plane) }
            if isKept { taps.write(plane, channel: channel) }
        }
        if isKept { taps.end() }
        meters.advance(by: count)
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
