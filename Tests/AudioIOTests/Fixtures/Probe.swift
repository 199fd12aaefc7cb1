import Glibc
import Jack
import Synchronization
import TestSupport

/// One cycle in which a probe played or recorded: by its frame time, what is at both ends of a graph is compared
/// without any searching.
struct CycleNote: BitwiseCopyable {
    var frameTime: UInt32
    /// Frames of the signal that were played or recorded before.
    var start: Int
    var frames: Int
}

/// What a probe's callback works on, at a fixed address. Once the probe rolls, the audio thread alone writes to
/// `samples` and `notes`; the test reads what the counts have published.
struct ProbeState: ~Copyable {
    let isRolling = Atomic(false)
    /// Cycles since the activation.
    let cycles = Atomic(0)
    /// Cycles in `notes`.
    let noted = Atomic(0)
    /// Frames played or recorded.
    let passed = Atomic(0)
    /// Whether there is no room for another cycle.
    let isFull = Atomic(false)
    /// The bits of the last sample that was heard.
    let heard = Atomic<UInt32>(0)

    let client: ClientHandle
    let channels: Int
    let length: Int
    let ports: UnsafeMutablePointer<PortHandle>
    let samples: UnsafeMutablePointer<Float>
    let notes: UnsafeMutablePointer<CycleNote>
    static var noteCapacity: Int { @_noLocks @_noAllocation get { 1 << 16 } }

    init(client: ClientHandle, ports: [Port], length: Int) {
        self.client = client
        self.length = length
        channels = ports.count
        self.ports = .allocate(capacity: ports.count)
        for (index, port) in ports.enumerated() { (self.ports + index).initialize(to: port.handle) }
        samples = .allocate(capacity: channels * length)
        samples.initialize(repeating: 0, count: channels * length)
        notes = .allocate(capacity: Self.noteCapacity)
        notes.initialize(repeating: CycleNote(frameTime: 0, start: 0, frames: 0), count: Self.noteCapacity)
    }

    deinit {
        ports.deallocate()
        samples.deallocate()
        notes.deallocate()
    }

    /// Plays the signal round and round. Thread: audio.
    @_noLocks @_noAllocation
    func play(_ cycle: borrowing Cycle) {
        let rolls = isRolling.load(ordering: .acquiring)
        let start = passed.load(ordering: .relaxed)
        for channel in 0..<channels {
            guard let buffer = cycle.buffer(of: ports[channel]) else { continue }
            var place = start % length
            for frame in 0..<cycle.frames {
                buffer[frame] = rolls ? samples[channel * length + place] : 0
                place += 1
                if place == length { place = 0 }
            }
        }
        if rolls { note(cycle, start) }
        cycles.add(1, ordering: .releasing)
    }

    /// Records until there is no more room. Thread: audio.
    @_noLocks @_noAllocation
    func record(_ cycle: borrowing Cycle) {
        let start = passed.load(ordering: .relaxed)
        let hasRoom = start + cycle.frames <= length
        let rolls = isRolling.load(ordering: .acquiring) && hasRoom
        for channel in 0..<channels {
            guard let buffer = cycle.buffer(of: ports[channel]) else { continue }
            if cycle.frames > 0, channel == 0 { heard.store(buffer[cycle.frames - 1].bitPattern, ordering: .relaxed) }
            guard rolls else { continue }
            for frame in 0..<cycle.frames { samples[channel * length + start + frame] = buffer[frame] }
        }
        if rolls { note(cycle, start) }
        if !hasRoom { isFull.store(true, ordering: .releasing) }
        cycles.add(1, ordering: .releasing)
    }

    @_noLocks @_noAllocation
    private func note(_ cycle: borrowing Cycle, _ start: Int) {
        let number = noted.load(ordering: .relaxed)
        if number < Self.noteCapacity {
            notes[number] = CycleNote(frameTime: cycle.frameTime, start: start, frames: cycle.frames)
            noted.store(number + 1, ordering: .releasing)
        }
        passed.store(start + cycle.frames, ordering: .releasing)
    }
}

/// Plays into the graph. Thread: audio.
@c(iounit_test_play) @_noLocks @_noAllocation
private func playCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    guard let state = context?.assumingMemoryBound(to: ProbeState.self) else { return 0 }
    let cycle = Cycle(state.pointee.client, frames: frames)
    state.pointee.play(cycle)
    cycle.end()
    return 0
}

