import AudioDSP
import AudioRealtime

/// The instances of a plug-in that are rendered side by side.
@safe final class PluginRig: Sendable {
    private let cell: Cell<RigSide>
    /// Only the audio thread touches it while it renders, and only the control thread before and after.
    var side: UnsafeMutablePointer<RigSide> { unsafe cell.pointer }
    let instances: [PluginInstance]
    let sampleRate: Int

    /// - Parameter first: an instance to begin with; `nil` where each has to be made.
    /// - Throws: `unusable`.
    init(
        _ layout: ChannelLayout, sampleRate: Int, first: PluginInstance?, latencyPort: Int?,
        make: () throws(PluginError) -> PluginInstance
    ) throws(PluginError) {
        var instances: [PluginInstance] = []
        if let first { instances.append(first) }
        while instances.count < layout.instances { instances.append(try make()) }
        self.instances = instances
        self.sampleRate = sampleRate
        let sides = unsafe instances.map { unsafe $0.side }
        cell = unsafe Cell(RigSide(layout: layout, instances: Row(sides), latencyPort: latencyPort ?? -1))
    }

    /// Forgets what was heard. Thread: control, while nothing is rendered.
    func restart() { for instance in instances { instance.restart() } }

    var hasWorker: Bool { instances[0].hasWorker }

    /// Does what the plug-in has asked its workers for.
    func work() { for instance in instances { instance.work() } }
}

/// What the audio thread has of a rig.
@safe struct RigSide: ~Copyable {
    let layout: ChannelLayout
    let instances: Row<UnsafeMutablePointer<InstanceSide>>
    /// −1 where there is none.
    let latencyPort: Int
    /// The changes of the controls that the instances know; none at first.
    var knownChanges: UInt32?

    @_noLocks @_noAllocation
    func instance(_ number: Int) -> UnsafeMutablePointer<InstanceSide> {
        unsafe precondition(number >= 0 && number < instances.count)
        // SAFETY: checked on the line above.
        return unsafe instances.base[number]
    }

    /// The latency that the plug-in tells, in frames.
    var latencyFrames: Int {
        @_noLocks @_noAllocation get {
            latencyPort < 0 ? 0 : unsafe instance(0).pointee.latencyFrames(at: latencyPort)
        }
    }

    /// Has the instances take the controls, where they have changed. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func readControls(_ values: ControlValues) {
        let changes = values.changeCount
        if knownChanges == changes { return }
        knownChanges = changes
        for number in 0..<layout.instances { unsafe instance(number).pointee.readControls(values) }
        // By one alone: a trigger that is set meanwhile is of the next block, for all of them.
        unsafe instance(0).pointee.takeTriggers(values)
        for number in 1..<layout.instances { unsafe instance(0).pointee.shareTriggers(with: instance(number)) }
    }

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func clearEvents() {
        for number in 0..<layout.instances { unsafe instance(number).pointee.clearEvents() }
    }

    /// Has all instances hear a message at a frame of the next block. Thread: audio. Wait-free.
    ///
    /// - Returns: whether all had room for it.
    @_noLocks @_noAllocation
    func add(_ message: MIDIMessage, atFrame frame: Int = 0) -> Bool {
        var hasRoom = true
        for number in 0..<layout.instances {
            if unsafe !instance(number).pointee.add(message, atFrame: frame) { hasRoom = false }
        }
        return hasRoom
    }

    /// Runs all instances on frames of a block, and leaves what they make in their outputs. Thread: audio.
    ///
    /// - Returns: whether none of them has ended.
    @_noLocks @_noAllocation
    func render(_ block: borrowing ProcessorBlock, from start: Int, count: Int) -> Bool {
        var goOn = true
        for number in 0..<layout.instances {
            let side = unsafe instance(number)
            for input in 0..<layout.inputs {
                let target = unsafe side.pointee.input(input, count: count)
                if layout.isMixedDown {
                    mix(block, from: start, into: target)
                } else {
                    let channel = number * layout.inputs + input
                    target.copy(from: block.run(channel, from: start, count: count))
                }
            }
            if unsafe !side.pointee.run(frames: count, outputs: layout.outputs) { goOn = false }
        }
        return goOn
    }

    /// The mean of all channels.
    @_noLocks @_noAllocation
    private func mix(_ block: borrowing ProcessorBlock, from start: Int, into target: Samples) {
        let part = 1 / Float(layout.channels)
        for frame in 0..<target.count {
            var sum: Float = 0
            for channel in 0..<layout.channels { sum += block[channel, start + frame] }
            target[frame] = sum * part
        }
    }

    /// What a channel of the node gets; `nil` for silence. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func output(_ channel: Int, count: Int) -> Samples? {
        if layout.outputs == 1 && layout.instances == 1 { return unsafe instance(0).pointee.output(0, count: count) }
        let number = channel / max(1, layout.outputs)
        guard number < layout.instances else { return nil }
        return unsafe instance(number).pointee.output(channel % layout.outputs, count: count)
    }
}
