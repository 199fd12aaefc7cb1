/// How the packets of a stream are encoded.
public enum StreamCodec: String, Sendable, CaseIterable, Codable {
    /// Lossy, with short delay (RFC 6716): 8, 12, 16, 24 or 48 kHz, up to 255 channels.
    case opus
    /// Lossless, of 16 or 24 bits, up to 8 channels.
    case flac
    /// Signed integers of 16 bits, interleaved, least significant byte first.
    case pcm16
    /// Signed integers of 24 bits in three bytes, interleaved, least significant byte first.
    case pcm24
    /// IEEE floats of 32 bits, interleaved, least significant byte first.
    case float
    /// Lossy (MPEG-1 and -2, layer III), for Icecast, TCP, pipes and files: 8 to 48 kHz, up to 2 channels. A packet of it says
    /// little without the ones before, so that it goes neither by WebSocket nor by RTP.
    case mp3

    /// Whether what is received is what was sent, rounded to the codec's bits.
    public var isLossless: Bool { self != .opus && self != .mp3 }

    /// Whether it goes in packets of the form `iounit.stream/1`.
    public var hasPackets: Bool { self != .mp3 }
}

/// What an encoder of packets may choose. What is `nil` is the codec's own choice.
public struct CodecSettings: Sendable, Hashable {
    /// What the packets are encoded with.
    public var codec: StreamCodec
    /// Of the stream, in hertz. By default that of what comes in; 48000 where Opus or MP3 does not have that.
    public var sampleRate: Int?
    /// Length of a packet in milliseconds. Opus has 2.5, 5, 10, 20, 40 and 60, by default 20; FLAC takes blocks of 16 to
    /// 4608 frames (16384 above 48 kHz), by default 4096; PCM takes up to 1000 ms, by default 10. MP3 has no choice.
    public var frameMilliseconds: Double?
    /// Of Opus, in bits per second for all channels: 500 to 512000 for each. By default libopus chooses. Of MP3: what the
    /// form has at the rate, up to 320000, for all channels; by default LAME chooses (128000 at 44.1 and 48 kHz).
    public var bitRate: Int?
    /// Of Opus: each packet says the sound of the one before again, more coarsely, so that a receiver can make up for a
    /// lost one. Needs packets of 10 ms or more; the encoder then works as for speech.
    public var hasForwardErrorCorrection = false
    /// Of FLAC: 16 or 24 bits; by default 24.
    public var bits: Int?

    /// Settings of a codec that leave all else to it.
    public init(_ codec: StreamCodec) { self.codec = codec }
}
