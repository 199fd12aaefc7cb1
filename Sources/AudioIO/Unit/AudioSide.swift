import AudioDSP
import AudioRealtime
import Jack
import Synchronization
import Threads

/// What the audio thread owns of a client of ours: its unit, and where JACK's buffers are to be had.
///
/// At a fixed address from the client's making to its end. The control thread touches it only while the client is
/// not active, save for the atomics.
@safe package struct AudioSide: ~Copyable {
    // First what each cycle looks at, side by side with the unit's.

    /// Set on JACK's notification thread. JACK does not tell a client that joins a server which freewheels already.
    let isFreewheeling = Atomic<Bool>(false)
    /// Set before the client is closed: the close waits for the end of the cycle.
    let isLeaving = Atomic<Bool>(false)
    /// Whether a freewheeled cycle waits for a worker: the server waits for us then.
    let isWaiting = Atomic<Bool>(false)
    /// Whether the work gets the position of JACK's transport, and whether the transport waits for the work.
    private let observesTransport: Bool
    private let holdsTransport: Bool
    /// How many freewheeled cycles in a row have waited for a worker in vain.
    private var vainWaits = 0
    private var client: ClientHandle?
    /// The inputs, then the outputs: in memory of their own, because the audio thread must not touch an array.
    private let ports: Row<PortHandle>
    private let midi: UnsafeMutablePointer<MIDIAudioEnd>?
    private let worker: SemaphoreHandle?
    private let stall: UnsafeMutablePointer<StallOrder>?
    /// The control thread begins its runs; any thread reads its counters.
    var unit: RenderUnit
    private var midiInput: PortHandle?
    private var midiOutput: PortHandle?
    private let keeps: [AnyObject?]

    /// - Parameters:
    ///   - semaphore: wakes a queue's worker. Callback mode wakes nobody.
    ///   - stall: makes cycles late on purpose.
    ///   - transport: what JACK's transport means to the unit.
    ///   - midi: takes what comes through the unit's MIDI port, and has what goes out.
    package init(
        _ unit: consuming RenderUnit, waking semaphore: Semaphore? = nil, stall: Cell<StallOrder>? = nil,
        transport: TransportUse = .none, midi: MIDIControlEnd? = nil
    ) {
        unsafe self.midi = midi?.audioEnd.pointer
        observesTransport = transport != .none
        holdsTransport = transport == .synchronised
        ports = Row(zeros: unit.inputs.channels + unit.outputs.channels)
        self.unit = unit
        worker = semaphore?.handle
        unsafe self.stall = stall?.pointer
        keeps = [semaphore, stall, midi]
    }

    /// Has JACK's audio thread come to a side, once the client is active. The client keeps the side.
    ///
    /// - Parameter ports: as many as the unit has inputs and outputs.
    package static func attach(
        _ side: Cell<AudioSide>, to client: borrowing Client, _ ports: UnitPorts = UnitPorts()
    ) throws(JackError) {
        // SAFETY: the client is not active yet, so the side is ours; the client keeps it until it is closed.
        unsafe side.pointer.pointee.isLeaving.store(false, ordering: .relaxed)
        // The last client's thread may have been ended while it waited.
        unsafe side.pointer.pointee.isWaiting.store(false, ordering: .relaxed)
        unsafe side.pointer.pointee.wire(client.handle, ports)
        unsafe side.pointer.pointee.unit.begin(sampleRate: client.sampleRate)
        unsafe try client.setProcess(processCycle, context: side.pointer, keeping: side)
        guard unsafe side.pointer.pointee.holdsTransport else { return }
        unsafe try client.setSync(askForTransport, context: side.pointer)
    }

    /// Thread: control, before activation.
    private mutating func wire(_ client: ClientHandle, _ ports: UnitPorts) {
        precondition(ports.inputs.count == unit.inputs.channels && ports.outputs.count == unit.outputs.channels)
        self.client = client
        midiInput = ports.midi?.input.handle
        midiOutput = ports.midi?.output.handle
        // SAFETY: as many handles fit, as checked above.
        for (place, handle) in (ports.inputs.map(\.handle) + ports.outputs.map(\.handle)).enumerated() {
            unsafe self.ports.base[place] = handle
        }
    }

    /// Runs one cycle. Thread: audio. Wait-free, but while the server freewheels, which is not real time.
    @_noLocks @_noAllocation
    fileprivate mutating func run(frames: UInt32, entryNanoseconds: UInt64) {
        guard let client else { return }
        let isFreewheeling = isFreewheeling.load(ordering: .relaxed)
        if isFreewheeling { waitForWorkers(frames: Int(frames)) } else { vainWaits = 0 }
        let cycle = Cycle(client, frames: frames)
        // SAFETY: `wire` has set them all; a buffer holds the frames of its cycle.
        let (inputs, outputs) = unsafe (ports.base, ports.base + unit.inputs.channels)
        for channel in 0..<unit.inputs.channels {
            unsafe unit.inputs.set(channel, to: cycle.buffer(of: inputs[channel]))
        }
        for channel in 0..<unit.outputs.channels {
            unsafe unit.outputs.set(channel, to: cycle.buffer(of: outputs[channel]))
        }
        if unsafe midi != nil { takeMIDI(cycle) }
        let wakes = unit.render(
            frames: cycle.frames, frameTime: cycle.frameTime, entryNanoseconds: entryNanoseconds,
            sampleRate: cycle.sampleRate, isFreewheeling: isFreewheeling,
            transport: observesTransport ? TapTransport(cycle.transport) : nil)
        if unsafe midi != nil { sendMIDI(cycle) }
        // Once the outputs are written: the worker may run on this processor.
        for _ in 0..<wakes { worker?.post() }
        // SAFETY: `keeps` keeps it.
        unsafe stall?.pointee.obey(since: entryNanoseconds)
        unit.finish(exitNanoseconds: MonotonicClock.nanoseconds())
        cycle.end()
    }

    /// Hands over the messages that came, to the nodes with their frames. Thread: audio. Wait-free.
    @inline(never) @_noLocks @_noAllocation
    private func takeMIDI(_ cycle: borrowing Cycle) {
        // SAFETY: `keeps` keeps the MIDI end, and the bytes of a message live as long as the cycle.
        guard let midi = unsafe midi else { return }
        unsafe midi.pointee.begin()
        guard let port = midiInput, let buffer = cycle.messages(of: port) else { return }
        for index in 0..<buffer.count {
            if let message = unsafe buffer.message(index) {
                // Nodes look no further than the cycle.
                let frame = unsafe min(message.frame, cycle.frames - 1)
                unsafe midi.pointee.take(message.bytes, count: message.count, atFrame: frame)
            }
        }
    }

    /// Puts those that wait, and those of the nodes, into the output. Thread: audio. Wait-free.
    @inline(never) @_noLocks @_noAllocation
    private func sendMIDI(_ cycle: borrowing Cycle) {
        // SAFETY: as above.
        guard let midi = unsafe midi, let port = midiOutput, let buffer = cycle.messages(of: port) else { return }
        buffer.clear()
        unsafe buffer.fill(from: &midi.pointee)
        unsafe buffer.addNodes(of: &midi.pointee, frames: cycle.frames)
    }

    /// Whether the transport may start at a frame. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    fileprivate mutating func isReady(forTransportFrame frame: UInt32) -> Bool {
        guard let client else { return true }
        let cycle = Cycle(client, frames: 0)
        let isReady = unit.isReady(forTransportFrame: frame)
        cycle.end()
        return isReady
    }

    /// Faster than real time no worker can keep up, and none need: JACK waits for us up to ten seconds. Up to three cycles in a row
    /// wait four seconds each, together longer than a recorder waits for the reader of a pipe. Where the client is closed they wait
    /// one second each. A worker that is still not ready then is not waited for again before it is.
    @_noLocks @_noAllocation
    private mutating func waitForWorkers(frames: Int) {
        let start = MonotonicClock.nanoseconds()
        defer { isWaiting.store(false, ordering: .relaxed) }
        while !unit.isReady(for: frames) {
            if vainWaits == 3 { return }
            isWaiting.store(true, ordering: .relaxed)
            let patience: UInt64 = isLeaving.load(ordering: .relaxed) ? 1_000_000_000 : 4_000_000_000
            if MonotonicClock.nanoseconds() - start >= patience { return vainWaits += 1 }
            pauseFreewheelingCycle()
        }
        vainWaits = 0
    }
}

