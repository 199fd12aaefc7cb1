/// What the packets of an RTP stream carry.
public struct RTPPayload: Sendable, Hashable {
    /// `opus`, `pcm16` (L16) or `pcm24` (L24).
    public var codec: StreamCodec
    /// Of the stream, in hertz. Of Opus always 48000, which its time stamps count.
    public var sampleRate: Int
    /// 1…255; of Opus 1 or 2.
    public var channels: Int
    /// The number of the payload; `nil` where any from 96 on will do.
    public var type: UInt8?

    /// Such a payload.
    ///
    /// - Throws: `unsupported`, naming what there is.
    public init(_ codec: StreamCodec, sampleRate: Int, channels: Int, type: UInt8? = nil) throws(StreamError) {
        func refused(_ reason: String) -> StreamError { StreamError(.unsupported, "receive RTP", reason) }
        switch codec {
        case .opus:
            guard sampleRate == 48000, (1...2).contains(channels) else {
                throw refused("Opus by RTP has 1 or 2 channels at 48000 hertz, and not \(channels) at \(sampleRate)")
            }
        case .pcm16, .pcm24:
            guard (8000...192_000).contains(sampleRate), (1...64).contains(channels) else {
                throw refused(
                    "L16 and L24 are received with 1 to 64 channels at 8000 to 192000 hertz, and not \(channels) at"
                        + " \(sampleRate)")
            }
        case .flac, .float, .mp3:
            throw refused("RTP is received with opus, pcm16 or pcm24, and not with \(codec.rawValue)")
        }
        (self.codec, self.sampleRate, self.channels, self.type) = (codec, sampleRate, channels, type)
    }

    /// What the number of a payload means without a description (RFC 3551, section 6).
    init?(staticType: UInt8) {
        guard staticType == 10 || staticType == 11 else { return nil }
        (codec, sampleRate, channels, type) = (.pcm16, 44100, staticType == 10 ? 2 : 1, staticType)
    }

    /// The payload's sound, as a packet of ours has it; `nil` where it is not whole frames.
    func packetPayload(_ bytes: [UInt8]) -> (bytes: [UInt8], frames: Int)? {
        if codec == .opus { return OpusFrames.count(bytes).map { (bytes, $0) } }
        let width = codec == .pcm16 ? 2 : 3
        guard !bytes.isEmpty, bytes.count % (width * channels) == 0 else { return nil }
        // Samples have their most significant byte first on the way, and last in packets of ours.
        var swapped = bytes
        for start in stride(from: 0, to: bytes.count, by: width) { swapped.swapAt(start, start + width - 1) }
        return (swapped, bytes.count / (width * channels))
    }
}

/// How long a packet of Opus is, by its first bytes (RFC 6716, section 3.1).
enum OpusFrames {
    /// At 48 kHz; `nil` where it is none, or longer than 120 ms.
    static func count(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first else { return nil }
        let configuration = Int(first >> 3)
        let frames: Int =
            switch configuration {
            case 0..<12: [480, 960, 1920, 2880][configuration & 3]
            case 12..<16: [480, 960][configuration & 1]
            default: [120, 240, 480, 960][configuration & 3]
            }
        let number: Int
        switch first & 3 {
        case 0: number = 1
        case 3:
            guard bytes.count >= 2 else { return nil }
            number = Int(bytes[1] & 0x3f)
        default: number = 2
        }
        let count = frames * number
        return (1...5760).contains(count) ? count : nil
    }
}
