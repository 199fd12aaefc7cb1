import AudioFiles
import CShout
import Glibc

extension Codec {
    /// Lossy (MPEG-1 and -2, layer III), for Icecast, TCP, pipes and files: 8 to 48 kHz, up to 2 channels.
    public static let mp3 = Codec(
        name: "mp3", isLossless: false, title: "MP3", choices: .bitRate,
        sampleRates: [48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000], channels: 1...2,
        encoder: MP3PacketEncoder.self, decoder: nil,
        file: FileForm(
            format: { _ in SoundFileFormat(.mp3, .mp3) }, packets: { _ in .float }, extensions: ["mp3"]
        ) { (settings, rate) throws(StreamError) in try settings.soundFileEncoder(sampleRate: rate) },
        icecast: IcecastForm(mediaType: "audio/mpeg", shoutFormat: SHOUT_FORMAT_MP3, extensions: ["mp3"]),
        container: .mp3)
}

extension StreamContainer {
    /// MPEG audio, layers I to III.
    public static let mp3 = StreamContainer(
        "mp3", isDecoded: true, findStart: MPEGHeader.findStart
    ) { (operation) throws(StreamError) in try MP3Demuxer(operation: operation) }
}

/// MP3 by libsndfile, as files of it are written: the payloads one behind the other are the stream.
///
/// A payload is what the encoder has made by the time that it took so many frames. A frame of the format may begin in one and
/// end in the next, and needs bits of those before: a receiver that comes later finds its place by itself, as MP3 has it.
final class MP3PacketEncoder: PacketEncoder {
    let format: StreamFormat
    /// As many as a frame of MPEG-1 has.
    let frames = 1152
    private let encoder: EncoderSettings
    private var output: Output?
    private var gathered: [Float] = []

    init(_ settings: CodecSettings, inputRate: Int, sampleRate: Int, channels: Int) throws(StreamError) {
        guard settings.frameMilliseconds == nil else {
            throw settings.refused("its packets have 1152 frames, and there is no choice")
        }
        format = StreamFormat(sampleRate: sampleRate, channels: channels)
        encoder = try settings.soundFileEncoder(sampleRate: sampleRate)
    }

    func encode(_ buffer: PCMBuffer) throws(StreamError) -> [EncodedPayload] {
        gathered += buffer.samples(of: Float.self)
        var made: [EncodedPayload] = []
        var start = 0
        while gathered.count - start >= frames * format.channels {
            made.append(try encode(Array(gathered[start..<(start + frames * format.channels)])))
            start += frames * format.channels
        }
        gathered.removeFirst(start)
        return made
    }

    private func encode(_ samples: [Float]) throws(StreamError) -> EncodedPayload {
        let isStart = output == nil
        let output: Output
        if let running = self.output {
            output = running
        } else {
            output = try Output(format, encoder)
        }
        self.output = output
        return EncodedPayload(
            bytes: try output.encode(samples), frames: samples.count / format.channels, isStart: isStart)
    }

    func finish() throws(StreamError) -> [EncodedPayload] {
        guard !gathered.isEmpty || output != nil else { return [] }
        let samples = gathered
        gathered = []
        var payload = try encode(samples)
        payload.bytes += try output?.finish() ?? []
        output = nil
        return [payload]
    }

    /// An encoder, and a connection of our own that it writes into. What it makes of one payload is far less than that holds.
    private final class Output {
        private let writer: SoundFileWriter
        private let descriptor: CInt
        private var failure: StreamError { StreamError(.codec, "encode mp3", "libsndfile stopped") }

        init(_ format: StreamFormat, _ encoder: EncoderSettings) throws(StreamError) {
            var ends: [CInt] = [-1, -1]
            let kind = [SOCK_STREAM, SOCK_CLOEXEC, SOCK_NONBLOCK].reduce(CInt(0)) { $0 | CInt($1.rawValue) }
            guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
                throw StreamError(.resources, "encode mp3", "this process has too many open files")
            }
            defer { close(ends[1]) }
            do throws(SoundFileError) {
                writer = try SoundFileWriter(
                    descriptor: ends[1], name: "mp3", format: SoundFileFormat(.mp3, .mp3),
                    sampleRate: format.sampleRate, channels: format.channels, encoder: encoder, operation: "encode")
                descriptor = ends[0]
            } catch {
                close(ends[0])
                throw StreamError(.codec, "encode mp3", error.reason)
            }
        }

        deinit { close(descriptor) }

        func encode(_ samples: [Float]) throws(StreamError) -> [UInt8] {
            do throws(SoundFileError) {
                try writer.write(samples)
            } catch {
                throw StreamError(.codec, "encode mp3", error.reason)
            }
            return taken()
        }

        func finish() throws(StreamError) -> [UInt8] {
            do throws(SoundFileError) {
                try writer.close()
            } catch {
                throw StreamError(.codec, "encode mp3", error.reason)
            }
            return taken()
        }

        private func taken() -> [UInt8] {
            var bytes: [UInt8] = []
            var room = [UInt8](repeating: 0, count: 8192)
            while true {
                // SAFETY: the buffer has the size that is passed.
                let count = unsafe room.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { return bytes }
                bytes += room.prefix(count)
            }
        }
    }
}

extension CodecSettings {
    /// The settings of the encoder of a sound file.
    ///
    /// libsndfile has a quality of 0 to 1 in the place of MP3's bit rate, from the smallest rate to the largest.
    ///
    /// - Throws: `unsupported`, naming the bit rates that MP3 has.
    func soundFileEncoder(sampleRate: Int) throws(StreamError) -> EncoderSettings {
        guard let bitRate else { return EncoderSettings() }
        let rates =
            switch sampleRate {
            case 32000...: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
            case 16000...: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
            default: [8, 16, 24, 32, 40, 48, 56, 64]
            }
        guard bitRate.isMultiple(of: 1000), rates.contains(bitRate / 1000) else {
            throw refused(
                "at \(sampleRate) hertz it has no \(bitRate) bits per second; choose \(rates.map { "\($0)k" }.joined(separator: ", "))"
            )
        }
        let (least, most) = (Double(rates[0]), Double(rates[rates.count - 1]))
        // It takes the whole kilobits of what it computes; half of one keeps that where it was meant to be.
        return EncoderSettings(quality: min(1, (Double(bitRate / 1000) + 0.5 - least) / (most - least)))
    }
}