extension TapTransport {
    @_noLocks @_noAllocation
    fileprivate init(_ position: TransportPosition) {
        self.init(frame: position.frame, isRolling: position.isRolling, isStarting: position.isStarting)
    }
}

extension MIDIBuffer {
    /// Adds the messages that are to go out, as far as there is room: the others wait for the next cycle.
    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func fill(from midi: inout MIDIAudioEnd) {
        while hasRoom(for: MIDIMessage.longest), let message = midi.next() {
            let count = MIDIMessage.length(status: message.status) ?? 1
            midi.note(isSent: add(message.status, message.first, message.second, count: count))
        }
    }

    /// Adds what the nodes have made in this cycle; what finds no room is lost, and counted. Thread: audio. Wait-free.
    ///
    /// - Parameter frames: of the cycle.
    @_noLocks @_noAllocation
    func addNodes(of midi: inout MIDIAudioEnd, frames: Int) {
        while let event = midi.nextOfNodes() {
            let message = event.message
            let count = MIDIMessage.length(status: message.status) ?? 1
            let frame = min(event.frame, frames - 1)
            midi.note(isSent: add(message.status, message.first, message.second, count: count, atFrame: frame))
        }
    }
}

/// What libjack's audio thread calls in each of our clients, with the address of its `AudioSide`.
@c(iounit_process) @_noLocks @_noAllocation
private func processCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    let entry = MonotonicClock.nanoseconds()
    guard let context = unsafe context else { return 0 }
    // SAFETY: `attach` gives this context, which the client keeps until it is closed.
    unsafe context.assumingMemoryBound(to: AudioSide.self).pointee.run(frames: frames, entryNanoseconds: entry)
    return 0
}

/// What libjack's audio thread asks a slow-sync client before the transport starts.
@c(iounit_sync) @_noLocks @_noAllocation
private func askForTransport(
    state: UInt32, position: UnsafeRawPointer?, context: UnsafeMutableRawPointer?
) -> CInt {
    guard let context = unsafe context, let position = unsafe position else { return 1 }
    // SAFETY: as above; libjack's position lives for the call.
    let frame = unsafe requestedTransportFrame(position)
    return unsafe context.assumingMemoryBound(to: AudioSide.self).pointee.isReady(forTransportFrame: frame) ? 1 : 0
}
