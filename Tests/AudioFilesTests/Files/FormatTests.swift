import AudioFiles
import TestSupport
import Testing

@Suite("A sound file's format") struct SoundFileFormatTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `is what the name's extension stands for, in any case`() throws {
        let cases: [(String, SoundFileFormat.Container, SoundFileFormat.Encoding)] = [
            ("a.wav", .wav, .float), ("a.WAV", .wav, .float), ("b/c.d.Flac", .flac, .pcm24), ("a.opus", .ogg, .opus),
            ("a.ogg", .ogg, .vorbis), ("a.mp3", .mp3, .mp3), ("a.aif", .aiff, .float), ("a.snd", .au, .float),
        ]
        for (path, container, encoding) in cases {
            let format = try SoundFileFormat(path: path)
            #expect(format.container == container && format.encoding == encoding, "\(path): \(format)")
        }
    }

    @Test func `can be another than the name's`() throws {
        #expect(try SoundFileFormat(path: "a.wav", encoding: .gsm610).encoding == .gsm610)
        #expect(try SoundFileFormat(path: "a.out", container: .flac).encoding == .pcm24)
        #expect(try SoundFileFormat(path: "a.opus", container: .wav).encoding == .float)
        #expect(SoundFileFormat.Encoding.pcm(bits: 24) == .pcm24 && SoundFileFormat.Encoding.pcm(bits: 20) == nil)
    }

    @Test func `names the extensions, or the encodings, where there is none`() {
        let unknown = #expect(throws: SoundFileError.self) { try SoundFileFormat(path: "a.xyz") }
        #expect(unknown?.kind == .unsupportedFormat && unknown?.reason.contains(".wav .rf64") == true)
        let missing = #expect(throws: SoundFileError.self) { try SoundFileFormat(path: "wav") }
        #expect(missing?.reason.contains("no extension") == true)
        let empty = #expect(throws: SoundFileError.self) { try SoundFileFormat(path: "a.flac", encoding: .float) }
        #expect(empty?.reason == "flac does not hold float; it holds pcm8 pcm16 pcm24")
    }

    @Test func `has the encodings that its container holds`() {
        func names(_ container: SoundFileFormat.Container) -> String {
            container.encodings.map(\.rawValue).joined(separator: " ")
        }
        #expect(names(.wav) == "pcm8 pcm16 pcm24 pcm32 float double alaw ulaw ima-adpcm gsm")
        #expect(names(.rf64) == "pcm8 pcm16 pcm24 pcm32 float double alaw ulaw")
        #expect(names(.w64) == names(.wav) && names(.aiff) == names(.wav))
        #expect(names(.caf) == names(.rf64) && names(.au) == names(.rf64))
        #expect(names(.raw) == "pcm8 pcm16 pcm24 pcm32 float double alaw ulaw gsm")
        #expect(names(.flac) == "pcm8 pcm16 pcm24" && names(.ogg) == "vorbis opus" && names(.mp3) == "mp3")
    }

    @Test func `knows the nearest rate and channels that it takes`() throws {
        let cases: [(String, SoundFileFormat.Encoding?, Int, Int, Int, Int)] = [
            ("a.opus", nil, 44100, 2, 48000, 2), ("a.opus", nil, 11025, 1, 12000, 1),
            ("a.opus", nil, 96000, 2, 48000, 2),
            ("a.mp3", nil, 96000, 2, 48000, 2), ("a.mp3", nil, 48000, 6, 48000, 2), ("a.flac", nil, 48000, 9, 48000, 8),
            ("a.wav", .gsm610, 48000, 2, 48000, 1), ("a.wav", nil, 44100, 2, 44100, 2),
        ]
        for (path, encoding, rate, channels, nearestRate, nearestChannels) in cases {
            let format = try SoundFileFormat(path: path, encoding: encoding)
            let nearest = format.nearest(sampleRate: rate, channels: channels)
            #expect(
                nearest?.sampleRate == nearestRate && nearest?.channels == nearestChannels,
                "\(format): \(nearest as Any)")
        }
    }

    @Test func `is refused with the nearest that works, and no file is touched`() throws {
        let error = #expect(throws: SoundFileError.self) {
            try SoundFileWriter(path: folder("a.opus"), sampleRate: 44100, channels: 2)
        }
        #expect(error?.kind == .unsupportedFormat)
        #expect(
            error?.reason
                == "ogg opus has no sample rate of 44100 hertz (the nearest is 48000); take what it has, or use .wav",
            "\(error as Any)")
        let wide = #expect(throws: SoundFileError.self) {
            try SoundFileWriter(path: folder("a.mp3"), sampleRate: 96000, channels: 6)
        }
        #expect(
            wide?.reason
                == "MP3 has no sample rate of 96000 hertz (the nearest is 48000) and no 6 channels (the most are 2); "
                + "take what it has, or use .wav", "\(wide as Any)")
        #expect(folder.names.isEmpty)
    }

    @Test func `has settings only where its encoder has them`() throws {
        let settings: [(String, EncoderSettings, String)] = [
            ("a.wav", EncoderSettings(quality: 0.5), "quality"), ("a.flac", EncoderSettings(quality: 0.5), "quality"),
            ("a.ogg", EncoderSettings(compressionLevel: 1), "compression level"),
            ("a.flac", EncoderSettings(bitRateMode: .variable), "bit-rate mode"),
            ("a.mp3", EncoderSettings(quality: .nan), "quality"),
        ]
        for (name, encoder, words) in settings {
            let error = #expect(throws: SoundFileError.self) {
                try SoundFileWriter(path: folder(name), sampleRate: 48000, channels: 2, encoder: encoder)
            }
            #expect(error?.reason.contains("no \(words) to set") == true, "\(error as Any)")
        }
        #expect(folder.names.isEmpty)
    }

    @Test(arguments: ["a.ogg", "a.opus", "a.mp3"])
    func `of better quality takes more bytes`(name: String) throws {
        var generator = SeededGenerator(seed: 5)
        let sound = generator.signal(count: 96000, magnitude: 0.3)
        let sizes = try [0.1, 0.5, 0.9].map { quality in
            try writeFile(folder(name), sound, channels: 2, encoder: EncoderSettings(quality: quality))
            return try bytes(of: folder(name)).count
        }
        #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2], "\(sizes)")
    }

    @Test func `of FLAC becomes smaller with more work`() throws {
        let sound = chord(frames: 48000, channels: 2, sampleRate: 48000)
        let sizes = try [0.0, 1].map { level in
            try writeFile(folder("a.flac"), sound, channels: 2, encoder: EncoderSettings(compressionLevel: level))
            return try bytes(of: folder("a.flac")).count
        }
        #expect(sizes[1] < sizes[0], "\(sizes)")
    }
}
