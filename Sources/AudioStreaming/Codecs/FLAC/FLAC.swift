import AudioFiles
import CFLAC
import CShout

extension Codec {
    /// Lossless, of 16 or 24 bits, up to 8 channels.
    public static let flac = Codec(
        name: "flac", isLossless: true, title: "FLAC", choices: .bits,
        packetLengths: FLACPacketEncoder.lengths, channels: 1...8,
        sampleFormat: { $0 == 16 ? .int16 : .int24 }, encoder: FLACPacketEncoder.self, decoder: FLACPacketDecoder.self,
        file: FileForm(
            format: { SoundFileFormat(.flac, $0 == 16 ? .pcm16 : .pcm24) }, packets: { $0 == 16 ? .pcm16 : .pcm24 },
            extensions: ["flac"]),
        icecast: IcecastForm(
            mediaType: "application/ogg", shoutFormat: SHOUT_FORMAT_OGG, extensions: ["flac", "oga"]),
        ogg: .flac, page: PageForm(fileExtension: "flac", mediaType: "audio/flac") { FLACMuxer($0, $1) },
        container: .flac)
}

extension StreamContainer {
    /// FLAC by itself.
    public static let flac = StreamContainer(name: "flac", marks: ["fLaC"], makeDemuxer: FLACDemuxer.init)
}

extension OggMapping {
    /// Version 1.0 (RFC 9639, section 10.1).
    fileprivate static let flac = OggMapping(
        headers: { header, comments in
            // `fLaC` and the first block, which describes the stream: 4 bytes of header, without the sign of the last, and 34.
            var first = Array(header.prefix(42))
            if first.count > 4 { first[4] &= 0x7f }
            // The block of comments, which is the last.
            let size = [16, 8, 0].map { UInt8(comments.count >> $0 & 0xff) }
            return [[0x7f] + Array("FLAC".utf8) + [1, 0, 0, 1] + first, [0x84] + size + comments]
        },
        frames: { _, packet in Int64(packet.frames) }, makeTrack: OggFLACTrack.init)
}

/// FLAC: each payload is one frame of the format, and header and payloads one behind the other are a FLAC stream.
@safe final class FLACPacketEncoder: PacketEncoder {
    let format: StreamFormat
    let frames: Int
    var header: [UInt8] { output.header }

    /// What libFLAC hands over in a call.
    private final class Output {
        var header: [UInt8] = []
        var payloads: [EncodedPayload] = []
        var isAtStart = true
    }

    private let encoder: UnsafeMutablePointer<FLAC__StreamEncoder>
    private let output = Output()
    private let bits: Int
    private var isOpen = false

    private static let usualFrames = 4096
    private static func mostFrames(atRate sampleRate: Int) -> Int { sampleRate <= 48000 ? 4608 : 16384 }

    static let lengths = Codec.PacketLengths(
        choices: "up to \(mostFrames(atRate: 48000) / 48) at 48 kHz", usual: Double(usualFrames / 48))

    init(_ settings: CodecSettings, inputRate: Int, sampleRate: Int, channels: Int) throws(StreamError) {
        bits = settings.bits ?? 24
        frames = settings.frameMilliseconds == nil ? Self.usualFrames : settings.frames(atRate: sampleRate)
        let most = Self.mostFrames(atRate: sampleRate)
        guard bits == 16 || bits == 24 else { throw settings.refused("it is sent with 16 or 24 bits, and not \(bits)") }
        guard (16...most).contains(frames) else {
            throw settings.refused(
                "blocks of \(frames) frames are out of range; at \(sampleRate) hertz 16 to \(most) are")
        }
        guard sampleRate <= 65535 || sampleRate % 10 == 0 && sampleRate <= 655_350 else {
            throw settings.refused("its frames cannot say \(sampleRate) hertz; choose another rate")
        }
        guard let encoder = unsafe FLAC__stream_encoder_new() else {
            throw StreamError(.codec, "encode flac", "there is no memory for it")
        }
        unsafe self.encoder = encoder
        format = StreamFormat(
            sampleRate: sampleRate, channels: channels, sampleFormat: settings.codec.sampleFormat(bits))
        try open()
    }

