/// The MIDI of an engine's nodes in one cycle: what came for them, and what they make. The renderer begins each cycle, and
/// sends what was made once the cycle is rendered.
///
/// At a fixed address, which nodes keep. Thread: the one that renders, between `begin` and the end of the cycle.
@safe package struct MIDICycle: ~Copyable {
    /// So many messages have room in a cycle, each way: more than a second of a MIDI cable's.
    package static var capacity: Int { @_noLocks @_noAllocation get { 1024 } }

    /// Another one in each cycle; 0 where there is no MIDI.
    package private(set) var number: UInt64 = 0
    private var arrived = MIDIEvents(capacity: MIDICycle.capacity)
    private var made = MIDIEvents(capacity: MIDICycle.capacity)

    package init() {}

    /// Begins a cycle, without messages. Wait-free, as all that follows.
    @_noLocks @_noAllocation
    package mutating func begin() {
        number &+= 1
        arrived.clear()
        made.clear()
    }

    /// Adds a message for the nodes; returns whether there was room.
    @_noLocks @_noAllocation
    package mutating func receive(_ event: MIDIEvent) -> Bool { arrived.insert(event) }

    /// What came, in the order of the frames, by its place from 0; `nil` behind the last.
    @_noLocks @_noAllocation
    package func received(_ place: Int) -> MIDIEvent? { arrived[place] }

    /// Adds a message of a node; returns whether there was room.
    @_noLocks @_noAllocation
    package mutating func send(_ event: MIDIEvent) -> Bool { made.insert(event) }

    /// What the nodes have made, in the order of the frames, by its place from 0; `nil` behind the last.
    @_noLocks @_noAllocation
    package func sent(_ place: Int) -> MIDIEvent? { made[place] }
}