/// Records from the graph. Thread: audio.
@c(iounit_test_record) @_noLocks @_noAllocation
private func recordCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    guard let state = context?.assumingMemoryBound(to: ProbeState.self) else { return 0 }
    let cycle = Cycle(state.pointee.client, frames: frames)
    state.pointee.record(cycle)
    cycle.end()
    return 0
}

/// A client of the test at one end of a graph: `feeder` plays a signal that is known, `sink` records.
final class Probe {
    private var client: ActiveClient?
    private let state: UnsafeMutablePointer<ProbeState>
    let portNames: [String]

    /// A client `feeder` with the outputs `out_1…`, one for each signal, all of one length.
    static func feeder(on server: Server, _ signals: [[Float]], name: String = "feeder") throws -> Probe {
        let probe = try Probe(
            name, on: server, channels: signals.count, length: signals[0].count, .output, playCycle)
        for (channel, signal) in signals.enumerated() {
            (probe.state.pointee.samples + channel * signal.count).update(from: signal, count: signal.count)
        }
        return probe
    }

    /// A client `sink` with the inputs `in_1…`, which has room for `length` frames.
    static func sink(on server: Server, channels: Int, length: Int, name: String = "sink") throws -> Probe {
        try Probe(name, on: server, channels: channels, length: length, .input, recordCycle)
    }

    private init(
        _ name: String, on server: Server, channels: Int, length: Int, _ direction: PortDirection,
        _ callback: ProcessCallback
    ) throws {
        let client = try Client(name: name, server: server.name, permitsRenaming: false)
        let word = direction == .input ? "in" : "out"
        let ports = try (1...channels).map { try client.register("\(word)_\($0)", direction) }
        portNames = ports.map(\.name)
        state = .allocate(capacity: 1)
        state.initialize(to: ProbeState(client: client.handle, ports: ports, length: length))
        try client.setProcess(callback, context: state)
        self.client = try client.activate()
    }

    deinit {
        client = nil
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Begins with its first frame in the next cycle.
    func roll() { state.pointee.isRolling.store(true, ordering: .releasing) }

    var cycles: Int { state.pointee.cycles.load(ordering: .acquiring) }
    /// Frames played or recorded.
    var passed: Int { state.pointee.passed.load(ordering: .acquiring) }
    /// Whether a sink has recorded all that it can.
    var isFull: Bool { state.pointee.isFull.load(ordering: .acquiring) }
    /// The last sample of the last cycle on the first channel.
    var heard: Float { Float(bitPattern: state.pointee.heard.load(ordering: .relaxed)) }
    var notes: [CycleNote] {
        let count = state.pointee.noted.load(ordering: .acquiring)
        return Array(UnsafeBufferPointer(start: state.pointee.notes, count: count))
    }

    /// What was recorded, or is played, on a channel.
    func signal(_ channel: Int = 0) -> [Float] {
        let length = state.pointee.length
        return Array(UnsafeBufferPointer(start: state.pointee.samples + channel * length, count: length))
    }

    /// What was played or recorded in one cycle.
    func block(_ note: CycleNote, _ channel: Int = 0) -> [Float] {
        let length = state.pointee.length
        return (0..<note.frames).map { state.pointee.samples[channel * length + (note.start + $0) % length] }
    }

    /// What is asked of JACK itself.
    func withClient<Result>(_ body: (borrowing ActiveClient) throws -> Result) throws -> Result {
        switch client {
        case .some(let client): return try body(client)
        case .none: throw DidNotHappen(description: "the probe's client is open")
        }
    }

    /// Waits until cycles went by that began after this was called: what was asked of the graph before is in force.
    func waitForCycles(_ count: Int = 4) throws {
        let goal = cycles + count
        try waitUntil("\(count) cycles go by") { cycles >= goal }
    }
}

extension Server {
    /// Has a sink and a feeder begin in the same cycle, or the sink in the one before. The server stands still meanwhile: however
    /// late this thread is, no cycles come between.
    func roll(_ sink: Probe, _ feeder: Probe) throws {
        try freeze()
        sink.roll()
        feeder.roll()
        signal(SIGCONT)
    }
}
