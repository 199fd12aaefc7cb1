/// The MIDI of an engine's nodes in one cycle: what came for them, and what they make. The renderer begins each cycle, and
/// sends what was made once the cycle is rendered.
///
/// At a fixed address, which nodes keep. Thread: the one that renders, between `begin` and the end of the cycle.
@safe package struct MIDICycle: ~Copyable {
    /// So many messages have room in a cycle, each way: more than a second of a MIDI cable's.
    package static var capacity: Int { @_noLocks @_noAllocation get { 1024 } }

    /// Another one in each cycle; 0 where there is no MIDI.
    package private(set) var number: UInt64 = 0
    /// For the nodes.
    package var arrived = MIDIEvents(capacity: MIDICycle.capacity)
    /// By the nodes.
    package var made = MIDIEvents(capacity: MIDICycle.capacity)
    /// Whether a node listened in the cycle before: where none does, nothing is lost of what finds no room in `arrived`.
    package private(set) var isHeard = false
    private var hasListener = false

    package init() {}

    /// Begins a cycle, without messages. Wait-free.
    @_noLocks @_noAllocation
    package mutating func begin() {
        number &+= 1
        (isHeard, hasListener) = (hasListener, false)
        arrived.clear()
        made.clear()
    }

    /// A node listens to what comes. Wait-free.
    @_noLocks @_noAllocation
    package mutating func listen() { hasListener = true }
}
