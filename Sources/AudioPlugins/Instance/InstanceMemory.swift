/// The memory that the ports of an instance are connected to.
@safe final class InstanceMemory {
    private let info: PluginInfo
    /// From one channel's samples to the next one's. Some plug-ins read or write a few samples beyond a block.
    private let stride: Int
    private let slots: UnsafeMutablePointer<Float>
    private let inputs: UnsafeMutablePointer<Float>
    private let outputs: UnsafeMutablePointer<Float>
    /// For side chains and what else is no channel: silence, and where nobody listens.
    private let silence: UnsafeMutablePointer<Float>
    private let ignored: UnsafeMutablePointer<Float>
    private var events: [Int: UnsafeMutableRawPointer] = unsafe [:]
    private let ports: UnsafeMutablePointer<InstanceSide.PortSide>
    private let controlCount: Int
    private let meterCount: Int
    private let eventCount: Int
    private let requests: MessageRing
    private let responses: MessageRing

    init(_ info: PluginInfo, maximumFrames: Int) {
        let stride = maximumFrames + 64
        func samples(_ channels: Int) -> UnsafeMutablePointer<Float> {
            let count = max(1, channels) * stride
            let memory = UnsafeMutablePointer<Float>.allocate(capacity: count)
            unsafe memory.initialize(repeating: 0, count: count)
            return unsafe memory
        }
        self.info = info
        self.stride = stride
        unsafe inputs = samples(info.inputs)
        unsafe outputs = samples(info.outputs)
        unsafe silence = samples(1)
        unsafe ignored = samples(1)
        unsafe slots = .allocate(capacity: max(1, info.ports.count))
        unsafe slots.initialize(repeating: 0, count: max(1, info.ports.count))
        for port in info.ports where port.kind == .atom {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: port.eventBytes, alignment: 16)
            unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: port.eventBytes)
            unsafe events[port.index] = unsafe memory
        }
        // In the order in which the audio thread looks for them.
        let controls = info.ports.filter { $0.kind == .control && $0.isInput }
        let meters = info.ports.filter { $0.kind == .control && !$0.isInput }
        let eventPorts = info.ports.filter { $0.kind == .atom }
        (controlCount, meterCount, eventCount) = (controls.count, meters.count, eventPorts.count)
        unsafe ports = .allocate(capacity: max(1, controlCount + meterCount + eventCount))
        for (place, port) in (controls + meters + eventPorts).enumerated() {
            unsafe (ports + place).initialize(
                to: InstanceSide.PortSide(
                    index: port.index, isInput: port.isInput, memory: events[port.index], bytes: port.eventBytes,
                    hasMIDI: port.hasMIDI))
        }
        requests = MessageRing(capacity: 1 << 16)
        responses = MessageRing(capacity: 1 << 16)
    }

    deinit {
        // SAFETY: the instance is gone. The values need no destruction.
        unsafe slots.deallocate()
        unsafe inputs.deallocate()
        unsafe outputs.deallocate()
        unsafe silence.deallocate()
        unsafe ignored.deallocate()
        unsafe ports.deallocate()
        unsafe events.values.forEach { unsafe $0.deallocate() }
    }

    /// Of a plug-in that does nothing yet.
    func side(_ guardian: OpaquePointer) -> InstanceSide {
        unsafe InstanceSide(
            guardian: guardian, requests: requests.messages, responses: responses.messages, slots: slots, ports: ports,
            controlCount: controlCount, meterCount: meterCount, eventCount: eventCount, inputs: inputs,
            outputs: outputs, stride: stride,
            sequenceType: URIDMap.number(LV2.atom + "Sequence"), midiType: URIDMap.number(LV2.midiEvent))
    }

    /// What a port is connected to; `nil` for one that this host knows nothing of, and that may be left alone.
    func place(of port: PluginPort) -> UnsafeMutableRawPointer? {
        switch port.kind {
        case .audio, .cv:
            guard port.isChannel else { return unsafe UnsafeMutableRawPointer(port.isInput ? silence : ignored) }
            let before = info.ports.count { $0.isChannel && $0.isInput == port.isInput && $0.index < port.index }
            return unsafe UnsafeMutableRawPointer((port.isInput ? inputs : outputs) + before * stride)
        case .control: return unsafe UnsafeMutableRawPointer(slots + port.index)
        case .atom: return unsafe events[port.index]
        case .other: return nil
        }
    }
}
