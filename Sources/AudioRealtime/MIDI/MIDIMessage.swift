/// A MIDI message of a channel: a note, a controller, a pitch bend and the like.
public struct MIDIMessage: BitwiseCopyable, Sendable, Hashable {
    /// 0x80…0xEF: what it is, and in the lower half the channel.
    public var status: UInt8
    /// 0…127.
    public var first: UInt8
    /// 0…127; 0 where the message has one byte of data.
    public var second: UInt8

    /// - Parameters:
    ///   - first, second: their highest bit is left out.
    @_noLocks @_noAllocation
    public init(_ status: UInt8, _ first: UInt8, _ second: UInt8 = 0) {
        self.status = status
        self.first = first & 0x7f
        self.second = second & 0x7f
    }

    /// As bytes have it; `nil` where they are no message of a channel.
    @unsafe @_noLocks @_noAllocation
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard let status = unsafe bytes.first, let length = Self.length(status: status), bytes.count == length,
            unsafe bytes[1] < 0x80, unsafe length == 2 || bytes[2] < 0x80
        else { return nil }
        unsafe self.init(status, bytes[1], length == 3 ? bytes[2] : 0)
    }

    /// 1…16.
    public var channel: Int { Int(status & 0x0f) + 1 }

    /// No message of a channel has more bytes.
    package static var longest: Int { @_noLocks @_noAllocation get { 3 } }

    /// How many bytes a message with this status has; `nil` where that is none of a channel.
    @_noLocks @_noAllocation
    public static func length(status: UInt8) -> Int? {
        switch status & 0xf0 {
        case 0x80, 0x90, 0xa0, 0xb0, 0xe0: 3
        case 0xc0, 0xd0: 2
        default: nil
        }
    }
}
