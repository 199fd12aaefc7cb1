import AudioDSP
import AudioFigures
import AudioFiles
import COpus

/// Opus: one packet of libopus for each length of frames.
@safe final class OpusPacketEncoder: PacketEncoder {
    private static let lengths = [2.5, 5, 10, 20, 40, 60]
    static var lengthsInWords: String { lengths.map(shortest).listed("or") }

    let format: StreamFormat
    let frames: Int
    let header: [UInt8]
    let delayFrames: Int

    private let encoder: OpaquePointer
    private let streams: Int
    private var gathered: [Float] = []
    /// Of this start: frames that came in, and went out in payloads without the delay.
    private var takenFrames = 0
    private var madeFrames = 0
    /// Decoded frames that are still to be dropped.
    private var droppedFrames: Int
    private var isAtStart = true

    init(_ settings: CodecSettings, inputRate: Int, sampleRate: Int, channels: Int) throws(StreamError) {
        let length = settings.packetMilliseconds
        try Self.check(settings, channels: channels, milliseconds: length)
        format = StreamFormat(sampleRate: sampleRate, channels: channels)
        frames = Int(length * Double(sampleRate) / 1000)
        // A unit's channels are no loudspeakers: the family that has some would take the treble out of the sixth.
        let family = channels <= 2 ? 0 : 255
        var (streams, coupled, failure): (CInt, CInt, CInt) = (0, 0, 0)
        var mapping = [UInt8](repeating: 0, count: channels)
        let application = settings.hasForwardErrorCorrection ? OPUS_APPLICATION_VOIP : OPUS_APPLICATION_AUDIO
        // SAFETY: the mapping has as many bytes as there are channels.
        let made = unsafe opus_multistream_surround_encoder_create(
            Int32(sampleRate), CInt(channels), CInt(family), &streams, &coupled, &mapping, application, &failure)
        guard failure == OPUS_OK, let encoder = unsafe made else {
            throw StreamError(.codec, "encode opus", "libopus refuses it: \(opusError(failure))")
        }
        unsafe self.encoder = encoder
        self.streams = Int(streams)
        var results: [CInt] = []
        if let bitRate = settings.bitRate {
            unsafe results.append(copus_set(encoder, OPUS_SET_BITRATE_REQUEST, Int32(bitRate)))
        }
        if settings.hasForwardErrorCorrection {
            unsafe results.append(copus_set(encoder, OPUS_SET_INBAND_FEC_REQUEST, 1))
            // Without an expected loss nothing is said twice.
            unsafe results.append(copus_set(encoder, OPUS_SET_PACKET_LOSS_PERC_REQUEST, 15))
        }
        delayFrames = Int(unsafe max(0, copus_get(encoder, OPUS_GET_LOOKAHEAD_REQUEST)))
        droppedFrames = delayFrames
        header =
            OpusHead(
                channels: channels, preSkip: delayFrames * 48000 / sampleRate, inputRate: inputRate, family: family,
                streams: Int(streams), coupledStreams: Int(coupled), mapping: mapping
            ).bytes
        if let failure = results.first(where: { $0 != OPUS_OK }) {
            throw StreamError(.codec, "encode opus", "libopus refuses the settings: \(opusError(failure))")
        }
    }

    deinit { unsafe opus_multistream_encoder_destroy(encoder) }

    private static func check(
        _ settings: CodecSettings, channels: Int, milliseconds: Double
    ) throws(StreamError) {
        guard lengths.contains(milliseconds) else {
            throw settings.refused("it has no packets of \(milliseconds) ms; choose \(lengthsInWords)")
        }
        if settings.hasForwardErrorCorrection, milliseconds < 10 {
            throw settings.refused(
                "forward error correction needs packets of 10 ms or more, and not \(milliseconds) ms")
        }
        if let bitRate = settings.bitRate, !(500 * channels...512_000 * channels).contains(bitRate) {
            throw settings.refused(
                "\(bitRate) bit/s are out of range; \(channels) channels take \(500 * channels) to"
                    + " \(512_000 * channels)")
        }
    }

    func encode(_ buffer: PCMBuffer) throws(StreamError) -> [EncodedPayload] {
        gathered += buffer.samples(of: Float.self)
        takenFrames += buffer.frames
        return try encodeGathered()
    }

    func finish() throws(StreamError) -> [EncodedPayload] {
        var made: [EncodedPayload] = []
        // Silence pushes the delayed frames out.
        while madeFrames < takenFrames {
            gathered += [Float](repeating: 0, count: frames * format.channels - gathered.count)
            made += try encodeGathered()
        }
        unsafe copus_reset_encoder(encoder)
        gathered = []
        (takenFrames, madeFrames, droppedFrames, isAtStart) = (0, 0, delayFrames, true)
        return made
    }

    private func encodeGathered() throws(StreamError) -> [EncodedPayload] {
        var made: [EncodedPayload] = []
        for piece in gathered.takePieces(of: frames * format.channels) {
            // The first packet after a reset is encoded without prediction. The stream does not signal the gap to the player, so
            // its decoder keeps its old state; prediction from that state makes the sound up to 17 dB too loud.
            if isAtStart { unsafe _ = copus_set(encoder, OPUS_SET_PREDICTION_DISABLED_REQUEST, 1) }
            let bytes = try encode(piece)
            if isAtStart { unsafe _ = copus_set(encoder, OPUS_SET_PREDICTION_DISABLED_REQUEST, 0) }
            let dropped = min(droppedFrames, frames)
            droppedFrames -= dropped
            let count = min(frames - dropped, takenFrames - madeFrames)
            madeFrames += count
            made.append(EncodedPayload(bytes: bytes, frames: count, isStart: isAtStart))
            isAtStart = false
        }
        return made
    }

    private func encode(_ samples: ArraySlice<Float>) throws(StreamError) -> [UInt8] {
        // 1275 bytes for each frame of 20 ms are the most, and two more for each stream.
        var bytes = [UInt8](repeating: 0, count: (3 * 1277 + 8) * streams)
        let count = unsafe samples.withUnsafeBufferPointer { samples in
            // SAFETY: `samples` are `frames` frames, and `bytes` is as long as it says.
            unsafe opus_multistream_encode_float(
                encoder, samples.baseAddress.unsafelyUnwrapped, CInt(frames), &bytes, Int32(bytes.count))
        }
        guard count > 0 else {
            throw StreamError(.codec, "encode opus", "libopus stopped: \(opusError(count))")
        }
        return Array(bytes.prefix(Int(count)))
    }
}

/// What libopus says about an error.
func opusError(_ code: CInt) -> String {
    // SAFETY: libopus' messages are constants.
    unsafe opus_strerror(code).map { unsafe String(cString: $0) } ?? "it does not say why"
}
