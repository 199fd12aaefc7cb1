import CJack

/// The buffer of a MIDI port in one cycle. Thread: audio. Wait-free, all of it.
@safe public struct MIDIBuffer: BitwiseCopyable {
    private let raw: UnsafeMutableRawPointer

    @unsafe @_noLocks @_noAllocation
    init(_ raw: UnsafeMutableRawPointer) { unsafe self.raw = raw }

    /// How many messages came.
    public var count: Int { @_noLocks @_noAllocation get { unsafe Int(cjack_midi_count(raw)) } }

    /// The bytes of a message, which live as long as the cycle; `nil` where there is none.
    @unsafe @_noLocks @_noAllocation
    public func message(_ index: Int) -> (bytes: UnsafePointer<UInt8>, count: Int)? {
        let message = unsafe cjack_midi_get(raw, UInt32(truncatingIfNeeded: index))
        guard let bytes = unsafe message.bytes, unsafe message.size > 0 else { return nil }
        return unsafe (bytes, Int(message.size))
    }

    /// Empties the buffer of an output, which each cycle must do before it adds anything.
    @_noLocks @_noAllocation
    public func clear() { unsafe cjack_midi_clear(raw) }

    /// Whether an output has room for a message of so many bytes.
    @_noLocks @_noAllocation
    public func hasRoom(for count: Int) -> Bool { unsafe cjack_midi_room(raw) >= count }

    /// Adds a message at the cycle's first frame; returns whether there was room.
    ///
    /// - Parameter count: how many of the bytes belong to it, 1…3.
    @_noLocks @_noAllocation
    public func add(_ status: UInt8, _ first: UInt8, _ second: UInt8, count: Int) -> Bool {
        unsafe cjack_midi_put(raw, status, first, second, UInt32(truncatingIfNeeded: count)) == 0
    }
}
