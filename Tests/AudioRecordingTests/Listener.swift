import Jack
import Synchronization
import Testing

/// A client that keeps what arrives at its inputs, frame for frame.
final class Listener: Sendable {
    let portNames: [String]
    private let client: Mutex<ActiveClient?>
    private let memory: ListenerMemory

    /// - Parameter capacity: how many frames it keeps; those after that are counted only.
    init(server: Server, channels: Int, capacity: Int) throws {
        let client = try Client(name: "listener", server: server.name)
        var ports: [Port] = []
        for channel in 1...channels { ports.append(try client.register("in_\(channel)", .input)) }
        portNames = ports.map(\.name)
        memory = ListenerMemory(client.handle, ports.map(\.handle), capacity: capacity)
        try client.setProcess(listenerProcess, context: memory.cell)
        self.client = Mutex(try client.activate())
    }

    deinit { client.withLock { $0 = nil } }

    /// How many frames have arrived.
    var frames: Int { memory.cell.pointee.frames.load(ordering: .acquiring) }
    /// JACK's frame clock at the first.
    var firstFrameTime: UInt32 { memory.cell.pointee.firstFrameTime }
    /// Cycles that the server left out, so that what arrives after them has not the number that it should.
    var gaps: Int { memory.cell.pointee.gaps.load(ordering: .relaxed) }

    /// What arrived at an input from a frame of JACK's clock on.
    func heard(_ channel: Int, from frameTime: UInt32, count: Int) -> [Float] {
        let start = Int(frameTime &- firstFrameTime)
        return (start..<(start + count)).map { memory.cell.pointee.sample(channel, $0) }
    }

    func setFreewheel(_ isOn: Bool) throws {
        try client.withLock { try $0?.setFreewheel(isOn) }
    }
}

/// Keeps the audio thread's part at its address, until the client is closed.
private final class ListenerMemory: @unchecked Sendable {
    let cell: UnsafeMutablePointer<ListenerProcess>
    init(_ client: ClientHandle, _ ports: [PortHandle], capacity: Int) {
        cell = .allocate(capacity: 1)
        cell.initialize(to: ListenerProcess(client, ports, capacity: capacity))
    }
    deinit {
        cell.deinitialize(count: 1)
        cell.deallocate()
    }
}

private struct ListenerProcess: ~Copyable {
    let frames = Atomic<Int>(0)
    let gaps = Atomic<Int>(0)
    private(set) var firstFrameTime: UInt32 = 0
    private var nextFrameTime: UInt32 = 0
    private let client: ClientHandle
    private let ports: UnsafeMutablePointer<PortHandle>
    private let channels: Int
    private let samples: UnsafeMutablePointer<Float>
    private let capacity: Int

    init(_ client: ClientHandle, _ ports: [PortHandle], capacity: Int) {
        self.client = client
        channels = ports.count
        self.capacity = capacity
        self.ports = .allocate(capacity: channels)
        for (channel, port) in ports.enumerated() { (self.ports + channel).initialize(to: port) }
        samples = .allocate(capacity: channels * capacity)
        samples.initialize(repeating: 0, count: channels * capacity)
    }

    deinit {
        ports.deallocate()
        samples.deallocate()
    }

    func sample(_ channel: Int, _ frame: Int) -> Float {
        // What was not kept is like nothing that was played.
        frame >= 0 && frame < capacity ? samples[channel * capacity + frame] : .nan
    }

    @_noLocks @_noAllocation
    mutating func listen(frames count: UInt32) {
        let cycle = Cycle(client, frames: count)
        let start = frames.load(ordering: .relaxed)
        let time = cycle.frameTime
        if start == 0 {
            firstFrameTime = time
        } else if time != nextFrameTime {
            gaps.add(1, ordering: .relaxed)
        }
        nextFrameTime = time &+ count
        let kept = min(cycle.frames, max(0, capacity - start))
        for channel in 0..<channels {
            guard let buffer = unsafe cycle.buffer(of: ports[channel]) else { continue }
            for frame in 0..<kept { samples[channel * capacity + start + frame] = buffer[frame] }
        }
        frames.store(start + cycle.frames, ordering: .releasing)
        cycle.end()
    }
}

@c(iounit_test_listener) @_noLocks @_noAllocation
private func listenerProcess(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    context?.assumingMemoryBound(to: ListenerProcess.self).pointee.listen(frames: frames)
    return 0
}
