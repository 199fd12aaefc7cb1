/// Makes the bytes of an endless file out of packets, for one listener.
///
/// A file has no word for a gap or a loss: silence of the same length is in its place, so that the listener's time stays
/// right. Of more than 10 s it is 10 s: nobody who has heard nothing for so long wants to hear nothing once more.
protocol StreamMuxer: AnyObject {
    /// What a packet becomes. `missing`: frames of the stream that are not there before it.
    func bytes(of packet: StreamPacket, missing: UInt64) -> [UInt8]
    /// Whether that was not all of it: more is to be had before the next packet.
    var hasMore: Bool { get }
    func more() -> [UInt8]
}

extension StreamMuxer {
    var hasMore: Bool { false }
    func more() -> [UInt8] { [] }

    /// In seconds: no longer silence is made up at once.
    static var longestSilence: UInt64 { 10 }

    /// How many frames of silence stand for what is missing before a packet, and for the packet itself where it is a gap.
    static func silentFrames(_ packet: StreamPacket, missing: UInt64, rate: Int) -> UInt64 {
        min(missing + (packet.isGap ? UInt64(packet.frames) : 0), longestSilence * UInt64(rate))
    }
}
