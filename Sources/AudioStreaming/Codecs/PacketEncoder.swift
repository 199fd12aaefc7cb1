import AudioFiles

/// What a codec made of some frames.
struct EncodedPayload {
    var bytes: [UInt8]
    /// How many frames of the stream a decoder gets out of it, when it has dropped the codec's delay.
    var frames: Int
    /// Whether the codec's state begins with it: a decoder forgets what came before.
    var isStart: Bool
}

/// One codec: it gathers frames, and makes payloads of a fixed length of them.
///
/// Thread: one at a time, any that may block.
protocol PacketEncoder: AnyObject {
    /// What it takes: interleaved, at the stream's rate.
    var format: StreamFormat { get }
    /// What a decoder needs before the first payload; empty where it needs nothing.
    var header: [UInt8] { get }
    /// Frames of each payload but the last.
    var frames: Int { get }
    /// Frames that a decoder drops at the start.
    var delayFrames: Int { get }

    /// Takes frames of `format`, any number; returns what has become full.
    func encode(_ buffer: PCMBuffer) throws(StreamError) -> [EncodedPayload]

    /// Ends here: what was held back comes out, and the next frame begins with no memory of this one. The frames of all
    /// payloads since the start are as many as were taken.
    func finish() throws(StreamError) -> [EncodedPayload]
}

extension CodecSettings {
    /// Makes the encoder for what comes in at `inputRate` hertz.
    ///
    /// - Throws: `unsupported`, naming what there is; `codec`.
    func makeEncoder(inputRate: Int, channels: Int) throws(StreamError) -> any PacketEncoder {
        if codec != .opus, hasForwardErrorCorrection || bitRate != nil && codec != .mp3 {
            throw refused("only Opus and MP3 have a bit rate, and only Opus has forward error correction")
        }
        if codec != .flac, bits != nil {
            throw refused("only FLAC has a choice of bits; choose pcm16 or pcm24 instead")
        }
        if let milliseconds = frameMilliseconds, !(milliseconds > 0 && milliseconds <= 1000) {
            throw refused("packets of \(milliseconds) ms are out of range; choose up to 1000 ms")
        }
        let rate = sampleRate ?? inputRate
        guard (1000...768_000).contains(rate) else {
            throw refused("\(rate) hertz is out of range; choose 1000 to 768000")
        }
        switch codec {
        case .opus: return try OpusPacketEncoder(self, inputRate: inputRate, channels: channels)
        case .flac: return try FLACPacketEncoder(self, sampleRate: rate, channels: channels)
        case .mp3: return try MP3PacketEncoder(self, inputRate: inputRate, channels: channels)
        case .pcm16, .pcm24, .float: return try PCMPacketEncoder(self, sampleRate: rate, channels: channels)
        }
    }

    func refused(_ reason: String) -> StreamError { StreamError(.unsupported, "encode \(codec.rawValue)", reason) }

    /// The length of a packet in frames.
    func frames(atRate sampleRate: Int, usually milliseconds: Double) -> Int {
        max(1, Int(((frameMilliseconds ?? milliseconds) * Double(sampleRate) / 1000).rounded()))
    }
}

extension StreamCodec {
    /// The samples that a decoder hands out, and a lossless encoder takes.
    func sampleFormat(bits: Int?) -> SampleFormat {
        switch self {
        case .opus, .float, .mp3: .float32
        case .flac: bits == 16 ? .int16 : .int24
        case .pcm16: .int16
        case .pcm24: .int24
        }
    }
}
