import AudioDSP
import AudioRealtime
import Synchronization

/// What the audio thread runs of a plug-in: nothing of lilv, and of the plug-in its `run` and its worker's answers.
@safe struct HostedState: AudioProcessor, ~Copyable {
    private let exchange: RigExchange
    private let controls: PluginControls
    private let values: ControlValues
    private let slots: UnsafeMutablePointer<RigExchange.Slots>
    private var midi: HostedMIDI
    private let switches: Cell<PluginSwitches>
    private let isOn: UnsafeMutablePointer<PluginSwitches>
    /// What is rendered; `nil` before the first one came, or where none can be made: then the sound goes by.
    private var rig: UnsafeMutablePointer<RigSide>?
    /// What came, as late as the plug-in is.
    private var dry: DryMemory
    private let delayed: Planes
    private let maximumFrames: Int
    /// How much of the plug-in is heard, 0…1, and how much that changes in a frame.
    private var wet: Float
    private let step: Float
    /// Whether the dry sound is remembered: for a bypass, or a plug-in that is ended, which must have it when that begins.
    private let remembers: Bool
    private var reportedLatency: Int
    private let clock = PluginClock.shared

    /// - Parameter remembers: whether the dry sound is remembered all the time.
    init(
        _ exchange: RigExchange, _ dry: DryExchange, _ controls: PluginControls, _ midi: consuming HostedMIDI,
        _ switches: Cell<PluginSwitches>, rampFrames: Int, maximumFrames: Int, remembers: Bool
    ) {
        self.exchange = exchange
        self.controls = controls
        values = controls.values
        unsafe slots = exchange.slots
        self.midi = midi
        self.switches = switches
        unsafe isOn = switches.pointer
        unsafe rig = nil
        self.maximumFrames = maximumFrames
        self.remembers = remembers
        self.dry = DryMemory(dry)
        reportedLatency = exchange.latencyFrames
        delayed = Planes(channels: 1, capacity: maximumFrames)
        wet = unsafe switches.pointer.pointee.bypass.load(ordering: .relaxed) ? 0 : 1
        step = rampFrames > 0 ? 1 / Float(rampFrames) : 1
    }

    mutating func process(_ block: borrowing ProcessorBlock) {
        midi.follow()
        var start = 0
        var ticks: UInt64 = 0
        while start < block.frames {
            let count = min(maximumFrames, block.frames - start)
            ticks &+= render(block, from: start, count: count)
            start += count
        }
        midi.advance(by: block.frames)
        unsafe slots.pointee.longestRun.note(ticks: ticks, frames: block.frames, sampleRate: block.sampleRate)
    }

    mutating func reset(sampleRate: Int) {
        // SAFETY: here and below, the exchange keeps what it hands out until it is given back.
        let next = unsafe slots.pointee.next.exchange(nil, ordering: .acquiring)
        if let next = unsafe next {
            let last = unsafe rig
            unsafe rig = unsafe next
            if let last = unsafe last {
                // The place may have one that came back before.
                exchange.collect()
                unsafe slots.pointee.last.store(last, ordering: .releasing)
                exchange.collect()
            }
        }
        exchange.rigs.last?.restart()
        dry.clear()
        wet = unsafe isOn.pointee.bypass.load(ordering: .relaxed) ? 0 : 1
    }

