import AudioFiles
import Foundation
import TestSupport
import Testing

@testable import AudioStreaming

@Suite("The packets of a codec") struct PacketCodecTests {
    static let lossless: [(Codec, bits: Int)] = [
        (.flac, 24), (.flac, 16), (.pcm16, 16), (.pcm24, 24), (.float, 25),
    ]

    @Test(arguments: lossless, [1, 2, 5])
    func `give back what went in, to the bit`(codec: (Codec, bits: Int), channels: Int) throws {
        var settings = CodecSettings(codec.0)
        if codec.0 == .flac { settings.bits = codec.bits }
        let sound = steppedNoise(frames: 20_011, channels: channels, bits: codec.bits)
        let (opening, header, made) = try packets(of: sound, settings, channels: channels)
        #expect(try decoded(opening, header, made) == sound)
        #expect(made.dropLast().allSatisfy { Int($0.frames) == opening.packetFrames })
    }

    @Test(arguments: Codec.all)
    func `are numbered without a hole, and each says where and when it is`(codec: Codec) throws {
        let sound = sine(440, frames: 30_007, channels: 2, sampleRate: 48000)
        let (opening, header, made) = try packets(of: sound, CodecSettings(codec), channels: 2)
        #expect(made.map(\.sequence) == (0..<UInt32(made.count)).map { $0 })
        #expect(opening.firstFrame == UInt64(1000) && made.first?.firstFrame == UInt64(1000))
        #expect(zip(made, made.dropFirst()).allSatisfy { $0.endFrame == $1.firstFrame })
        #expect(made.last?.endFrame == UInt64(31_007))
        for packet in made {
            let due = 1_000_000_000 + Int64(Double(packet.firstFrame - 1000) * 1e9 / 48000)
            #expect(abs(packet.wallNanoseconds - due) <= 2)
        }
        #expect(made.map { $0.flags.contains(.start) } == [true] + Array(repeating: false, count: made.count - 1))
        #expect((header == nil) == [.pcm16, .pcm24, .float, .mp3].contains(codec))
    }

    @Test func `of MP3 are made of what is far beyond full scale or no number too`() throws {
        var sound = sine(440, frames: 30_007, channels: 2, sampleRate: 48000)
        for index in 20_000..<20_200 { sound[index] = index.isMultiple(of: 7) ? .nan : 1e8 }
        let (opening, _, made) = try packets(of: sound, CodecSettings(.mp3), channels: 2)
        #expect(made.last?.endFrame == UInt64(31_007) && opening.codec == .mp3)
    }

    @Test(arguments: OpusCase.all)
    func `of Opus sound like what went in, at the same frames`(opus: OpusCase) throws {
        var settings = CodecSettings(.opus)
        settings.frameMilliseconds = opus.milliseconds
        settings.bitRate = 96_000 * opus.channels
        settings.sampleRate = opus.rate
        let sound = sine(440, frames: opus.rate, channels: opus.channels, sampleRate: opus.rate)
        let (opening, header, made) = try packets(
            of: sound, settings, channels: opus.channels, sampleRate: opus.rate)
        let heard = try decoded(opening, header, made)
        #expect(heard.count == sound.count)
        // Without what the encoder needs to find in. One frame off would be -24.8 dB at 48 kHz, and more at the others.
        let start = opus.rate / 5 * opus.channels
        let error = errorDecibels(heard[start...].dropLast(start), sound[start...].dropLast(start))
        #expect(error < -28, "\(error) dB")
    }

