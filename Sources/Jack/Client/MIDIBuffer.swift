import CJack

/// The buffer of a MIDI port in one cycle. Thread: audio. Wait-free, all of it.
@safe public struct MIDIBuffer: BitwiseCopyable {
    private let raw: UnsafeMutableRawPointer

    @unsafe @_noLocks @_noAllocation
    init(_ raw: UnsafeMutableRawPointer) { unsafe self.raw = raw }

    /// How many messages came.
    public var count: Int { @_noLocks @_noAllocation get { unsafe Int(cjack_midi_count(raw)) } }

    /// The bytes of a message, which live as long as the cycle, and its frame; `nil` where there is none.
    @unsafe @_noLocks @_noAllocation
    public func message(_ index: Int) -> (bytes: UnsafePointer<UInt8>, count: Int, frame: Int)? {
        let message = unsafe cjack_midi_get(raw, UInt32(truncatingIfNeeded: index))
        guard let bytes = unsafe message.bytes, unsafe message.size > 0 else { return nil }
        return unsafe (bytes, Int(message.size), Int(message.frame))
    }

    /// Empties the buffer of an output, which each cycle must do before it adds anything.
    @_noLocks @_noAllocation
    public func clear() { unsafe cjack_midi_clear(raw) }

    /// Whether an output has room for a message of so many bytes.
    @_noLocks @_noAllocation
    public func hasRoom(for count: Int) -> Bool { unsafe cjack_midi_room(raw) >= count }

    /// Adds a message; returns whether there was room.
    ///
    /// - Parameters:
    ///   - count: how many of the bytes belong to it, 1…3.
    ///   - frame: of the cycle, and not before that of the last one.
    @_noLocks @_noAllocation
    public func add(_ status: UInt8, _ first: UInt8, _ second: UInt8, count: Int, atFrame frame: Int = 0) -> Bool {
        unsafe cjack_midi_put(
            raw, UInt32(truncatingIfNeeded: frame), status, first, second, UInt32(truncatingIfNeeded: count)) == 0
    }
}
