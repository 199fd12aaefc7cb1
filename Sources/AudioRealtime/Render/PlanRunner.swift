import AudioDSP
import Synchronization

/// Runs plans on port buffers: takes a new plan over between two blocks, cuts a cycle into blocks of a length that the plan
/// can render, and passes what comes of it to the meters, the outputs and the taps.
///
/// Made and wired by the control thread; while anything is rendered, one thread alone touches it: the audio thread in callback
/// mode, the worker in queued mode, the caller offline.
@safe package struct PlanRunner: ~Copyable {
    /// The longest block that is rendered at once. A longer cycle is rendered in parts.
    package static var maximumFrames: Int { @_noLocks @_noAllocation get { 8192 } }

    /// Kept by the control thread until it has come back through the exchange, and its keeper by `owner`.
    private var plan: UnsafeMutablePointer<Plan>
    private let exchange: Cell<PlanExchange>
    private let plans: UnsafeMutablePointer<PlanExchange>
    private var gate: PauseGate
    /// How long a change of a gain, a delay or a connection lasts.
    private var rampMilliseconds = 0.0
    private let owner: AnyObject?
    private let shownMeters: Meters
    private let meters: MeterWriter
    private let runaways: Cell<Atomic<UInt64>>
    private let runawayCount: UnsafeMutablePointer<Atomic<UInt64>>
    /// At the start of the cycle; `nil` where the unit does not follow it.
    private var transport: TapTransport?
    /// Of the next block for the taps.
    private var block = TapBlock(run: TapRun(sampleRate: 1))

    /// - Parameters:
    ///   - meters: of as many channels as there are outputs, and as the plans have.
    ///   - isPaused: set by the control thread.
    ///   - runaways: counts samples that were not finite though the inputs were.
    ///   - owner: owns every plan that may be rendered. The runner retains it, because libjack may call the callback even after
    ///     a close has timed out and the engine has been released.
    @unsafe package init(
        meters: Meters, plan: UnsafeMutablePointer<Plan>, exchange: Cell<PlanExchange>, isPaused: Cell<Atomic<Bool>>,
        runaways: Cell<Atomic<UInt64>> = Cell(Atomic(0)), keeping owner: AnyObject? = nil
    ) {
        self.owner = owner
        self.runaways = runaways
        unsafe runawayCount = runaways.pointer
        unsafe self.plan = plan
        self.exchange = exchange
        unsafe plans = exchange.pointer
        gate = PauseGate(isPaused)
        shownMeters = meters
        self.meters = meters.writer
    }

    /// Begins a run with a plan. Thread: control, while nothing is rendered.
    ///
    /// - Parameter rampMilliseconds: how long a change of a gain, a delay or a connection lasts.
    @unsafe package mutating func reset(_ plan: UnsafeMutablePointer<Plan>, rampMilliseconds: Double, run: TapRun) {
        unsafe self.plan = plan
        self.rampMilliseconds = rampMilliseconds
        gate.reset()
        begin(run)
    }

    @_noLocks @_noAllocation
    private mutating func begin(_ run: TapRun) {
        block.run = run
        block.runNumber &+= 1
        preparePlan()
    }

    /// Has the plan follow the present sample rate: a node may have been left out of the last plan while the rate changed.
    @_noLocks @_noAllocation
    private func preparePlan() {
        let sampleRate = Int(block.run.sampleRate)
        // SAFETY: here and below, the control thread keeps the plan.
        unsafe plan.pointee.rampFrames = Int(rampMilliseconds / 1000 * Double(sampleRate))
        unsafe plan.pointee.changeRate(to: sampleRate)
    }

    /// Takes over another sample rate, in hertz: a new run begins for the taps, and nothing else is interrupted. Before
    /// `render`. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func changeRate(to sampleRate: UInt32) {
        begin(TapRun(sampleRate: Int(sampleRate), cause: .rateChange))
    }

    /// Whether the workers beside are ready for a cycle of this length, and the players' for a quarter of a second more: a server
    /// that stops to freewheel wants the next cycle in time. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func isReady(for frames: Int) -> Bool {
        unsafe plan.pointee.isReady(for: frames, reserveFrames: Int(block.run.sampleRate) / 4)
    }

    /// Whether the readers of all taps have room for a cycle of this length. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func hasRoom(for frames: Int) -> Bool { unsafe plan.pointee.hasRoom(for: frames) }

    /// Notes for the taps whether the cycles from the next on are those of a freewheeling server. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func noteFreewheel(_ isOn: Bool) { block.isFreewheeling = isOn }

    /// Notes where JACK's transport is at the start of the next cycle. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func note(_ transport: TapTransport) { self.transport = transport }

    /// Whether every player that follows the transport can play from this frame on. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func isReady(forTransportFrame frame: UInt32) -> Bool {
        unsafe plan.pointee.isReady(forTransportFrame: frame)
    }

    /// Renders a cycle. Any number of frames, even none. Thread: audio. Wait-free.
    ///
    /// - Parameters:
    ///   - record: when the cycle began, and how many frames it has.
    ///   - inputs: as many as the plans have; they may be the memory of the outputs.
    ///   - outputs: as many as the meters have channels.
    /// - Returns: how many samples of the inputs were not finite; they are silence.
    @_noLocks @_noAllocation @inline(__always)
    package mutating func render(
        _ record: borrowing CycleRecord, _ inputs: borrowing PortBuffers, _ outputs: borrowing PortBuffers
    ) -> Int {
        takePlan()
        let frames = Int(record.frames)
        var broken = 0
        var start = 0
        while start < frames {
            let count = unsafe plan.pointee.begin(frames: frames - start)
            describe(record, from: start, count: count)
            broken += renderBlock(inputs, outputs, from: start, count: count)
            start += count
        }
        return broken
    }

    @_noLocks @_noAllocation
    private mutating func takePlan() {
        // SAFETY: `exchange` keeps it; the control thread keeps every plan until it has come back.
        let next = unsafe plans.pointee.take(plan)
        guard unsafe next != plan else { return }
        unsafe plan = next
        preparePlan()
    }

    /// Describes the block that is rendered next, for the taps.
    @_noLocks @_noAllocation
    private mutating func describe(_ record: borrowing CycleRecord, from start: Int, count: Int) {
        block.entryNanoseconds = record.entryNanoseconds
        if start > 0 { block.entryNanoseconds += UInt64(start) * 1_000_000_000 / UInt64(block.run.sampleRate) }
        block.position = record.position + UInt64(start)
        block.frameTime = record.frameTime &+ UInt32(truncatingIfNeeded: start)
        block.frames = UInt32(truncatingIfNeeded: count)
        block.transport = transport?.advanced(by: start)
    }

    @_noLocks @_noAllocation
    private mutating func renderBlock(
        _ inputs: borrowing PortBuffers, _ outputs: borrowing PortBuffers, from start: Int, count: Int
    ) -> Int {
        let isKept = unsafe gate.begin(rampFrames: plan.pointee.rampFrames)
        // Every input is read before any output is written: in a feedback loop an input is one of our outputs.
        var (broken, made) = unsafe plan.pointee.render(inputs, from: start, block, isKept: isKept)
        for channel in 0..<outputs.channels {
            let plane = unsafe plan.pointee.output(channel, frames: count)
            gate.apply(to: plane)
            var level = plane.level()
            // What no input would take for sound is none at an output either. The peak finds what is finite, the sum what is no
            // number: most blocks cost no more than these comparisons.
            if level.peak > Samples.largestMagnitude || !level.sumOfSquares.isFinite {
                made += plane.silenceNotFinite()
                level = plane.level()
            }
            meters.add(level, channel: channel)
            if let output = outputs.run(channel, from: start, count: count) { output.copy(from: plane) }
        }
        if isKept { unsafe plan.pointee.tapOutputs(block) } else { block.pausedFrames += UInt64(count) }
        if made > 0 { unsafe runawayCount.pointee.count(UInt64(made)) }
        gate.advance(by: count)
        meters.advance(by: count)
        return broken
    }
}
