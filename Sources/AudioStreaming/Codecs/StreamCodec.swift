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

    /// Whether what is received is what was sent, rounded to the codec's bits.
    public var isLossless: Bool { self != .opus }
}

/// What an encoder of packets may choose. What is `nil` is the codec's own choice.
public struct CodecSettings: Sendable, Hashable {
    /// What the packets are encoded with.
    public var codec: StreamCodec
    /// Of the stream, in hertz. By default that of what comes in; 48000 where Opus does not have that.
    public var sampleRate: Int?
    /// Length of a packet in milliseconds. Opus has 2.5, 5, 10, 20, 40 and 60, by default 20; FLAC takes blocks of 16 to
    /// 4608 frames (16384 above 48 kHz), by default 4096; the others take up to 1000 ms, by default 10.
    public var frameMilliseconds: Double?
    /// Of Opus, in bits per second for all channels: 500 to 512000 for each. By default libopus chooses.
    public var bitRate: Int?
    /// Of Opus: each packet says the sound of the one before again, more coarsely, so that a receiver can make up for a
    /// lost one. Needs packets of 10 ms or more; the encoder then works as for speech.
    public var hasForwardErrorCorrection = false
    /// Of FLAC: 16 or 24 bits; by default 24.
    public var bits: Int?

    /// Settings of a codec that leave all else to it.
    public init(_ codec: StreamCodec) { self.codec = codec }
}
