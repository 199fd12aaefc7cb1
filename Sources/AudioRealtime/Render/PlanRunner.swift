import AudioDSP
import Synchronization

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
    ///   - record: when the cycle began, how many frames it has, whether the server freewheels, and its sample rate. Where that is
    ///     another, a new run begins for the taps, and nothing else is interrupted.
    ///   - inputs: as many as the plans have; they may be the memory of the outputs.
    ///   - outputs: as many as the plans have.
    ///   - transport: where JACK's is at the start; `nil` where the unit does not follow it.
    /// - Returns: how many samples of the inputs were not finite; they are silence.
    @_noLocks @_noAllocation @inline(__always)
    package mutating func render(
        _ record: borrowing CycleRecord, _ inputs: borrowing PortBuffers, _ outputs: borrowing PortBuffers,
        transport: TapTransport? = nil
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
        block.isFreewheeling = record.isFreewheeling
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

/// The way of plans to the audio thread, and back to where they are freed. There is one place each way: a plan that was not
/// taken yet gives way to a newer one, and no new one is taken before the last one is out of the way.
package struct PlanExchange: ~Copyable {
    /// Addresses of plans; 0 for none.
    fileprivate let waiting = Atomic<UInt>(0)
    fileprivate let returned = Atomic<UInt>(0)

    package init() {}

    /// Thread: audio. Wait-free.
    ///
    /// - Parameter current: the plan that was rendered up to now. Where there is a new one, it goes back.
    /// - Returns: the plan to be rendered from now on.
    @unsafe @_noLocks @_noAllocation
    package func take(_ current: UnsafeMutablePointer<Plan>) -> UnsafeMutablePointer<Plan> {
        guard waiting.load(ordering: .relaxed) != 0, returned.load(ordering: .acquiring) == 0 else {
            return unsafe current
        }
        let address = waiting.exchange(0, ordering: .acquiring)
        // SAFETY: an address of a plan that the other end keeps until it has come back.
        guard let plan = unsafe UnsafeMutablePointer<Plan>(bitPattern: address) else { return unsafe current }
        returned.store(UInt(bitPattern: current), ordering: .releasing)
        return unsafe plan
    }
}

/// The plans that the audio thread has or may take. Thread: control, one at a time.
package struct PlanKeeper: ~Copyable {
    package let exchange: Cell<PlanExchange>
    private var plans: [Cell<Plan>]

    /// - Parameter first: the plan that the audio thread begins with.
    package init(_ first: Cell<Plan>) {
        exchange = Cell(PlanExchange())
        plans = [first]
    }

    /// How many plans have not come back.
    package var count: Int { plans.count }

    /// The plan that was handed over last.
    @unsafe package var newest: UnsafeMutablePointer<Plan> {
        guard let last = plans.last else { preconditionFailure("there is a plan from the beginning") }
        return unsafe last.pointer
    }

    /// Has the audio thread begin with this plan and frees all others. Thread: control, while no plan is rendered.
    package mutating func restart(with plan: Cell<Plan>) {
        unsafe exchange.pointer.pointee.waiting.store(0, ordering: .relaxed)
        unsafe exchange.pointer.pointee.returned.store(0, ordering: .relaxed)
        plans = [plan]
    }

    /// Hands a plan to the audio thread.
    package mutating func offer(_ plan: Cell<Plan>) {
        collect()
        plans.append(plan)
        // SAFETY: the cell is ours; here and below, an address is only compared.
        let address = unsafe UInt(bitPattern: plan.pointer)
        // What gave way comes back.
        forget(unsafe exchange.pointer.pointee.waiting.exchange(address, ordering: .acquiringAndReleasing))
    }

    /// Frees the plan that has come back, if one has.
    package mutating func collect() {
        forget(unsafe exchange.pointer.pointee.returned.exchange(0, ordering: .acquiringAndReleasing))
    }

    private mutating func forget(_ address: UInt) {
        plans.removeAll { unsafe UInt(bitPattern: $0.pointer) == address }
    }
}
