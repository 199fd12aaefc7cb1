import AudioFiles
import CLAME
import CShout

extension Codec {
    /// Lossy (MPEG-1 and -2, layer III), for Icecast, TCP, pipes and files: 8 to 48 kHz, up to 2 channels.
    public static let mp3 = Codec(
        name: "mp3", isLossless: false, title: "MP3", choices: .bitRate, packetLengths: nil, usualBitRate: "128k",
        sampleRates: [48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000], channels: 1...2,
        encoder: MP3PacketEncoder.self, decoder: nil,
        file: FileForm(
            format: { _ in SoundFileFormat(.mp3, .mp3) }, packets: { _ in .float }, extensions: ["mp3"]
        ) { (settings, format) throws(StreamError) in try settings.soundFileEncoder(sampleRate: format.sampleRate) },
        icecast: IcecastForm(mediaType: "audio/mpeg", shoutFormat: SHOUT_FORMAT_MP3, extensions: ["mp3"]),
        container: .mp3)
}

extension StreamContainer {
    /// MPEG audio, layers I to III.
    public static let mp3 = StreamContainer(
        name: "mp3", isDecoded: true, findStart: MPEGHeader.findStart
    ) { (operation) throws(StreamError) in try MP3Demuxer(operation: operation) }
}

/// MP3 by LAME, at a constant bit rate: the payloads one behind the other are the stream.
///
/// A payload is what the encoder has made by the time that it took so many frames. A frame of the format may begin in one and
/// end in the next, and needs bits of those before: a receiver that comes later finds its place by itself, as MP3 has it.
@safe final class MP3PacketEncoder: PacketEncoder {
    let format: StreamFormat
    /// As many as a frame of MPEG-1 has.
    let frames = 1152
    private let bitRate: Int?
    /// Of the present start.
    private var encoder: OpaquePointer?
    private var gathered: [Float] = []

    init(_ settings: CodecSettings, inputRate: Int, sampleRate: Int, channels: Int) throws(StreamError) {
        guard settings.frameMilliseconds == nil else {
            throw settings.refused("its packets have 1152 frames, and there is no choice")
        }
        _ = try settings.mp3BitRates(sampleRate: sampleRate)
        format = StreamFormat(sampleRate: sampleRate, channels: channels)
        bitRate = settings.bitRate
    }

    deinit { close() }

    private func close() {
        if let encoder = unsafe encoder { unsafe lame_close(encoder) }
        unsafe encoder = nil
    }

    private func open() throws(StreamError) {
        guard let encoder = unsafe lame_init() else {
            throw StreamError(.codec, "encode mp3", "there is no memory for it")
        }
        unsafe self.encoder = encoder
        var results = unsafe [
            lame_set_in_samplerate(encoder, CInt(format.sampleRate)),
            // LAME would take a lower one at a low bit rate.
            lame_set_out_samplerate(encoder, CInt(format.sampleRate)),
            lame_set_num_channels(encoder, CInt(format.channels)),
            // Of a file that ends it says how long it is.
            lame_set_bWriteVbrTag(encoder, 0),
        ]
        if let bitRate { unsafe results.append(lame_set_brate(encoder, CInt(bitRate / 1000))) }
        unsafe results.append(lame_init_params(encoder))
        guard results.allSatisfy({ $0 >= 0 }) else {
            close()
            throw StreamError(.codec, "encode mp3", "LAME refuses it")
        }
    }

    func encode(_ buffer: PCMBuffer) throws(StreamError) -> [EncodedPayload] {
        gathered += buffer.samples(of: Float.self).map(MP3Limit.limited)
        return try gathered.takePieces(of: frames * format.channels).map(encode)
    }

    private func encode(_ samples: ArraySlice<Float>) throws(StreamError) -> EncodedPayload {
        let isStart = unsafe encoder == nil
        if isStart { try open() }
        let encoder = unsafe encoder
        let count = samples.count / format.channels
        let bytes = try unsafe written { room, size in
            // SAFETY: so many frames, interleaved, and room for as many bytes as it says; of one channel LAME reads the left alone.
            unsafe samples.withUnsafeBufferPointer { samples in
                unsafe format.channels == 2
                    ? lame_encode_buffer_interleaved_ieee_float(encoder, samples.baseAddress, CInt(count), room, size)
                    : lame_encode_buffer_ieee_float(encoder, samples.baseAddress, nil, CInt(count), room, size)
            }
        }
        return EncodedPayload(bytes: bytes, frames: count, isStart: isStart)
    }

    func finish() throws(StreamError) -> [EncodedPayload] {
        guard unsafe !gathered.isEmpty || encoder != nil else { return [] }
        defer { close() }
        let samples = gathered
        gathered = []
        var payload = try encode(samples[...])
        let encoder = unsafe encoder
        payload.bytes += try unsafe written { room, size in unsafe lame_encode_flush(encoder, room, size) }
        return [payload]
    }

    /// What LAME writes in a call; it wants a quarter more than the frames, and 7200 bytes.
    private func written(
        _ body: (UnsafeMutablePointer<UInt8>, CInt) -> CInt
    ) throws(StreamError) -> [UInt8] {
        var count: CInt = 0
        let room = 2 * frames + 7200
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
            count = unsafe body(buffer.baseAddress.unsafelyUnwrapped, CInt(room))
            filled = Int(max(0, count))
        }
        guard count >= 0 else { throw StreamError(.codec, "encode mp3", "LAME stopped (\(count))") }
        return bytes
    }
}

extension CodecSettings {
    /// The bit rates that MP3 has, in kilobits per second.
    ///
    /// - Throws: `unsupported`, naming them, where another one is asked for.
    fileprivate func mp3BitRates(sampleRate: Int) throws(StreamError) -> [Int] {
        let rates =
            switch sampleRate {
            case 32000...: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
            case 16000...: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
            default: [8, 16, 24, 32, 40, 48, 56, 64]
            }
        guard bitRate.map({ $0.isMultiple(of: 1000) && rates.contains($0 / 1000) }) ?? true else {
            throw refused(
                "at \(sampleRate) hertz it has no \(bitRate ?? 0) bits per second; choose "
                    + rates.map { "\($0)k" }.joined(separator: ", "))
        }
        return rates
    }

    /// The settings of the encoder of a sound file.
    ///
    /// libsndfile has a quality of 0 to 1 in the place of MP3's bit rate, from the smallest rate to the largest.
    ///
    /// - Throws: `unsupported`, naming the bit rates that MP3 has.
    fileprivate func soundFileEncoder(sampleRate: Int) throws(StreamError) -> EncoderSettings {
        let rates = try mp3BitRates(sampleRate: sampleRate)
        guard let bitRate else { return EncoderSettings() }
        let (least, most) = (Double(rates[0]), Double(rates[rates.count - 1]))
        // It takes the whole kilobits of what it computes; half of one keeps that where it was meant to be.
        return EncoderSettings(quality: min(1, (Double(bitRate / 1000) + 0.5 - least) / (most - least)))
    }
}
