import AudioDSP
import AudioRealtime
import CLilv
import CPluginGuard
import Synchronization

/// What the audio thread has of one instance of a plug-in, with the memory that the ports are connected to. None of its fields
/// changes: a worker takes requests while a block is rendered.
@safe struct InstanceSide: ~Copyable {
    /// Calls the plug-in.
    private let guardian: OpaquePointer
    let requests = MessageRing(capacity: 1 << 16)
    let responses = MessageRing(capacity: 1 << 16)
    /// What the control ports are connected to, by index.
    private let slots: Row<Float>
    /// Those that the audio thread looks after: first the triggers, then the other control ports, the meters, and the ports of
    /// events.
    private let ports: Row<PortSide>
    private let firstControl: Int
    private let firstMeter: Int
    private let firstEventPort: Int
    /// The sequences of the ports of events.
    private let events: Row<UInt8>
    /// The channels' blocks, one every `stride` samples: some plug-ins read or write a few samples beyond a block.
    private let inputs: Row<Float>
    private let outputs: Row<Float>
    private let stride: Int
    /// For side chains and what else is no channel: silence, and where nobody listens.
    private let silence: Row<Float>
    private let ignored: Row<Float>
    /// Whether it was run since it was activated.
    let hasRun = Atomic<Bool>(false)
    private let sequenceType = URIDMap.number(LV2.atom + "Sequence")
    private let midiType = URIDMap.number(LV2.midiEvent)

    /// A port that the audio thread has to look after.
    @safe struct PortSide: BitwiseCopyable {
        var index: Int
        /// Whether the plug-in reads it; else it writes to it.
        var isInput: Bool
        /// Of triggers.
        var restNumber: Float
        /// Of event ports.
        var memory: UnsafeMutableRawPointer?
        var bytes: Int
        var hasMIDI: Bool
    }

    /// Of a plug-in that does nothing yet.
    init(_ info: PluginInfo, _ guardian: OpaquePointer, maximumFrames: Int) {
        unsafe self.guardian = unsafe guardian
        stride = maximumFrames + 64
        inputs = Row(zeros: info.inputs * stride)
        outputs = Row(zeros: info.outputs * stride)
        silence = Row(zeros: stride)
        ignored = Row(zeros: stride)
        slots = Row(zeros: info.ports.count)
        // In the order in which the audio thread looks for them.
        let triggers = info.ports.filter(\.isTrigger)
        let controls = info.ports.filter { $0.kind == .control && $0.isInput && !$0.isTrigger }
        let meters = info.ports.filter { $0.kind == .control && !$0.isInput }
        let eventPorts = info.ports.filter { $0.kind == .atom }
        firstControl = triggers.count
        firstMeter = firstControl + controls.count
        firstEventPort = firstMeter + meters.count
        // Each at a multiple of 64 bytes.
        func room(_ port: PluginPort) -> Int { (port.eventBytes + 63) & ~63 }
        events = Row(zeros: eventPorts.reduce(0) { $0 + room($1) })
        var sides: [PortSide] = []
        var place = unsafe UnsafeMutableRawPointer(events.base)
        for port in triggers + controls + meters + eventPorts {
            unsafe sides.append(
                PortSide(
                    index: port.index, isInput: port.isInput, restNumber: port.restNumber ?? 0,
                    memory: port.kind == .atom ? place : nil, bytes: port.eventBytes, hasMIDI: port.hasMIDI))
            unsafe place += room(port)
        }
        ports = Row(sides)
        endTriggers()
    }

    /// What a port of the plug-in is connected to; `nil` for one that this host knows nothing of, and that may be left alone.
    func place(of port: PluginPort, in info: PluginInfo) -> UnsafeMutableRawPointer? {
        // SAFETY: there is a slot, a block or a sequence for each port of its kind.
        switch port.kind {
        case .audio, .cv:
            guard port.isChannel else {
                return unsafe UnsafeMutableRawPointer(port.isInput ? silence.base : ignored.base)
            }
            let before = info.ports.count { $0.isChannel && $0.isInput == port.isInput && $0.index < port.index }
            return unsafe UnsafeMutableRawPointer((port.isInput ? inputs.base : outputs.base) + before * stride)
        case .control: return unsafe UnsafeMutableRawPointer(slots.base + port.index)
        case .atom:
            for place in firstEventPort..<ports.count {
                let side = unsafe ports.base[place]
                if side.index == port.index { return unsafe side.memory }
            }
            return nil
        case .other: return nil
        }
    }