    deinit {
        unsafe FLAC__stream_encoder_finish(encoder)
        unsafe FLAC__stream_encoder_delete(encoder)
    }

    /// Begins a stream: libFLAC writes its header in this call.
    private func open() throws(StreamError) {
        output.header = []
        output.isAtStart = true
        unsafe FLAC__stream_encoder_set_channels(encoder, UInt32(format.channels))
        unsafe FLAC__stream_encoder_set_bits_per_sample(encoder, UInt32(bits))
        unsafe FLAC__stream_encoder_set_sample_rate(encoder, UInt32(format.sampleRate))
        unsafe FLAC__stream_encoder_set_compression_level(encoder, 5)
        unsafe FLAC__stream_encoder_set_blocksize(encoder, UInt32(frames))
        // SAFETY: `output` lives as long as this object, which finishes the encoder before it goes.
        let status = unsafe FLAC__stream_encoder_init_stream(
            encoder,
            { _, bytes, count, samples, _, context in
                unsafe FLACPacketEncoder.take(UnsafeBufferPointer(start: bytes, count: count), samples, context)
                return FLAC__STREAM_ENCODER_WRITE_STATUS_OK
            }, nil, nil, nil, Unmanaged.passUnretained(output).toOpaque())
        guard status == FLAC__STREAM_ENCODER_INIT_STATUS_OK else {
            throw StreamError(.codec, "encode flac", "libFLAC refuses it (status \(status.rawValue))")
        }
        isOpen = true
    }

    @unsafe private static func take(
        _ bytes: UnsafeBufferPointer<UInt8>, _ samples: UInt32, _ context: UnsafeMutableRawPointer?
    ) {
        guard let context = unsafe context else { return }
        // SAFETY: the address that `open` gave.
        let output = unsafe Unmanaged<Output>.fromOpaque(context).takeUnretainedValue()
        guard samples > 0 else {
            unsafe output.header += Array(bytes)
            return
        }
        unsafe output.payloads.append(
            EncodedPayload(bytes: Array(bytes), frames: Int(samples), isStart: output.isAtStart))
        output.isAtStart = false
    }

    func encode(_ buffer: PCMBuffer) throws(StreamError) -> [EncodedPayload] {
        if !isOpen { try open() }
        let samples = buffer.integers
        guard buffer.frames > 0 else { return [] }
        let isTaken = unsafe samples.withUnsafeBufferPointer { samples in
            // SAFETY: so many frames, interleaved.
            unsafe FLAC__stream_encoder_process_interleaved(
                encoder, samples.baseAddress.unsafelyUnwrapped, UInt32(buffer.frames))
        }
        guard isTaken != 0 else { throw StreamError(.codec, "encode flac", "libFLAC stopped") }
        return take()
    }

    func finish() throws(StreamError) -> [EncodedPayload] {
        guard isOpen else { return [] }
        isOpen = false
        let header = output.header
        let isFinished = unsafe FLAC__stream_encoder_finish(encoder)
        // The checksum that it would put into the header has no place in a stream.
        output.header = header
        guard isFinished != 0 else { throw StreamError(.codec, "encode flac", "libFLAC stopped") }
        return take()
    }

    private func take() -> [EncodedPayload] {
        defer { output.payloads = [] }
        return output.payloads
    }
}

extension PCMBuffer {
    /// Samples of 16 or 24 bits, as libFLAC wants them: each in 32 bits.
    var integers: [Int32] {
        if format.sampleFormat == .int16 { return samples(of: Int16.self).map { Int32($0) } }
        return withSamples(of: UInt8.self) { bytes in
            (0..<bytes.count / 3).map { index in
                let bits =
                    UInt32(bytes[3 * index]) | UInt32(bytes[3 * index + 1]) << 8 | UInt32(bytes[3 * index + 2]) << 16
                return Int32(bitPattern: bits << 8) >> 8
            }
        }
    }
}
