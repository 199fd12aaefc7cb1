import AudioDSP

/// A MIDI message and when it comes or goes.
package struct MIDIEvent: BitwiseCopyable, Sendable, Hashable {
    /// Of the cycle that it belongs to, from 0.
    package var frame: Int
    package var message: MIDIMessage

    @_noLocks @_noAllocation
    package init(_ message: MIDIMessage, atFrame frame: Int) {
        self.message = message
        self.frame = frame
    }
}

/// Events in the order of their frames, in memory that was allocated once. Thread: one at a time.
@safe package struct MIDIEvents: ~Copyable {
    private let events: Row<MIDIEvent>
    private(set) var count = 0

    init(capacity: Int) {
        precondition(capacity >= 1)
        events = Row(zeros: capacity)
    }

    @_noLocks @_noAllocation
    mutating func clear() { count = 0 }

    /// By its place from 0; `nil` behind the last. Wait-free.
    @_noLocks @_noAllocation
    package subscript(index: Int) -> MIDIEvent? {
        // SAFETY: the first `count` are ours.
        index >= 0 && index < count ? unsafe events.base[index] : nil
    }

    /// Puts an event behind all that are not later; returns whether there was room. Wait-free: it moves as many events as fit at the
    /// most, and none where they come in order.
    @_noLocks @_noAllocation
    package mutating func insert(_ event: MIDIEvent) -> Bool {
        guard count < events.count else { return false }
        var place = count
        // SAFETY: `place` and what is moved stay below the capacity.
        while place > 0, unsafe events.base[place - 1].frame > event.frame {
            unsafe events.base[place] = events.base[place - 1]
            place -= 1
        }
        unsafe events.base[place] = event
        count += 1
        return true
    }
}
