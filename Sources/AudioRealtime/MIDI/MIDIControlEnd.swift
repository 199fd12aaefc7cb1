import Synchronization

/// What was counted of a unit's MIDI ports.
public struct MIDIStatistics: Sendable, Equatable {
    /// Messages of channels that came and were not lost.
    public var received: UInt64 = 0
    /// System messages that came, as of a clock or of SysEx, which mean nothing here.
    public var ignored: UInt64 = 0
    /// Invalid messages that came.
    public var malformed: UInt64 = 0
    /// Messages of channels that came and were lost: nobody took them in time, or more came in a cycle than have room for the
    /// engine's nodes that listen.
    public var dropped: UInt64 = 0
    /// Messages that went out.
    public var sent: UInt64 = 0
    /// Messages that JACK refused on their way out.
    public var unsent: UInt64 = 0
}

/// The control thread's end of a unit's MIDI ports. Thread: any but audio.
public final class MIDIControlEnd: Sendable {
    /// So many messages may wait on either way: more than a second of a MIDI cable's.
    private static let capacity = 2048

    private let counters = Cell(MIDICounters())
    private let connectionCount = Atomic<Int>(0)
    /// How many cycles had begun at the last notice of one.
    private let cyclesBefore = Atomic<UInt64>(0)
    private let received: Mutex<Consumer<MIDIMessage>>
    private let waiting: Mutex<Producer<MIDIMessage>>
    /// Handed to the audio thread.
    package let audioEnd: Cell<MIDIAudioEnd>

    /// - Parameter cycle: the MIDI of the nodes that are rendered with the ports.
    package init(_ cycle: Cell<MIDICycle> = Cell(MIDICycle())) {
        let received = Ring<MIDIMessage>(capacity: Self.capacity)
        let waiting = Ring<MIDIMessage>(capacity: Self.capacity)
        audioEnd = Cell(MIDIAudioEnd(received.producer, waiting.consumer, counters, cycle))
        self.received = Mutex(received.consumer)
        self.waiting = Mutex(waiting.producer)
    }

    /// How often the output was connected to something, which then does not know where anything stands.
    package var connections: Int { connectionCount.load(ordering: .acquiring) }

    package func noteConnection() {
        cyclesBefore.store(cycles, ordering: .relaxed)
        connectionCount.add(1, ordering: .releasing)
    }

    /// Whether what is sent now reaches all that is connected. A connection counts from the next cycle on, and its notice
    /// may come while the one before it still runs.
    package var reachesAll: Bool { cycles &- cyclesBefore.load(ordering: .relaxed) >= 2 }

    private var cycles: UInt64 {
        // SAFETY: the cell is ours, and this is atomic.
        unsafe counters.pointer.pointee.cycles.load(ordering: .relaxed)
    }

    /// The oldest message that came and was not taken; `nil` where there is none.
    public func take() -> MIDIMessage? { received.withLock { $0.pop() } }

    /// Nobody takes messages here: those that come are for the engine's nodes, and none is lost for want of one who takes it.
    package func leaveToNodes() {
        // SAFETY: the cell is ours, and this is atomic.
        unsafe counters.pointer.pointee.isForNodesAlone.store(true, ordering: .relaxed)
    }

    /// Has a message go out with the next cycle whose port has room for it; returns whether there was room to wait.
    @discardableResult
    public func send(_ message: MIDIMessage) -> Bool { waiting.withLock { $0.push(message) } }

    /// Whether the audio thread has taken all messages that were to go out.
    package var hasSentAll: Bool { waiting.withLock { $0.hasRoom(for: Self.capacity) } }

    /// What was counted since the unit was made.
    public var statistics: MIDIStatistics {
        // SAFETY: the cell is ours, and its counts are atomic.
        unsafe MIDIStatistics(
            received: counters.pointer.pointee.received.load(ordering: .relaxed),
            ignored: counters.pointer.pointee.ignored.load(ordering: .relaxed),
            malformed: counters.pointer.pointee.malformed.load(ordering: .relaxed),
            dropped: counters.pointer.pointee.dropped.load(ordering: .relaxed),
            sent: counters.pointer.pointee.sent.load(ordering: .relaxed),
            unsent: counters.pointer.pointee.unsent.load(ordering: .relaxed))
    }
}
