/// What the packets of an RTP stream carry.
public struct RTPPayload: Sendable, Hashable {
    /// One that goes by RTP: `opus`, `pcm16` (L16) or `pcm24` (L24).
    public var codec: Codec
    /// Of the stream, in hertz. Of Opus always 48000, which its time stamps count.
    public var sampleRate: Int
    /// 1…255; of Opus 1 or 2.
    public var channels: Int
    /// The number of the payload; `nil` where any from 96 on will do.
    public var type: UInt8?

    /// Such a payload.
    ///
    /// - Throws: `unsupported`, naming what there is.
    public init(_ codec: Codec, sampleRate: Int, channels: Int, type: UInt8? = nil) throws(StreamError) {
        func refused(_ reason: String) -> StreamError { StreamError(.unsupported, "receive RTP", reason) }
        guard let form = codec.rtp else {
            let known = Codec.list(Codec.all.filter { $0.rtp != nil })
            throw refused("RTP is received with \(known), and not with \(codec.name)")
        }
        guard form.rates.contains(sampleRate), form.channels.contains(channels) else {
            throw refused(
                "\(codec.title) by RTP has \(form.channels.words) channels at \(form.rates.words) hertz, and not"
                    + " \(channels) at \(sampleRate)")
        }
        (self.codec, self.sampleRate, self.channels, self.type) = (codec, sampleRate, channels, type)
    }

    /// What the number of a payload means without a description (RFC 3551, section 6).
    init?(staticType: UInt8) {
        for codec in Codec.all {
            guard let known = codec.rtp?.known.first(where: { $0.type == staticType }) else { continue }
            (self.codec, sampleRate, channels, type) = (codec, 44100, known.channels, staticType)
            return
        }
        return nil
    }

    /// The payload's sound, as a packet of ours has it; `nil` where it is not whole frames.
    func packetPayload(_ bytes: [UInt8]) -> (bytes: [UInt8], frames: Int)? {
        guard let width = codec.rtp?.sampleBytes else { return codec.rtp?.frames(bytes).map { (bytes, $0) } }
        guard !bytes.isEmpty, bytes.count % (width * channels) == 0 else { return nil }
        return (RTPForm.swapped(bytes, width), bytes.count / (width * channels))
    }
}