    /// - Parameter channel: of the plug-in.
    @_noLocks @_noAllocation
    func input(_ channel: Int, count: Int) -> Samples { unsafe Samples(inputs.base + channel * stride, count: count) }

    @_noLocks @_noAllocation
    func output(_ channel: Int, count: Int) -> Samples {
        unsafe Samples(outputs.base + channel * stride, count: count)
    }

    /// All but the triggers. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func readControls(_ values: ControlValues) {
        for place in firstControl..<firstMeter {
            // SAFETY: here and below, the ports' list has so many, and a slot for the index of each.
            let index = unsafe ports.base[place].index
            unsafe slots.base[index] = values[index]
        }
    }

    /// Takes what was set of the triggers: the next block sees it, and no other one does. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func takeTriggers(_ values: ControlValues) {
        for place in 0..<firstControl {
            let port = unsafe ports.base[place]
            unsafe slots.base[port.index] = values.take(port.index, leaving: port.restNumber)
        }
    }

    /// Has another instance of the plug-in see the triggers that this one has taken. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func shareTriggers(with other: UnsafeMutablePointer<InstanceSide>) {
        for place in 0..<firstControl {
            let index = unsafe ports.base[place].index
            unsafe other.pointee.slots.base[index] = slots.base[index]
        }
    }

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    private func endTriggers() {
        for place in 0..<firstControl {
            let port = unsafe ports.base[place]
            unsafe slots.base[port.index] = port.restNumber
        }
    }

    /// What a port tells as a latency, in frames: 0…524287. Thread: any, while nothing runs; audio. Wait-free.
    @_noLocks @_noAllocation
    func latencyFrames(at port: Int) -> Int {
        let told = unsafe slots.base[port]
        // A comparison with NaN is false.
        return told > 0 ? Int(min(told + 0.5, Float(Self.longestLatency))) : 0
    }

    /// 2 s at 192 kHz, and more.
    static var longestLatency: Int { @_noLocks @_noAllocation get { 524_287 } }

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func publishMeters(_ values: ControlValues) {
        for place in firstMeter..<firstEventPort {
            let index = unsafe ports.base[place].index
            unsafe values.publish(index, slots.base[index])
        }
    }

    /// Empties the sequences of events, and tells the plug-in how much room its own have. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func clearEvents() {
        for place in firstEventPort..<ports.count {
            let port = unsafe ports.base[place]
            guard let memory = unsafe port.memory else { continue }
            let sequence = unsafe memory.assumingMemoryBound(to: LV2_Atom_Sequence.self)
            let head = MemoryLayout<LV2_Atom>.size
            unsafe sequence.pointee.atom.size = UInt32(
                port.isInput ? MemoryLayout<LV2_Atom_Sequence_Body>.size : port.bytes - head)
            unsafe sequence.pointee.atom.type = port.isInput ? sequenceType : 0
            unsafe sequence.pointee.body.unit = 0
            unsafe sequence.pointee.body.pad = 0
        }
    }

    /// Appends a message to what the plug-in hears. Thread: audio. Wait-free.
    ///
    /// - Parameter frame: of the block, and not before that of the last one.
    /// - Returns: whether all ports of MIDI had room for it.
    @_noLocks @_noAllocation
    func add(_ message: MIDIMessage, atFrame frame: Int) -> Bool {
        guard let length = MIDIMessage.length(status: message.status) else { return false }
        var hasRoom = true
        for place in firstEventPort..<ports.count {
            let port = unsafe ports.base[place]
            guard port.isInput && port.hasMIDI, let memory = unsafe port.memory else { continue }
            let sequence = unsafe memory.assumingMemoryBound(to: LV2_Atom_Sequence.self)
            let head = MemoryLayout<LV2_Atom>.size
            let end = unsafe head + Int(sequence.pointee.atom.size)
            // A head of 16 bytes, and the message padded to 8.
            let size = 24
            guard end + size <= port.bytes else {
                hasRoom = false
                continue
            }
            unsafe memory.storeBytes(of: Int64(frame), toByteOffset: end, as: Int64.self)
            unsafe memory.storeBytes(of: UInt32(length), toByteOffset: end + 8, as: UInt32.self)
            unsafe memory.storeBytes(of: midiType, toByteOffset: end + 12, as: UInt32.self)
            unsafe memory.storeBytes(of: UInt64(0), toByteOffset: end + 16, as: UInt64.self)
            unsafe memory.storeBytes(of: message.status, toByteOffset: end + 16, as: UInt8.self)
            unsafe memory.storeBytes(of: message.first, toByteOffset: end + 17, as: UInt8.self)
            unsafe memory.storeBytes(of: message.second, toByteOffset: end + 18, as: UInt8.self)
            unsafe sequence.pointee.atom.size += UInt32(size)
        }
        return hasRoom
    }

    /// Passes on what the plug-in has made of MIDI in the last block. Thread: audio. Wait-free.
    ///
    /// - Parameters:
    ///   - start: the block's first frame in the cycle.
    ///   - frames: of the block.
    /// - Returns: how many messages were lost: those of no channel, as SysEx, and what finds no room or has no end.
    @_noLocks @_noAllocation
    func passEvents(into cycle: inout MIDICycle, from start: Int, frames: Int) -> Int {
        var lost = 0
        for place in firstEventPort..<ports.count {
            let port = unsafe ports.base[place]
            guard !port.isInput && port.hasMIDI, let memory = unsafe port.memory else { continue }
            let head = MemoryLayout<LV2_Atom>.size
            let sequence = unsafe memory.assumingMemoryBound(to: LV2_Atom_Sequence.self).pointee
            // One that wrote nothing has left the type as it was. What it says of its size is not trusted.
            guard sequence.atom.type == sequenceType else { continue }
            let end = min(head + Int(sequence.atom.size), port.bytes)
            var event = MemoryLayout<LV2_Atom_Sequence>.size
            while event + 16 <= end {
                let frame = unsafe memory.load(fromByteOffset: event, as: Int64.self)
                let size = unsafe Int(memory.load(fromByteOffset: event + 8, as: UInt32.self))
                let type = unsafe memory.load(fromByteOffset: event + 12, as: UInt32.self)
                guard event + 16 + size <= end else {
                    lost += 1
                    break
                }
                let bytes = unsafe UnsafeRawBufferPointer(start: memory + event + 16, count: size)
                event += 16 + (size + 7) & ~7
                guard type == midiType else { continue }
                let inBlock = Int(min(max(frame, 0), Int64(max(0, frames - 1))))
                guard let message = unsafe MIDIMessage(bytes),
                    cycle.made.insert(MIDIEvent(message, atFrame: start + inBlock))
                else {
                    lost += 1
                    continue
                }
            }
        }
        return lost
    }

    /// Whether it wanted to end the process. Then it is not called any more. Thread: any. Wait-free.
    var hasEnded: Bool { @_noLocks @_noAllocation get { unsafe cplugin_ended(guardian) != nil } }

    /// Runs a block that is in the inputs, and hands over what the worker has answered by then. Of a plug-in that has ended, the
    /// outputs are silent. Thread: audio.
    ///
    /// - Parameter outputs: how many it has.
    /// - Returns: whether it has not ended.
    @_noLocks @_noAllocation
    func run(frames: Int, outputs: Int) -> Bool {
        hasRun.store(true, ordering: .relaxed)
        unsafe cplugin_run(guardian, UInt32(frames))
        if unsafe cplugin_takes_responses(guardian) {
            let end = responses.end
            while let answer = unsafe responses.pop(before: end) {
                unsafe cplugin_respond(guardian, UInt32(answer.count), answer.baseAddress)
            }
        }
        unsafe cplugin_end_run(guardian)
        endTriggers()
        guard hasEnded else { return true }
        for channel in 0..<outputs { output(channel, count: frames).clear() }
        return false
    }
}

/// What a plug-in calls in `run` to have its worker do something. Thread: audio. Wait-free.
@_noLocks @_noAllocation
@c(iounit_plugin_schedule) func scheduleWork(
    _ handle: LV2_Worker_Schedule_Handle?, _ size: UInt32, _ data: UnsafeRawPointer?
) -> LV2_Worker_Status {
    // SAFETY: the handle is the side of the instance that was given this function, and lives longer than that.
    guard let side = unsafe handle?.assumingMemoryBound(to: InstanceSide.self) else { return LV2_WORKER_ERR_UNKNOWN }
    return unsafe side.pointee.requests.push(data, count: Int(size)) ? LV2_WORKER_SUCCESS : LV2_WORKER_ERR_NO_SPACE
}
