import Synchronization

/// The audio thread's end of a unit's MIDI ports: what comes goes into a ring and to the engine's nodes, and what waits in
/// another ring, or comes from the nodes, goes out.
///
/// A message that finds no room is dropped and counted. At a fixed address; the other end is `MIDIControlEnd`.
@safe package struct MIDIAudioEnd: ~Copyable {
    private var received: Producer<MIDIMessage>
    private var waiting: Consumer<MIDIMessage>
    private let counts: Cell<MIDICounters>
    /// The nodes', in this cycle.
    private let cycle: Cell<MIDICycle>
    /// How many messages of theirs are out.
    private var sent = 0

    init(
        _ received: consuming Producer<MIDIMessage>, _ waiting: consuming Consumer<MIDIMessage>,
        _ counters: Cell<MIDICounters>, _ cycle: Cell<MIDICycle>
    ) {
        self.cycle = cycle
        self.received = received
        self.waiting = waiting
        counts = counters
    }

    /// Begins a cycle, before anything of it is taken. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func begin() {
        // SAFETY: here and below, `cycle` keeps it.
        unsafe cycle.pointer.pointee.begin()
        unsafe counts.pointer.pointee.cycles.count(1)
        sent = 0
    }

    /// Takes what came as one message, whatever it is. Thread: audio. Wait-free.
    ///
    /// - Parameters:
    ///   - count: how many bytes there are, 0 or more.
    ///   - frame: of the cycle.
    @unsafe @_noLocks @_noAllocation
    package mutating func take(_ bytes: UnsafePointer<UInt8>, count: Int, atFrame frame: Int = 0) {
        // SAFETY: the caller has so many bytes; the cell keeps the counts.
        let status = unsafe count > 0 ? bytes[0] : 0
        guard status < 0xf0 else { return unsafe counts.pointer.pointee.ignored.count(1) }
        guard let message = unsafe MIDIMessage(UnsafeRawBufferPointer(start: bytes, count: max(0, count))) else {
            return unsafe counts.pointer.pointee.malformed.count(1)
        }
        let hasReachedNodes = unsafe cycle.pointer.pointee.arrived.insert(MIDIEvent(message, atFrame: frame))
        var isLost = unsafe !hasReachedNodes && cycle.pointer.pointee.isHeard
        if unsafe !counts.pointer.pointee.isForNodesAlone.load(ordering: .relaxed), !received.push(message) {
            isLost = true
        }
        if isLost {
            unsafe counts.pointer.pointee.dropped.count(1)
        } else {
            unsafe counts.pointer.pointee.received.count(1)
        }
    }

    /// The next message that is to go out, if there is one. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func next() -> MIDIMessage? { waiting.pop() }

    /// The next message that the nodes have made in this cycle, in the order of the frames. Once it is rendered. Thread: audio.
    /// Wait-free.
    @_noLocks @_noAllocation
    package mutating func nextOfNodes() -> MIDIEvent? {
        guard let event = unsafe cycle.pointer.pointee.made[sent] else { return nil }
        sent += 1
        return event
    }

    /// A message went out, or JACK refused it. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func note(isSent: Bool) {
        if isSent { unsafe counts.pointer.pointee.sent.count(1) } else { unsafe counts.pointer.pointee.unsent.count(1) }
    }
}

/// See `MIDIStatistics`. Written by the audio thread, but for the first; any thread may read.
struct MIDICounters: ~Copyable {
    /// Whether nobody takes messages on the control thread. Written by that.
    let isForNodesAlone = Atomic<Bool>(false)
    /// That have begun.
    let cycles = Atomic<UInt64>(0)
    let received = Atomic<UInt64>(0)
    let ignored = Atomic<UInt64>(0)
    let malformed = Atomic<UInt64>(0)
    let dropped = Atomic<UInt64>(0)
    let sent = Atomic<UInt64>(0)
    /// Of the control thread's messages, what finds no room waits for the next cycle; of the nodes', it is lost.
    let unsent = Atomic<UInt64>(0)
}
