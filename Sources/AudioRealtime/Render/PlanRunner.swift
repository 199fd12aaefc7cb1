import AudioDSP

/// Runs plans on port buffers: takes a new plan over between two cycles, and has a cycle rendered in blocks of a length that
/// the plan can render, each described for the taps.
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
    /// How long a change of a gain, a delay or a connection lasts.
    private var rampMilliseconds = 0.0
    private let owner: AnyObject?
    /// Of the next block for the taps.
    private var block = TapBlock(run: TapRun(sampleRate: 1))

    /// - Parameter owner: owns every plan that may be rendered. The runner retains it, because libjack may call the callback even
    ///   after a close has timed out and the engine has been released.
    @unsafe package init(
        plan: UnsafeMutablePointer<Plan>, exchange: Cell<PlanExchange>, keeping owner: AnyObject? = nil
    ) {
        self.owner = owner
        unsafe self.plan = plan
        self.exchange = exchange
        unsafe plans = exchange.pointer
    }

    /// Begins a run with a plan. Thread: control, while nothing is rendered.
    ///
    /// - Parameter rampMilliseconds: how long a change of a gain, a delay or a connection lasts.
    @unsafe package mutating func reset(_ plan: UnsafeMutablePointer<Plan>, rampMilliseconds: Double, run: TapRun) {
        unsafe self.plan = plan
        self.rampMilliseconds = rampMilliseconds
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
        unsafe plan.pointee.rampFrames = Ramp.frames(milliseconds: rampMilliseconds, sampleRate: sampleRate)
        unsafe plan.pointee.changeRate(to: sampleRate)
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

    /// Whether every player that follows the transport can play from this frame on. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func isReady(forTransportFrame frame: UInt32) -> Bool {
        unsafe plan.pointee.isReady(forTransportFrame: frame)
    }

    /// Renders a cycle. Any number of frames, even none. Thread: audio. Wait-free.
    ///
    /// - Parameters:
    ///   - record: when the cycle began, how many frames it has, and the server's sample rate. Where that is another, a new run
    ///     begins for the taps, and nothing else is interrupted.
    ///   - inputs: as many as the plans have; they may be the memory of the outputs.
    ///   - outputs: as many as the plans have.
    ///   - isFreewheeling: whether the server does.
    ///   - transport: where JACK's is at the start; `nil` where the unit does not follow it.
    /// - Returns: how many samples of the inputs were not finite; they are silence.
    @_noLocks @_noAllocation @inline(__always)
    package mutating func render(
        _ record: borrowing CycleRecord, _ inputs: borrowing PortBuffers, _ outputs: borrowing PortBuffers,
        isFreewheeling: Bool = false, transport: TapTransport? = nil
    ) -> Int {
        // SAFETY: `exchange` keeps it.
        let next = unsafe plans.pointee.take(plan)
        let isNew = unsafe next != plan
        unsafe plan = next
        if record.sampleRate != block.run.sampleRate, record.sampleRate > 0 {
            begin(TapRun(sampleRate: Int(record.sampleRate), cause: .rateChange))
        } else if isNew {
            preparePlan()
        }
        block.isFreewheeling = isFreewheeling
        let frames = Int(record.frames)
        var broken = 0
        var start = 0
        while start < frames {
            // For the taps: what is left of the cycle from here on.
            block.entryNanoseconds = record.entryNanoseconds
            if start > 0 { block.entryNanoseconds += UInt64(start) * 1_000_000_000 / UInt64(block.run.sampleRate) }
            block.position = record.position + UInt64(start)
            block.frameTime = record.frameTime &+ UInt32(truncatingIfNeeded: start)
            block.frames = record.frames - UInt32(truncatingIfNeeded: start)
            block.transport = transport?.advanced(by: start)
            broken += unsafe plan.pointee.render(inputs, outputs, from: start, &block)
            start += Int(block.frames)
        }
        return broken
    }
}