    /// A player knows nothing of a gap: for it the packets behind come in the same stream.
    @Test func `of Opus are no louder behind a gap for a decoder that is told of none`() throws {
        var peaks: [Float] = []
        for tone in stride(from: 100.0, through: 4000, by: 150) {
            let sound = sine(tone, frames: 24_077, channels: 2, sampleRate: 48000).map { $0 / 4 }
            var encoder = try StreamEncoder(CodecSettings(.opus), sampleRate: 48000, channels: 2)
            var made = try encoder.encode(sound, sampleRate: 48000, wallNanoseconds: 0)
            made += try encoder.gap(nanoseconds: 5_000_000, cause: "dropped", wallNanoseconds: 0)
            made += try encoder.encode(sound, sampleRate: 48000, wallNanoseconds: 0)
            var decoder = try StreamDecoder(encoder.opening(at: made[0]))
            if let header = encoder.header(before: made[0]) { _ = try decoder.decode(header) }
            var heard: [Float] = []
            for var packet in made {
                if packet.sequence > 0 { packet.flags.remove(.start) }
                heard += floats(try decoder.decode(packet))
            }
            peaks.append(try #require(heard.map(abs).max()))
        }
        #expect(peaks.allSatisfy { $0 < 0.35 }, "\(peaks)")
    }

    @Test func `begin at any frame of a thousand years, and no number ends the program`() throws {
        for first: UInt64 in [1 << 53 + 1, .max] {
            let error = #expect(throws: StreamError.self) {
                _ = try StreamEncoder(CodecSettings(.pcm16), sampleRate: 44_100, channels: 1, firstFrame: first)
            }
            #expect(error?.kind == .unsupported)
        }
        var settings = CodecSettings(.pcm16)
        settings.sampleRate = 192_000
        var encoder = try StreamEncoder(settings, sampleRate: 1000, channels: 1, firstFrame: 1 << 53)
        let packets = try encoder.gap(nanoseconds: .max, cause: "test", wallNanoseconds: .max).count
        #expect(packets > 1)
        #expect(try encoder.gap(nanoseconds: 1, cause: "test", wallNanoseconds: .min).isEmpty)
    }

    @Test func `are as long as the help of their codec says, unless it is asked otherwise`() throws {
        for codec in Codec.all {
            guard let lengths = codec.packetLengths else { continue }
            let encoder = try CodecSettings(codec).makeEncoder(inputRate: 48000, channels: 2)
            #expect(encoder.frames / 48 == Int(lengths.usual), "\(codec)")
            var settings = CodecSettings(codec)
            settings.frameMilliseconds = 20
            #expect(try settings.makeEncoder(inputRate: 48000, channels: 2).frames == 960, "\(codec)")
        }
    }

    /// Each length, each rate, and numbers of channels of each way to arrange them.
    struct OpusCase: CustomTestStringConvertible {
        var milliseconds: Double
        var rate = 48000
        var channels = 2
        var testDescription: String { "\(milliseconds) ms, \(rate) Hz, \(channels) channels" }

        static let all =
            [2.5, 5, 10, 20, 40, 60].map { OpusCase(milliseconds: $0) }
            + [24000, 16000, 12000, 8000].map { OpusCase(milliseconds: 20, rate: $0) }
            + [1, 3, 6, 8, 12].map { OpusCase(milliseconds: 10, channels: $0) }
    }

    @Test func `of Opus at a rate that it lacks are converted, and keep their time`() throws {
        let sound = sine(440, frames: 44_100, channels: 1, sampleRate: 44_100)
        let (opening, header, made) = try packets(of: sound, CodecSettings(.opus), channels: 1, sampleRate: 44_100)
        let heard = try decoded(opening, header, made)
        let due = sine(440, frames: 48_000, channels: 1, sampleRate: 48_000)
        #expect(opening.rate == 48000 && heard.count == due.count)
        let error = errorDecibels(heard[9600..<38_400], due[9600..<38_400])
        #expect(error < -28, "\(error) dB")
    }

    /// A second of 44.1 kHz is 38.28 frames of 1152; without a bit rate the encoder takes 128 kbit/s.
    @Test(arguments: [(44_100, nil), (48_000, 192_000), (22_050, 56_000), (96_000, 320_000)] as [(Int, Int?)])
    func `of MP3 are a stream at the bit rate that was asked for, which is heard at its pitch`(rate: Int, bits: Int?)
        throws
    {
        let folder = try TemporaryFolder()
        var settings = CodecSettings(.mp3)
        settings.bitRate = bits
        let sound = sine(1000, frames: 4 * rate, channels: 2, sampleRate: rate)
        let (opening, _, made) = try packets(of: sound, settings, channels: 2, sampleRate: rate)
        let streamRate = min(rate, 48_000)
        #expect(opening.rate == streamRate && made.last?.endFrame == made[0].firstFrame + UInt64(4 * streamRate))
        let payloads = made.flatMap(\.payload)
        // And the delay of the encoder.
        let seconds = 4 + Double(3 * 1152) / Double(streamRate)
        let most = Double(bits ?? 128_000) / 8 * seconds
        #expect(Double(payloads.count) <= most && Double(payloads.count) > most * 0.95, "\(payloads.count) of \(most)")
        try Data(payloads).write(to: URL(fileURLWithPath: folder("a.mp3")))
        let raw = try Program.output(
            of: "/usr/bin/ffmpeg", ["-v", "error", "-i", folder("a.mp3"), "-f", "s32le", "-c:a", "pcm_s32le", "-"])
        let heard = try #require(raw).withUnsafeBytes {
            $0.bindMemory(to: Int32.self).map { Double($0) / 2_147_483_648 }
        }
        let left = stride(from: 0, to: heard.count, by: 2).map { heard[$0] }
        let loud = Array(left[streamRate..<(3 * streamRate)])
        let crossings = zip(loud, loud.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect(abs(crossings - 2000) <= 1 && abs((loud.max() ?? 0) - 0.5) < 0.05)
        #expect(left.count >= 4 * streamRate && left.count < 4 * streamRate + 3 * 1152, "\(left.count)")
    }

