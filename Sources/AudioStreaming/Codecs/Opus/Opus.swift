import AudioFiles
import CShout

extension Codec {
    /// Lossy, with short delay (RFC 6716): 8, 12, 16, 24 or 48 kHz, up to 255 channels.
    public static let opus = Codec(
        name: "opus", isLossless: false, title: "Opus", choices: [.bitRate, .forwardErrorCorrection, .shortPackets],
        packetLengths: PacketLengths(choices: OpusPacketEncoder.lengthsInWords, usual: 20),
        usualBitRate: "libopus chooses", sampleRates: [48000, 24000, 16000, 12000, 8000], channels: 1...255,
        encoder: OpusPacketEncoder.self, decoder: OpusPacketDecoder.self,
        file: FileForm(
            format: { _ in SoundFileFormat(.ogg, .opus) }, packets: { _ in .float }, extensions: ["opus", "ogg", "oga"]
        ) { (settings, format) throws(StreamError) in try settings.opusFileEncoder(channels: format.channels) },
        icecast: IcecastForm(mediaType: "application/ogg", shoutFormat: SHOUT_FORMAT_OGG, extensions: []),
        ogg: .opus, rtp: .opus,
        page: PageForm(fileExtension: "opus", mediaType: "audio/ogg; codecs=opus", sampleRate: 48000) {
            OggMuxer($0, $1, .opus)
        })
}

extension CodecSettings {
    /// The settings of the encoder of a sound file: libsndfile has a quality of 0 to 1, for 6000 to 256000 bit/s in each channel.
    ///
    /// - Throws: `unsupported`, naming the bit rates that it has.
    fileprivate func opusFileEncoder(channels: Int) throws(StreamError) -> EncoderSettings {
        guard let bitRate else { return EncoderSettings() }
        let (least, most) = (6000 * channels, 256_000 * channels)
        guard (least...most).contains(bitRate) else {
            throw refused(
                "\(bitRate) bit/s are out of range; in the form of a file \(channels) channels take \(least) to \(most)"
            )
        }
        return EncoderSettings(quality: Double(bitRate - least) / Double(most - least))
    }
}

extension OggMapping {
    /// RFC 7845. A packet lasts as long as all, though a decoder drops some of the first.
    static let opus = OggMapping(
        headers: { [$0, Array("OpusTags".utf8) + $1] },
        frames: { opening, _ in Int64(opening.packetFrames) * 48000 / Int64(opening.rate) },
        silence: { opening, payload in
            OpusFrames.lost(payload).map { part in
                // Of more channels than two each is a stream of its own, and all but the last tell their length (RFC 6716, appendix B).
                let others = opening.channels > 2 ? opening.channels - 1 : 0
                return Array(repeating: part + [0], count: others).flatMap(\.self) + part
            }
        },
        makeTrack: { OpusHead($0).map(OggOpusTrack.init) })
}

extension RTPForm {
    /// RFC 7587: `rtpmap` says 48000 and 2 whatever the stream has (sections 4.1 and 7).
    fileprivate static let opus = RTPForm(
        name: "opus", clockRate: 48000, describedChannels: 2,
        parameters: { "sprop-stereo=\($0.channels - 1)\($1 ? ";useinbandfec=1" : "")" },
        mostChannels: 2, rates: 48000...48000, channels: 1...2,
        frames: { bytes in
            // One frame has no more bytes (RFC 6716, section 3.2.1), and one of speech, as which silence of L16 looks, not nearly as many.
            if let first = bytes.first, first & 3 == 0, bytes.count > (first >> 3 < 12 ? 700 : 1276) { return nil }
            return OpusFrames.count(bytes)
        })
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

    /// The beginning of a packet with as many frames, which alone is one of which nothing came; `nil` where it is none.
    static func lost(_ bytes: [UInt8]) -> [UInt8]? {
        guard count(bytes) != nil, let first = bytes.first else { return nil }
        return switch first & 3 {
        case 0: [first]
        case 3: [first, bytes[1] & 0x3f]
        // Of two frames that are equally long.
        default: [first & 0xfc | 1]
        }
    }
}
