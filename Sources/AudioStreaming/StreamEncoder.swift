import AudioFiles

/// Makes the packets of a stream out of what a unit renders: frames of any number at any rate go in, packets with sequence
/// numbers, frames and times come out.
///
/// What comes at another rate than the stream's is converted by libsamplerate's medium converter. The sum of the packets'
/// frames, gaps included, is what went in, and each packet says where it belongs. Where sound is missing call `gap`: the
/// encoder ends before and begins after it, so that no packet has sound of both sides.
///
/// It cannot be copied, and each call needs it exclusively.
///
/// Thread: one at a time, any that may block.
///
/// `@unchecked Sendable`: the encoder is an object that is made here, that only this value refers to, and that cannot be
/// reached but through calls of this value.
public struct StreamEncoder: ~Copyable, @unchecked Sendable {
    /// What the packets are encoded with.
    public let settings: CodecSettings
    /// Of what comes in.
    public let channels: Int
    private let encoder: any PacketEncoder
    private var converter: StreamConverter?
    private var inputRate: Int

    private var sequence: UInt32 = 0
    /// Of the next packet.
    private var firstFrame: UInt64
    /// Of the next frame that comes in, at the stream's rate.
    private var inputFrame: Double
    /// A frame of the stream, and when it was rendered.
    private var anchor: (frame: Double, wallNanoseconds: Int64)

    /// - Parameters:
    ///   - sampleRate: of what comes first, in hertz. What comes later may have another.
    ///   - channels: of all that comes.
    ///   - firstFrame: the number of the first frame that comes, at `sampleRate`: up to 2⁵³, a thousand years and more.
    /// - Throws: `unsupported`, naming what the codec has; `codec` without memory.
    public init(
        _ settings: CodecSettings, sampleRate: Int, channels: Int, firstFrame: UInt64 = 0
    ) throws(StreamError) {
        guard firstFrame <= 1 << 53 else {
            throw settings.refused("a first frame of \(firstFrame) is out of range; choose up to \(1 << 53)")
        }
        let encoder = try settings.makeEncoder(inputRate: sampleRate, channels: channels)
        converter = try Self.makeConverter(settings, from: sampleRate, to: encoder.format)
        self.encoder = encoder
        self.settings = settings
        self.channels = channels
        let scale = Double(encoder.format.sampleRate) / Double(sampleRate)
        self.firstFrame =
            encoder.format.sampleRate == sampleRate ? firstFrame : UInt64((Double(firstFrame) * scale).rounded())
        inputFrame = Double(self.firstFrame)
        anchor = (inputFrame, 0)
        inputRate = sampleRate
    }

    /// Of the packets, in hertz.
    public var sampleRate: Int { encoder.format.sampleRate }

    /// What opens the stream for a receiver that gets `packet` first.
    public func opening(at packet: StreamPacket) -> StreamOpening {
        opening(firstFrame: packet.firstFrame, wallNanoseconds: packet.wallNanoseconds)
    }

    func opening(firstFrame: UInt64, wallNanoseconds: Int64) -> StreamOpening {
        StreamOpening(
            codec: settings.codec, rate: sampleRate, channels: channels,
            bits: encoder.format.sampleFormat.integerBits, packetFrames: encoder.frames,
            delayFrames: encoder.delayFrames, firstFrame: firstFrame, wallNanoseconds: wallNanoseconds)
    }

    /// What a decoder needs that gets `packet` first; `nil` where it needs nothing.
    public func header(before packet: StreamPacket) -> StreamPacket? {
        packet.header(encoder.header)
    }

    /// The payload of such a packet; empty where a decoder needs nothing.
    var header: [UInt8] { encoder.header }

