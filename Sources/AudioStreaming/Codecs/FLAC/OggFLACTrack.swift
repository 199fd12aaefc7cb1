import AudioFiles

/// FLAC in Ogg (the mapping of version 1.0, RFC 9639, section 10.1): each packet of sound is a frame.
final class OggFLACTrack: OggTrack {
    private let info: FLACStreamInfo
    private var order = FLACOrder(isFromStart: false)
    let header: [UInt8]

    /// Reads the first packet; `nil` where it is none.
    init?(_ head: [UInt8]) {
        guard head.starts(with: [0x7f] + "FLAC".utf8), head.count >= 17 + FLACStreamInfo.bytes,
            head[9...].starts(with: "fLaC".utf8), head[13] & 0x7f == 0, let info = FLACStreamInfo(head[17...])
        else { return nil }
        self.info = info
        header = FLACStreamInfo.header(head[17...])
    }

    func opening(_ operation: String) throws(StreamError) -> StreamOpening { try info.opening(operation) }

    func goesOn(after other: any OggTrack) -> Bool {
        guard let other = (other as? OggFLACTrack)?.info else { return false }
        return other.rate == info.rate && other.channels == info.channels && other.bits == info.bits
    }

    func take(
        _ packets: [[UInt8]], of page: OggReader.Page, isBehindHole: Bool, _ counter: inout PacketCounter
    ) -> [SoundPiece] {
        var pieces: [SoundPiece] = []
        for packet in packets {
            // Others are metadata.
            guard packet.count <= StreamPacket.payloadLimit, case .header(let frame) = FLACFrameHeader.read(packet[...])
            else { continue }
            pieces += order.missing(before: frame, &counter)
            pieces.append(.packet(counter.packet(packet, frames: frame.blockFrames)))
        }
        return pieces
    }
}
