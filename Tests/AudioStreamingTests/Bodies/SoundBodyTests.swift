import AudioFiles
import Foundation
import TestSupport
import Testing

@testable import AudioStreaming

/// What comes out of streams that other programs made, cut anywhere.
@Suite("A stream in the form of a file") struct SoundBodyTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Decodes a stream that comes in pieces of any length.
    private func heard(_ bytes: [UInt8], longest: Int = 5000) throws -> (sound: Heard, body: SoundBody) {
        let body = SoundBody(operation: "receive it")
        var generator = SeededGenerator(seed: 5)
        var pieces: [SoundPiece] = []
        var start = 0
        for length in generator.split(bytes.count, longest: longest) {
            pieces += try body.take(Array(bytes[start..<(start + length)]))
            start += length
        }
        pieces += try body.finish()
        return (try Heard(pieces), body)
    }

    private func file(_ sound: [Float], _ words: String..., name: String, channels: Int = 2) throws -> [UInt8] {
        let raw = sound.map { Int32(Double($0) * 2_147_483_648) }
        try raw.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: folder("raw"))) }
        let input = ["-y", "-v", "error", "-f", "s32le", "-ar", "48000", "-ac", "\(channels)", "-i", folder("raw")]
        _ = try #require(try Program.output(of: "/usr/bin/ffmpeg", input + words + [folder(name)]))
        return try Array(Data(contentsOf: URL(fileURLWithPath: folder(name))))
    }

    @Test(arguments: [("s16", 16), ("s32", 24)]) func `of FLAC is heard to the bit, by itself and in Ogg`(
        format: String, bits: Int
    ) throws {
        let sound = steppedNoise(frames: 30_001, channels: 2, bits: bits)
        let flac = try file(sound, "-sample_fmt", format, name: "a.flac")
        let native = try heard(flac)
        #expect(native.sound.samples == sound && native.body.container == .flac && native.body.isFinite)
        let ogg = try heard(try file(sound, "-sample_fmt", format, "-c:a", "flac", name: "a.oga"))
        #expect(ogg.sound.samples == sound && ogg.body.container == .ogg && !ogg.body.isFinite)
        // The last frame does not wait for another one: its end is found without one.
        let body = SoundBody(operation: "receive it")
        #expect(try Heard(body.take(flac)).samples == sound)
    }

    @Test func `of FLAC with few bits or many has its full scale where that of others is`() throws {
        for bits in [8, 32] {
            let sound = steppedNoise(frames: 5000, channels: 1, bits: min(bits, 24))
            let path = folder("few.flac")
            let bytes: [UInt8] = sound.flatMap { sample in
                let value = Int32(Double(sample) * Double(1 << (bits - 1)))
                return (0..<(bits + 7) / 8).map { UInt8(truncatingIfNeeded: value >> Int32(8 * $0)) }
            }
            try Data(bytes).write(to: URL(fileURLWithPath: folder("few.raw")))
            let words = [
                "-s", "-f", "--force-raw-format", "--endian=little", "--sign=signed", "--channels=1", "--bps=\(bits)",
                "--sample-rate=44100", "--lax", "-o", path, folder("few.raw"),
            ]
            guard try Program.output(of: "/usr/bin/flac", words) != nil else {
                // Not every version makes all of them.
                #expect(bits > 24)
                continue
            }
            let heard = try heard(Array(Data(contentsOf: URL(fileURLWithPath: path)))).sound
            #expect(heard.samples == sound && heard.openings.first?.rate == 44100, "\(bits) bits")
        }
    }

    @Test(arguments: ["pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le"])
    func `of WAV is heard to the bit, whether or not its length is known`(codec: String) throws {
        let sound = steppedNoise(
            frames: 10_007, channels: 3, bits: codec == "pcm_u8" ? 8 : codec == "pcm_s16le" ? 16 : 24)
        var bytes = try file(sound, "-c:a", codec, name: "a.wav", channels: 3)
        let known = try heard(bytes + Array("LIST....".utf8))
        #expect(known.sound.samples == sound && known.body.isFinite && known.body.container == .wav)
        // What the header promised and did not come.
        let cut = try heard(Array(bytes.prefix(bytes.count / 2))).sound
        #expect(cut.samples == Array(sound.prefix(cut.samples.count)))
        // They count, and nothing is behind them that they would keep in its place.
        #expect(cut.missing.count > 1 && cut.missing.allSatisfy { $0 == 0 })
        let place = try #require(bytes.firstRange(of: Array("data".utf8))).upperBound
        bytes.replaceSubrange(place..<(place + 4), with: [0xff, 0xff, 0xff, 0xff])
        let endless = try heard(bytes)
        #expect(endless.sound.samples == sound && !endless.body.isFinite)
    }

    @Test(
        arguments: [
            (3_000_000_000, true), (0x7ffe_0000, true), (0, false), (0x7fff_f000, false), (0x8000_0000, false),
            (0xffff_ff00, false),
        ] as [(UInt32, Bool)])
    func `of WAV may have a length of some GiB, but not what stands for one that is unknown`(
        size: UInt32, isFinite: Bool
    ) throws {
        let sound = steppedNoise(frames: 1000, channels: 2, bits: 16)
        var bytes = try file(sound, "-c:a", "pcm_s16le", name: "a.wav")
        let place = try #require(bytes.firstRange(of: Array("data".utf8))).upperBound
        bytes.replaceSubrange(place..<(place + 4), with: (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) })
        let (heard, body) = try heard(bytes)
        #expect(body.isFinite == isFinite && heard.missing.isEmpty != isFinite && heard.samples == sound)
    }

    @Test func `of RF64 has the length that stands elsewhere`() throws {
        let sound = steppedNoise(frames: 5000, channels: 2, bits: 16)
        let heard = try heard(try file(sound, "-c:a", "pcm_s16le", "-rf64", "always", name: "a.wav"))
        #expect(heard.sound.samples == sound && heard.body.isFinite)
    }

    @Test func `of Opus has the length, the delay and the level of another decoder`() throws {
        let sound = sine(440, frames: 50_123, channels: 2, sampleRate: 48000)
        let bytes = try file(sound, "-c:a", "libopus", "-b:a", "128k", name: "a.opus")
        let (heard, _) = try heard(bytes)
        let output = try Program.output(
            of: "/usr/bin/opusdec", ["--quiet", "--float", folder("a.opus"), folder("b.wav")])
        _ = try #require(output)
        let other = try self.heard(Array(Data(contentsOf: URL(fileURLWithPath: folder("b.wav"))))).sound
        #expect(heard.samples.count == other.samples.count && heard.samples.count == sound.count)
        #expect(errorDecibels(heard.samples, other.samples) < -80)
        // Its level is that which the header asks for: here by 6 dB less.
        var quiet = OggBytes(bytes)
        quiet.setGain(-1536)
        let half = try self.heard(quiet.bytes).sound
        #expect(errorDecibels(half.samples.map { 2 * $0 }, heard.samples) < -45)
    }

    @Test(arguments: [2, 3, 8], [10.0, 40, 60])
    func `of Opus is as long as it was where silence stands for what is missing`(
        channels: Int, milliseconds: Double
    ) throws {
        var settings = CodecSettings(.opus)
        settings.frameMilliseconds = milliseconds
        let sound = sine(440, frames: 24_000, channels: channels, sampleRate: 48000)
        let (opening, header, made) = try packets(of: sound, settings, channels: channels)
        let muxer = OggMuxer(opening, try #require(header).payload, .opus)
        let bytes = made.enumerated().flatMap { index, packet in
            muxer.bytes(of: packet, missing: index == 3 ? UInt64(4 * opening.packetFrames) : 0)
        }
        let heard = try heard(bytes).sound
        let frames = (made.count + 4) * opening.packetFrames - opening.delayFrames
        #expect(heard.samples.count == frames * channels && heard.missing == [])
    }

    @Test func `of Opus has its loudspeakers in the order of WAV`() throws {
        // A tone that is twice as loud in each channel as in the one before.
        let tone = sine(60, frames: 48_000, channels: 1, sampleRate: 48_000)
        let sound = tone.flatMap { sample in (0..<6).map { sample / Float(1 << $0) } }
        let heard = try heard(try file(sound, "-c:a", "libopus", "-b:a", "512k", name: "a.opus", channels: 6)).sound
        let peaks = (0..<6).map { channel in
            stride(from: channel, to: heard.samples.count, by: 6).reduce(Float(0)) { max($0, abs(heard.samples[$1])) }
        }
        #expect(peaks == peaks.sorted(by: >), "\(peaks)")
    }

    @Test(arguments: ["libopus", "flac"]) func `of Ogg goes on in the next one of its kind without a break`(
        codec: String
    ) throws {
        let sound = sine(440, frames: 48_000, channels: 2, sampleRate: 48000)
        let first = try file(sound, "-c:a", codec, "-metadata", "title=one", name: "1.ogg")
        let second = try file(sound, "-c:a", codec, "-metadata", "title=two", name: "2.ogg")
        let (heard, _) = try heard(first + second)
        #expect(heard.openings.count == 1 && heard.samples.count == 2 * sound.count)
        let alone = try self.heard(second).sound
        #expect(Array(heard.samples.suffix(sound.count)) == alone.samples)
        // One of another kind is another stream.
        let other = try file(sound, "-ar", "24000", "-c:a", codec == "flac" ? "libopus" : "flac", name: "3.ogg")
        #expect(try self.heard(first + other).sound.openings.count == 2)
    }

    @Test(arguments: ["flac", "libopus"])
    func `of Ogg loses what a damaged page held, and no more, and what is missing is in its place`(codec: String) throws
    {
        let sound = steppedNoise(frames: 48_000, channels: 2, bits: 16)
        var bytes = try file(sound, "-sample_fmt", "s16", "-c:a", codec, "-page_duration", "1", name: "a.oga")
        #expect(try heard(bytes).sound.missing == [])
        bytes[bytes.count / 2] ^= 1
        let (heard, _) = try heard(bytes)
        let missing = heard.missing.reduce(0, +)
        #expect(heard.missing.count == 1 && missing > 0 && missing < 48_000 / 4)
        #expect(heard.samples.count / 2 + missing == 48_000)
    }

    @Test func `of Opus counts a page that was lost before an empty one, and no packet without a byte`() throws {
        let head = OpusHead(
            channels: 1, preSkip: 0, inputRate: 48_000, family: 0, streams: 1, coupledStreams: 0, mapping: [0])
        func missing(isLost: Bool, _ end: (inout OggStream) -> [UInt8]) throws -> [Int] {
            var ogg = OggStream()
            var bytes = ogg.headers([head.bytes, Array("OpusTags".utf8)])
            bytes += ogg.pages(of: [0xf8, 1], position: 960)
            let second = ogg.pages(of: [0xf8, 1], position: 1920)
            if !isLost { bytes += second }
            bytes += end(&ogg)
            let body = SoundBody(operation: "receive it")
            return try (body.take(bytes) + body.finish()).compactMap { piece in
                guard case .packet(let packet) = piece, packet.payload.isEmpty else { return nil }
                return Int(packet.frames)
            }
        }
        #expect(try missing(isLost: false) { $0.pages(of: [], position: 1920, .last) } == [])
        #expect(try missing(isLost: false) { $0.end(position: 1920) } == [])
        #expect(try missing(isLost: true) { $0.end(position: 1920) } == [960])
    }

    @Test func `of Ogg Opus that a listener gets into misses nothing before that`() throws {
        let sound = steppedNoise(frames: 48_000, channels: 2, bits: 16)
        let bytes = try file(sound, "-sample_fmt", "s16", "-c:a", "libopus", "-page_duration", "1", name: "a.opus")
        let pages = bytes.indices.filter { bytes[$0...].starts(with: "OggS".utf8) }
        let (heard, _) = try heard(Array(bytes[..<pages[2]] + bytes[pages[9]...]))
        #expect(heard.missing == [] && heard.samples.count > 0)
        // Without its page of comments the first sound is heard all the same.
        let (bare, _) = try self.heard(Array(bytes[..<pages[1]] + bytes[pages[2]...]))
        #expect(bare.missing == [] && bare.samples.count == sound.count)
    }

    @Test func `of FLAC misses the first frame, the last one, or all that was cut off, but not what follows the sound`()
        throws
    {
        let sound = steppedNoise(frames: 4 * 4608, channels: 2, bits: 16)
        let whole = try file(sound, "-sample_fmt", "s16", "-frame_size", "4608", name: "a.flac")
        // Noise takes as many bytes as its samples have.
        let frame = 2 * 4608
        for (place, kept, missing) in [
            (whole.count - 100, 0..<(3 * frame), 0), (whole.count - 70_000, frame..<(4 * frame), 4608),
        ] {
            var bytes = whole
            bytes[place] ^= 1
            let heard = try heard(bytes).sound
            #expect(heard.samples == Array(sound[kept]) && heard.missing == [missing])
        }
        let cut = try heard(Array(whole.dropLast(20_000))).sound
        #expect(cut.samples == Array(sound.prefix(2 * frame)) && cut.missing == [0, 0])
        let tagged = try heard(whole + Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)).sound
        #expect(tagged.samples == sound && tagged.missing == [])
    }

    @Test func `whose numbers leave far too much out is not silent for that long`() throws {
        var counter = PacketCounter()
        for (frames, lengths) in [
            (1, [1]), (4096, [4096]), (5000, [5000]), (9000, [4096, 4904]), (1 << 40, [0]), (-1, [0]),
        ] {
            let pieces = counter.missing(frames, each: 4096)
            let packets = pieces.compactMap { if case .packet(let packet) = $0 { packet } else { nil } }
            #expect(packets.map { Int($0.frames) } == lengths && packets.allSatisfy(\.payload.isEmpty))
        }
        let before = Int(counter.frame)
        #expect(before == 18_097)
        #expect(counter.missing(1 << 19, each: 16).count == 16)
        #expect(Int(counter.frame) == before + (1 << 19))
    }

    @Test func `of FLAC loses the frame that is damaged, and no more`() throws {
        let sound = steppedNoise(frames: 20 * 4608, channels: 2, bits: 16)
        var bytes = try file(sound, "-sample_fmt", "s16", "-frame_size", "4608", name: "a.flac")
        bytes[bytes.count / 2] ^= 1
        let (heard, _) = try heard(bytes)
        #expect(heard.samples.count == sound.count - 2 * 4608 && heard.missing == [4608])
        #expect(Array(heard.samples.suffix(8 * 2 * 4608)) == Array(sound.suffix(8 * 2 * 4608)))
    }

    @Test func `of FLAC that was cut out of a longer one, or has a long hole, is not silent for what it never had`()
        throws
    {
        let block = 32_768
        let sound = steppedNoise(frames: 24 * block, channels: 1, bits: 8)
        let bytes = try file(
            sound, "-sample_fmt", "s16", "-frame_size", "\(block)", "-compression_level", "0", name: "a.flac",
            channels: 1)
        var starts: [Int] = []
        for place in bytes.indices where bytes[place] == 0xff {
            if case .header(let header) = FLACFrameHeader.read(bytes[place...]), header.number == starts.count {
                starts.append(place)
            }
        }
        #expect(starts.count == 24)
        let head = bytes[..<starts[0]]
        let cut = try heard(Array(head + bytes[starts[20]..<starts[22]])).sound
        #expect(cut.samples == Array(sound[(20 * block)..<(22 * block)]) && cut.missing == [])
        let holed = try heard(Array(head + bytes[starts[0]..<starts[1]] + bytes[starts[22]...])).sound
        #expect(holed.samples.count == 3 * block && holed.missing == [0])
    }

    @Test func `of MP3 is heard wherever it begins, and behind a description`() throws {
        let sound = sine(440, frames: 96_000, channels: 2, sampleRate: 48000)
        let bytes = try file(sound, "-b:a", "128k", "-metadata", "title=one", name: "a.mp3")
        #expect(bytes.starts(with: "ID3".utf8))
        let (whole, body) = try heard(bytes)
        #expect(body.container == .mp3 && whole.openings.map(\.codec) == [.float])
        #expect(abs(whole.samples.count - sound.count) <= 2 * 2400)
        let (late, _) = try heard(Array(bytes[2000...]))
        let loud = late.samples.suffix(48_000).map { abs($0) }.max() ?? 0
        #expect(abs(loud - 0.5) < 0.05)
    }

    @Test func `of MP3 goes on behind a tag in its midst, of which no more is kept than a cover needs`() throws {
        let sound = sine(440, frames: 48_000, channels: 2, sampleRate: 48000)
        let song = try file(sound, "-b:a", "128k", "-write_xing", "0", "-id3v2_version", "0", name: "a.mp3")
        func tag(_ count: Int) -> [UInt8] {
            Array("ID3".utf8) + [4, 0, 0] + [21, 14, 7, 0].map { UInt8(count >> $0 & 127) }
        }
        let cover = [UInt8](repeating: 0, count: 1 << 20)
        let (heard, _) = try heard(song + tag(cover.count) + cover + song, longest: 50_000)
        #expect(heard.samples.count > 2 * sound.count - 4 * 2400)
        let body = SoundBody(operation: "receive it")
        #expect(try !body.take(song + tag((1 << 28) - 1)).isEmpty)
        let error = #expect(throws: StreamError.self) {
            for _ in 0..<8 { _ = try body.take(cover) }
        }
        #expect(error?.kind == .badData)
    }

    @Test func `that is no sound is refused in a sentence`() throws {
        func reason(_ bytes: [UInt8]) -> StreamError? {
            #expect(throws: StreamError.self) { try heard(bytes) }
        }
        #expect(reason(Array("<!doctype html><p>no".utf8))?.reason.contains("it sends a page and no sound") == true)
        #expect(reason(Array("#EXTM3U\nhttp://a/b".utf8))?.reason.contains("a list of addresses") == true)
        #expect(reason([UInt8](repeating: 0, count: 1 << 17))?.kind == .protocolError)
        let vorbis = try file(
            sine(440, frames: 4800, channels: 2, sampleRate: 48000), "-c:a", "libvorbis", name: "a.ogg")
        #expect(reason(vorbis)?.reason.contains("holds Vorbis") == true)
        let law = try file(
            sine(440, frames: 4800, channels: 1, sampleRate: 48000), "-c:a", "pcm_mulaw", name: "a.wav", channels: 1)
        #expect(reason(law)?.reason.contains("samples of kind 7") == true)
    }

    @Test func `that is damaged anywhere traps nowhere`() throws {
        let sound = steppedNoise(frames: 6000, channels: 2, bits: 16)
        var generator = SeededGenerator(seed: 11)
        for words in [["-c:a", "flac"], ["-c:a", "libopus"], ["-c:a", "pcm_s16le"], ["-c:a", "libmp3lame"]] {
            let name = words[1] == "pcm_s16le" ? "d.wav" : words[1] == "libmp3lame" ? "d.mp3" : "d.ogg"
            let whole = try file(sound, words[0], words[1], name: name)
            for _ in 0..<20 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                        in: 0...255, using: &generator)
                }
                bytes.removeSubrange(0..<Int.random(in: 0..<200, using: &generator))
                _ = try? heard(bytes)
            }
        }
    }
}