    /// Takes the frames that follow the ones before, and returns the packets that have become full.
    ///
    /// - Parameters:
    ///   - buffer: of 32-bit float, interleaved, with the stream's channels, at any rate.
    ///   - wallNanoseconds: when its first frame was rendered, since 1970 in UTC.
    /// - Throws: `unsupported` for another kind of buffer or a rate that cannot be converted; `codec`.
    public mutating func encode(_ buffer: PCMBuffer, wallNanoseconds: Int64) throws(StreamError) -> [StreamPacket] {
        let format = buffer.format
        guard format.channels == channels, format.sampleFormat == .float32, format.layout == .interleaved else {
            throw settings.refused("a buffer is not of \(channels) channels of interleaved 32-bit float")
        }
        var payloads: [EncodedPayload] = []
        if format.sampleRate != inputRate {
            // As much of what came as the old rate makes of it, then a seam.
            payloads = try drain()
            converter = try Self.makeConverter(settings, from: format.sampleRate, to: encoder.format)
            inputRate = format.sampleRate
        }
        anchor = (inputFrame, wallNanoseconds)
        inputFrame += Double(buffer.frames) * Double(sampleRate) / Double(inputRate)
        if converter == nil {
            payloads += try encoder.encode(buffer)
        } else {
            let encoder = encoder
            try converter?.push(buffer) { (block) throws(StreamError) in payloads += try encoder.encode(block) }
        }
        return number(payloads)
    }

    /// Takes interleaved frames that follow the ones before. As above.
    public mutating func encode(
        _ samples: [Float], sampleRate: Int, wallNanoseconds: Int64
    ) throws(StreamError) -> [StreamPacket] {
        let buffer = PCMBuffer(StreamFormat(sampleRate: sampleRate, channels: channels), samples)
        return try encode(buffer, wallNanoseconds: wallNanoseconds)
    }

    /// Time passed of which there is no sound: what was held back comes out, then packets that tell of it.
    ///
    /// - Parameters:
    ///   - nanoseconds: how long; beyond 2⁶², a hundred years, it counts as that.
    ///   - cause: a word of ASCII, as in `reset`.
    ///   - wallNanoseconds: when it began.
    public mutating func gap(
        nanoseconds: UInt64, cause: String, wallNanoseconds: Int64
    ) throws(StreamError) -> [StreamPacket] {
        let nanoseconds = min(nanoseconds, 1 << 62)
        var packets = try finish()
        anchor = (Double(firstFrame), wallNanoseconds)
        var left = UInt64((Double(nanoseconds) * Double(sampleRate) / 1e9).rounded())
        while left > 0 {
            let frames = UInt32(clamping: left)
            let payload = Array(cause.utf8.prefix(64))
            packets.append(number(EncodedPayload(bytes: payload, frames: Int(frames), isStart: false), .gap))
            left -= UInt64(frames)
        }
        inputFrame = Double(firstFrame)
        return packets
    }

    /// What was held back comes out. More may follow, with a seam.
    public mutating func finish() throws(StreamError) -> [StreamPacket] {
        let packets = number(try drain())
        inputFrame = Double(firstFrame)
        return packets
    }

    private mutating func drain() throws(StreamError) -> [EncodedPayload] {
        var payloads: [EncodedPayload] = []
        let encoder = encoder
        try converter?.finish { (block) throws(StreamError) in payloads += try encoder.encode(block) }
        converter?.reset()
        return try payloads + encoder.finish()
    }

    private static func makeConverter(
        _ settings: CodecSettings, from sampleRate: Int, to target: StreamFormat
    ) throws(StreamError) -> StreamConverter? {
        let format = StreamFormat(sampleRate: sampleRate, channels: target.channels)
        guard format != target else { return nil }
        do {
            return try StreamConverter(from: format, to: target, ConverterSettings(quality: .medium))
        } catch {
            throw settings.refused(error.reason)
        }
    }

    private mutating func number(_ payloads: [EncodedPayload]) -> [StreamPacket] {
        payloads.map { number($0, $0.isStart ? .start : []) }
    }

    private mutating func number(_ payload: EncodedPayload, _ flags: StreamPacket.Flags) -> StreamPacket {
        let age = ((Double(firstFrame) - anchor.frame) * 1e9 / Double(sampleRate)).rounded()
        defer {
            firstFrame += UInt64(payload.frames)
            sequence &+= 1
        }
        return StreamPacket(
            flags: flags, sequence: sequence, firstFrame: firstFrame, frames: UInt32(clamping: payload.frames),
            wallNanoseconds: anchor.wallNanoseconds &+ Int64(age), payload: payload.bytes)
    }
}