    /// - Returns: how long the plug-in took, in ticks of the clock.
    @_noLocks @_noAllocation
    private mutating func render(_ block: borrowing ProcessorBlock, from start: Int, count: Int) -> UInt64 {
        let old = unsafe takeRig()
        guard let rig = unsafe rig else { return 0 }
        unsafe rig.pointee.readControls(values)
        unsafe rig.pointee.clearEvents()
        unsafe old?.pointee.clearEvents()
        var lost = unsafe midi.hand(to: rig, from: start, count: count, hears: isOn.pointee.hearsMIDI)
        let begin = clock.ticks
        if let old = unsafe old { _ = unsafe old.pointee.render(block, from: start, count: count) }
        let goesOn = unsafe rig.pointee.render(block, from: start, count: count)
        let ticks = clock.ticks &- begin
        lost += unsafe midi.take(from: rig, start, count: count, sends: isOn.pointee.sendsMIDI)
        if lost > 0 { unsafe slots.pointee.lostMessages.add(UInt64(lost), ordering: .relaxed) }
        let latency = unsafe rig.pointee.latencyFrames
        let isWet = unsafe goesOn && !isOn.pointee.bypass.load(ordering: .relaxed)
        let wanted: Float = isWet ? 1 : 0
        if remembers || wet != 1 || wanted != 1 {
            for channel in 0..<block.channels {
                dry.write(block.run(channel, from: start, count: count), channel: channel)
            }
        }
        if unsafe rig.pointee.layout.isHeard {
            for channel in 0..<block.channels {
                let target = block.run(channel, from: start, count: count)
                unsafe take(channel, of: rig, fadingFrom: old, into: target)
                if wet != 1 || wanted != 1 { mix(channel, into: target, latency: latency, wanted) }
            }
        }
        if remembers || wet != 1 || wanted != 1 { dry.advance(by: count, latencyFrames: latency) }
        let change = step * Float(count)
        wet = wet < wanted ? min(wanted, wet + change) : max(wanted, wet - change)
        unsafe slots.pointee.latencyFrames.store(latency, ordering: .relaxed)
        if latency != reportedLatency {
            reportedLatency = latency
            // Of several changes between two looks the last one is told, with its latency.
            unsafe slots.pointee.latencyChange.store(block.position + start, ordering: .releasing)
        }
        unsafe rig.pointee.instance(0).pointee.publishMeters(values)
        if let old = unsafe old { unsafe slots.pointee.last.store(old, ordering: .releasing) }
        return ticks
    }

    /// Takes a new rig, where there is one, and where the last one that was given back is gone.
    ///
    /// - Returns: what was rendered before.
    @_noLocks @_noAllocation
    private mutating func takeRig() -> UnsafeMutablePointer<RigSide>? {
        guard unsafe slots.pointee.next.load(ordering: .relaxed) != nil,
            unsafe slots.pointee.last.load(ordering: .relaxed) == nil,
            let next = unsafe slots.pointee.next.exchange(nil, ordering: .acquiring)
        else { return nil }
        let old = unsafe rig
        unsafe rig = unsafe next
        return unsafe old
    }

    /// What the plug-in makes for a channel. From an old rig to a new one in one block.
    @_noLocks @_noAllocation
    private func take(
        _ channel: Int, of rig: UnsafeMutablePointer<RigSide>, fadingFrom old: UnsafeMutablePointer<RigSide>?,
        into target: Samples
    ) {
        if let made = unsafe rig.pointee.output(channel, count: target.count) {
            target.copy(from: made)
        } else {
            target.clear()
        }
        guard let old = unsafe old, let before = unsafe old.pointee.output(channel, count: target.count) else { return }
        let part = 1 / Float(target.count)
        for frame in 0..<target.count {
            target[frame] = before[frame] + (target[frame] - before[frame]) * (Float(frame) * part)
        }
    }

    /// From the plug-in's sound to what came, or back; bit for bit what came once that is all.
    @_noLocks @_noAllocation
    private mutating func mix(_ channel: Int, into target: Samples, latency: Int, _ wanted: Float) {
        let came = delayed.run(0, count: target.count)
        dry.read(into: came, channel: channel, delay: latency)
        if wet == 0 && wanted == 0 { return target.copy(from: came) }
        var amount = wet
        for frame in 0..<target.count {
            amount = wanted > amount ? min(wanted, amount + step) : max(wanted, amount - step)
            target[frame] = came[frame] + (target[frame] - came[frame]) * amount
        }
    }
}

@_noLocks @_noAllocation
func host(_ call: ProcessorCall) { call.process(HostedState.self) }