/// What is heard of the pieces of a stream.
struct Heard {
    private(set) var openings: [StreamOpening] = []
    private(set) var samples: [Float] = []
    /// How long each packet is that stands for what is missing, in frames.
    private(set) var missing: [Int] = []

    init(_ pieces: [SoundPiece]) throws {
        var (packets, end): ([StreamPacket], UInt64?) = ([], nil)
        func decode() throws {
            guard let opening = openings.last else { return }
            samples += try decoded(opening, nil, packets)
            packets = []
        }
        for piece in pieces {
            switch piece {
            case .opening(let opening):
                try decode()
                openings.append(opening)
                end = nil
            case .packet(let packet):
                #expect(packet.flags.contains(.header) || end.map { $0 == packet.firstFrame } ?? true)
                end = packet.endFrame
                if packet.payload.isEmpty { missing.append(Int(packet.frames)) } else { packets.append(packet) }
            }
        }
        try decode()
    }
}

/// A stream of Ogg whose first page is changed.
private struct OggBytes {
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Of Opus, in decibels by 256.
    mutating func setGain(_ gain: Int16) {
        let end = 28 + Int(bytes[27])
        (bytes[28 + 16], bytes[28 + 17]) = (UInt8(truncatingIfNeeded: gain), UInt8(truncatingIfNeeded: gain >> 8))
        let check = OggReader.check(of: bytes[..<end])
        for byte in 0..<4 { bytes[22 + byte] = UInt8(truncatingIfNeeded: check >> (8 * UInt32(byte))) }
    }
}
