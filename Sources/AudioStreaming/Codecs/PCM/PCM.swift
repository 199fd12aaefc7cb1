import AudioFiles

extension Codec {
    /// Signed integers of 16 bits, interleaved, least significant byte first.
    public static let pcm16: Codec = {
        var codec = pcm("pcm16", .int16, .pcm16)
        codec.page = PageForm(fileExtension: "wav", mediaType: "audio/wav") { opening, _ in WAVMuxer(opening) }
        codec.rtp = .samples("L16", bytes: 2, known: [(10, channels: 2), (11, channels: 1)])
        return codec
    }()

    /// Signed integers of 24 bits in three bytes, interleaved, least significant byte first.
    public static let pcm24: Codec = {
        var codec = pcm("pcm24", .int24, .pcm24)
        codec.rtp = .samples("L24", bytes: 3)
        return codec
    }()

    /// IEEE floats of 32 bits, interleaved, least significant byte first.
    public static let float: Codec = {
        var codec = pcm("float", .float32, .float)
        codec.file?.extensions = ["wav", "wave"]
        return codec
    }()

    private static func pcm(
        _ name: String, _ samples: SampleFormat, _ encoding: SoundFileFormat.Encoding
    ) -> Codec {
        Codec(
            name: name, isLossless: true, title: name, choices: .shortPackets, channels: 1...255,
            sampleFormat: { _ in samples }, encoder: PCMPacketEncoder.self, decoder: PCMPacketDecoder.self,
            file: FileForm(format: { _ in SoundFileFormat(.wav, encoding) }), container: .wav)
    }
}

extension StreamContainer {
    /// WAV or RF64 with integers or floats.
    public static let wav = StreamContainer(name: "wav", marks: ["RIFF", "RF64", "BW64"], makeDemuxer: WAVDemuxer.init)
}

/// Samples as they are, in packets of one length.
final class PCMPacketEncoder: PacketEncoder {
    let format: StreamFormat
    let frames: Int
    private var gathered: [UInt8] = []
    private var isAtStart = true

    init(_ settings: CodecSettings, inputRate: Int, sampleRate: Int, channels: Int) throws(StreamError) {
        format = StreamFormat(
            sampleRate: sampleRate, channels: channels, sampleFormat: settings.codec.sampleFormat(nil))
        frames = settings.frames(atRate: sampleRate)
        guard frames * format.bytesPerFrame <= StreamPacket.payloadLimit else {
            throw settings.refused("such packets are larger than 1 MiB; choose a shorter --frame")
        }
    }

    func encode(_ buffer: PCMBuffer) throws(StreamError) -> [EncodedPayload] {
        gathered += buffer.samples(of: UInt8.self)
        return gathered.takePieces(of: frames * format.bytesPerFrame).map(payload)
    }

    func finish() throws(StreamError) -> [EncodedPayload] {
        defer { (gathered, isAtStart) = ([], true) }
        return gathered.isEmpty ? [] : [payload(gathered[...])]
    }

    private func payload(_ bytes: ArraySlice<UInt8>) -> EncodedPayload {
        defer { isAtStart = false }
        return EncodedPayload(bytes: Array(bytes), frames: bytes.count / format.bytesPerFrame, isStart: isAtStart)
    }
}

/// Samples as they are.
final class PCMPacketDecoder: PacketDecoder {
    private let format: StreamFormat

    init(_ opening: StreamOpening) { format = opening.format }

    func decode(_ payload: [UInt8]) throws(StreamError) -> PCMBuffer {
        guard !payload.isEmpty, payload.count % format.bytesPerFrame == 0 else {
            throw StreamError(
                .badData, "decode \(format.sampleFormat.rawValue)", "the packet is empty, or ends within a frame")
        }
        return PCMBuffer(format, payload)
    }
}