    @Test func `of Opus make up for a lost one with forward error correction, and better than without`() throws {
        // Speech: only of that does libopus say twice.
        let folder = try TemporaryFolder()
        let text = "The quick brown fox jumps over the lazy dog, and packets are lost on their way."
        let said = try Program("/usr/bin/espeak-ng", ["-w", folder("speech.wav"), text])
        try #require(said.wait(seconds: 60) == 0)
        let reader = try SoundFileReader(path: folder("speech.wav"))
        var buffer = PCMBuffer(StreamFormat(sampleRate: reader.sampleRate, channels: 1), capacityFrames: 200_000)
        _ = try reader.read(into: &buffer)
        let sound = buffer.samples(of: Float.self)

        /// The error of what was lost, but for the frames whose time has come before the next packet.
        func error(_ corrects: Bool, early: Int = 0) throws -> Double {
            var settings = CodecSettings(.opus)
            settings.hasForwardErrorCorrection = true
            settings.bitRate = 32_000
            settings.sampleRate = 16_000
            let (opening, header, made) = try packets(
                of: sound, settings, channels: 1, sampleRate: reader.sampleRate)
            let whole = try decoded(opening, header, made)
            var decoder = try StreamDecoder(opening)
            if let header { _ = try decoder.decode(header) }
            var (heard, due): ([Float], [Float]) = ([], [])
            for (index, packet) in made.enumerated() {
                guard index % 5 == 3, index + 1 < made.count else {
                    _ = try decoder.decode(packet)
                    continue
                }
                let frames = Int(packet.frames)
                if early > 0 { #expect(try decoder.conceal(frames: early, before: nil)?.frames == early) }
                let concealed = try decoder.conceal(
                    frames: frames - early, before: corrects ? made[index + 1] : nil)
                heard += floats(try #require(concealed))
                let start = Int(packet.firstFrame - made[0].firstFrame)
                due += whole[(start + early)..<(start + frames)]
                #expect(heard.count == due.count)
            }
            return errorDecibels(heard, due)
        }
        let (without, with) = (try error(false), try error(true))
        #expect(with < without - 2, "\(with) dB with it, \(without) dB without")
        // A hole whose first part was made up for already: the copy has its rest.
        let (restWithout, restWith) = (try error(false, early: 85), try error(true, early: 85))
        #expect(restWith < restWithout - 2, "\(restWith) dB with it, \(restWithout) dB without")
    }

    @Test func `of Opus that did not come are made up for up to 120 ms, however many they are said to be`() throws {
        let sound = sine(440, frames: 48_000, channels: 2, sampleRate: 48000)
        let (opening, _, made) = try packets(of: sound, CodecSettings(.opus), channels: 2)
        var decoder = try StreamDecoder(opening)
        _ = try decoder.decode(made[0])
        for frames in [0, -1, Int.min] { #expect(try decoder.conceal(frames: frames, before: nil) == nil) }
        #expect(try decoder.conceal(frames: .max, before: nil)?.frames == 5760)
    }

    @Test func `of Opus that did not come before a gap are made up for as before a packet that did not come either`()
        throws
    {
        let sound = sine(440, frames: 48_000, channels: 1, sampleRate: 48000)
        let (opening, _, made) = try packets(of: sound, CodecSettings(.opus), channels: 1)
        let gap = StreamPacket(
            flags: .gap, sequence: 11, firstFrame: made[11].firstFrame, frames: 48_000, wallNanoseconds: 0, payload: [])
        func heard(before next: StreamPacket?) throws -> [Float] {
            var decoder = try StreamDecoder(opening)
            for packet in made.prefix(10) { _ = try decoder.decode(packet) }
            return floats(try #require(try decoder.conceal(frames: 960, before: next)))
        }
        #expect(try heard(before: gap) == heard(before: nil))
    }

    @Test(arguments: [Codec.flac, .pcm24, .float])
    func `after a gap begin with nothing of before, and their frames go on behind it`(codec: Codec) throws {
        var encoder = try StreamEncoder(CodecSettings(codec), sampleRate: 48000, channels: 2)
        let first = steppedNoise(frames: 5003, channels: 2, bits: 24, seed: 1)
        let second = steppedNoise(frames: 6001, channels: 2, bits: 24, seed: 2)
        var made = try encoder.encode(first, sampleRate: 48000, wallNanoseconds: 0)
        made += try encoder.gap(nanoseconds: 250_000_000, cause: "reset", wallNanoseconds: 104_229_167)
        made += try encoder.encode(second, sampleRate: 48000, wallNanoseconds: 354_229_167)
        made += try encoder.finish()
        let gaps = made.filter { $0.flags.contains(.gap) }
        #expect(gaps.count == 1 && gaps.first?.frames == 12_000 && gaps.first?.firstFrame == UInt64(5003))
        #expect(gaps.first.map { String(decoding: $0.payload, as: UTF8.self) } == "reset")
        #expect(
            zip(made, made.dropFirst()).allSatisfy { $0.endFrame == $1.firstFrame && $0.sequence + 1 == $1.sequence })
        #expect(made.last?.endFrame == UInt64(5003 + 12_000 + 6001))
        #expect(try decoded(encoder.opening(at: made[0]), encoder.header(before: made[0]), made) == first + second)
    }

    @Test func `go on through a change of the rate that comes in`() throws {
        var encoder = try StreamEncoder(CodecSettings(.float), sampleRate: 48000, channels: 1)
        var made = try encoder.encode(
            sine(440, frames: 48000, channels: 1, sampleRate: 48000), sampleRate: 48000, wallNanoseconds: 0)
        made += try encoder.encode(
            sine(440, frames: 44100, channels: 1, sampleRate: 44100), sampleRate: 44100, wallNanoseconds: 1_000_000_000)
        made += try encoder.finish()
        let heard = try decoded(encoder.opening(at: made[0]), nil, made)
        #expect(encoder.sampleRate == 48000 && made.last?.endFrame == UInt64(96_000))
        let error = errorDecibels(
            heard[50_000..<90_000], sine(440, frames: 40_000, channels: 1, sampleRate: 48000, from: 2000))
        #expect(error < -80, "\(error) dB")
    }

    @Test(arguments: [
        (Codec.opus, "sampleRate", 44_100), (.opus, "frame", 15), (.opus, "channels", 0), (.opus, "bitRate", 100),
        (.opus, "fec", 5), (.flac, "channels", 9), (.flac, "bits", 20), (.flac, "frame", 500),
        (.flac, "bitRate", 64_000),
        (.mp3, "sampleRate", 96_000), (.mp3, "channels", 3), (.mp3, "bitRate", 100_000), (.mp3, "frame", 20),
        (.mp3, "fec", 20),
        (.pcm16, "bits", 16), (.pcm16, "channels", 256), (.float, "frame", 2000), (.float, "sampleRate", 1),
    ])
    func `that no codec has are refused in a sentence`(codec: Codec, field: String, value: Int) {
        var settings = CodecSettings(codec)
        var channels = 2
        switch field {
        case "sampleRate": settings.sampleRate = value
        case "frame": settings.frameMilliseconds = Double(value)
        case "channels": channels = value
        case "bitRate": settings.bitRate = value
        case "bits": settings.bits = value
        default: (settings.hasForwardErrorCorrection, settings.frameMilliseconds) = (true, Double(value))
        }
        let error = #expect(throws: StreamError.self) {
            _ = try StreamEncoder(settings, sampleRate: 48000, channels: channels)
        }
        #expect(error?.kind == .unsupported)
        #expect(error?.description.hasPrefix("cannot encode \(codec.name): ") == true)
    }
}
