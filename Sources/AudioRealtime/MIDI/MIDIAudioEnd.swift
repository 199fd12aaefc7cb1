import Synchronization

/// The audio thread's end of a unit's MIDI ports: what comes goes into a ring, and what waits in another ring goes out.
///
/// A message that finds no room in the ring is dropped and counted. At a fixed address; the other end is `MIDIControlEnd`.
@safe package struct MIDIAudioEnd: ~Copyable {
    private var received: Producer<MIDIMessage>
    private var waiting: Consumer<MIDIMessage>
    private let counters: Cell<MIDICounters>
    private let counts: UnsafeMutablePointer<MIDICounters>

    init(
        _ received: consuming Producer<MIDIMessage>, _ waiting: consuming Consumer<MIDIMessage>,
        _ counters: Cell<MIDICounters>
    ) {
        self.received = received
        self.waiting = waiting
        self.counters = counters
        unsafe counts = counters.pointer
    }

    /// Takes what came as one message, whatever it is. Thread: audio. Wait-free.
    ///
    /// - Parameter count: how many bytes there are, 0 or more.
    @unsafe @_noLocks @_noAllocation
    package mutating func take(_ bytes: UnsafePointer<UInt8>, count: Int) {
        // SAFETY: the caller has so many bytes; `counters` keeps the counts.
        let status = unsafe count > 0 ? bytes[0] : 0
        guard status < 0xf0 else { return unsafe counts.pointee.ignored.count(1) }
        guard let length = MIDIMessage.length(status: status), count == length, unsafe bytes[1] < 0x80,
            unsafe length == 2 || bytes[2] < 0x80
        else { return unsafe counts.pointee.malformed.count(1) }
        let message = unsafe MIDIMessage(status, bytes[1], length == 3 ? bytes[2] : 0)
        if received.pushRealtime(message) {
            unsafe counts.pointee.received.count(1)
        } else {
            unsafe counts.pointee.dropped.count(1)
        }
    }

    /// The next message that is to go out, if there is one. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func next() -> MIDIMessage? { waiting.popRealtime() }

    /// A message went out, or JACK refused it. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func note(isSent: Bool) {
        if isSent { unsafe counts.pointee.sent.count(1) } else { unsafe counts.pointee.unsent.count(1) }
    }
}
