/// Ogg Opus (RFC 7845): a page for each packet, so that none waits for another.
final class OggOpusMuxer: StreamMuxer {
    private let head: [UInt8]
    private var pages: OggStream
    /// Frames of a whole packet, and of each frame how many samples at 48 kHz.
    private let packetFrames: UInt64
    private let scale: UInt64
    /// Samples at 48 kHz up to the end of the last packet.
    private var position: UInt64 = 0
    /// How a packet of this kind begins; alone it is one of which nothing came.
    private var kind: UInt8?
    private var hasBegun = false
    /// Of what was missing: less than a packet.
    private var rest: UInt64 = 0

    init(_ opening: StreamOpening, _ head: [UInt8], pages: OggStream = OggStream()) {
        self.head = head
        self.pages = pages
        packetFrames = UInt64(max(1, opening.packetFrames))
        scale = UInt64(48000 / max(1, opening.rate))
    }

    func bytes(of packet: StreamPacket, missing: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        if !hasBegun {
            hasBegun = true
            bytes += pages.headers(OggMapping.opus.headers(head, OggMapping.comments()))
        }
        let isGap = packet.flags.contains(.gap)
        rest += missing + (isGap ? UInt64(packet.frames) : 0)
        if let kind {
            var silences = min(rest / packetFrames, Self.longestSilence * 48000 / (packetFrames * scale))
            rest %= packetFrames
            while silences > 0 {
                bytes += audio([kind])
                silences -= 1
            }
        }
        guard !isGap, let first = packet.payload.first else { return bytes }
        // One frame in the packet (RFC 6716, 3.1), whatever this packet has.
        kind = first & 0xfc
        return bytes + audio(packet.payload)
    }

    private func audio(_ payload: [UInt8]) -> [UInt8] {
        position += packetFrames * scale
        return pages.pages(of: payload, position: Int64(clamping: position))
    }
}
