import AudioFiles
import Glibc
import TestSupport
import Testing

@Suite("What is written to a file and read again") struct RoundTripTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let lossless = SoundFileFormat.all.filter { $0.encoding.isLossless }
    private static let frames = 3001

    private func open(_ path: String, _ writer: SoundFileWriter) throws -> SoundFileReader {
        let isRaw = writer.fileFormat.container == .raw
        let reader = try SoundFileReader(path: path, headerless: isRaw ? writer.exactFormat : nil)
        #expect(reader.channels == writer.channels && reader.sampleRate == writer.sampleRate)
        #expect(reader.flaws.isEmpty)
        if !isRaw {
            #expect(reader.fileFormat == writer.fileFormat, "\(reader.formatWords)")
            #expect(reader.exactFormat == writer.exactFormat)
        }
        return reader
    }

    @Test(arguments: lossless, [(8000, 1), (44100, 2), (192_000, 5)])
    func `is the same to the bit`(format: SoundFileFormat, sound: (rate: Int, channels: Int)) throws {
        let path = folder("file")
        let writer = try SoundFileWriter(
            path: path, format: format, sampleRate: sound.rate, channels: sound.channels)
        let count = Self.frames * sound.channels
        if let bits = format.sampleFormat.integerBits {
            let wanted = steps(count, bits: bits)
            // As floats, where these hold them, and as 64-bit floats all of them.
            let values = wanted.map { Double($0) / 0x8000_0000 }
            var buffer = PCMBuffer(
                StreamFormat(sampleRate: sound.rate, channels: sound.channels, sampleFormat: .float64), values)
            buffer.frames = Self.frames
            try writer.write(buffer)
            try writer.close()
            #expect(writer.position == Self.frames && writer.clippedSamples == 0)
            let reader = try open(path, writer)
            #expect(reader.frames == Self.frames)
            #expect(try samples(reader, as: .int32, of: Int32.self) == wanted)
            #expect(reader.position == Self.frames)
            try reader.seek(to: 0)
            #expect(try samples(reader, as: .float64, of: Double.self) == values)
        } else if format.encoding == .float {
            var generator = SeededGenerator(seed: 1)
            let wanted = generator.signal(count: count, magnitude: 3)
            try writer.write(wanted)
            try writer.close()
            #expect(try floats(open(path, writer)) == wanted)
        } else {
            let wanted = (0..<count).map { (Double($0) * 0.7).remainder(dividingBy: 3) }
            try writer.write(PCMBuffer(writer.exactFormat, wanted))
            try writer.close()
            #expect(try samples(open(path, writer), as: .float64, of: Double.self) == wanted)
        }
    }

    @Test(arguments: SoundFileFormat.all)
    func `goes through the exact processing format unchanged a second time`(format: SoundFileFormat) throws {
        // What is lossy loses only once where its processing format is exact.
        guard format.sampleFormat != .float32 && format.encoding != .imaADPCM && format.encoding != .gsm610 else {
            return
        }
        let (first, second) = (folder("first"), folder("second"))
        let sound = chord(frames: Self.frames, channels: 2, sampleRate: 48000)
        let writer = try writeFile(first, sound, format: format, channels: 2)
        let reader = try open(first, writer)
        let copy = try SoundFileWriter(path: second, format: format, sampleRate: 48000, channels: 2)
        var buffer = PCMBuffer(reader.exactFormat, capacityFrames: 777)
        while try reader.read(into: &buffer) > 0 { try copy.write(buffer) }
        try copy.close()
        #expect(copy.position == Self.frames)
        #expect(try floats(open(second, copy)) == floats(open(first, writer)))
    }

    @Test(arguments: SoundFileFormat.all.filter { !$0.encoding.isLossless }, [(8000, 1), (16000, 1), (48000, 2)])
    func `is near to it where the encoding is lossy`(
        format: SoundFileFormat, sound: (rate: Int, channels: Int)
    ) throws {
        guard format.takes(sampleRate: sound.rate, channels: sound.channels) else {
            #expect(format.encoding == .gsm610 && sound.channels == 2, "\(format) does not take \(sound)")
            return
        }
        // Headerless GSM has no processing format to read it in.
        guard format != SoundFileFormat(.raw, .gsm610) else { return }
        let frames = sound.rate
        let wanted = chord(frames: frames, channels: sound.channels, sampleRate: sound.rate)
        let path = folder("file")
        let writer = try writeFile(path, wanted, format: format, sampleRate: sound.rate, channels: sound.channels)
        let read = try floats(open(path, writer))
        let extra = read.count / sound.channels - frames
        // Blocks of the encoder, and its delay where the file does not name it.
        #expect((0...4608).contains(extra), "\(extra) frames more than were written")
        guard format.encoding != .mp3 else { return }
        let errors = zip(read, wanted).map { Double($0 - $1) * Double($0 - $1) }
        let noise = errors.reduce(0, +) / Double(errors.count)
        let decibels: Double =
            switch format.encoding {
            case .aLaw, .muLaw: 30
            case .imaADPCM: 20
            case .gsm610: 8
            default: 15
            }
        // The power of a sine of 0.4.
        #expect(10 * log10(0.08 / noise) > decibels, "\(10 * log10(0.08 / noise)) dB")
    }

    /// libsndfile loses the last 6.5 ms of most lengths.
    @Test(arguments: [100, 24_000, 47_000, 48_000, 48_100])
    func `of Opus is there to its last frame`(frames: Int) throws {
        let sound = sine(440, frames: frames)
        try writeFile(folder("a.opus"), sound, channels: 1)
        let reader = try SoundFileReader(path: folder("a.opus"))
        var heard = [Float](repeating: 0, count: frames + 4096)
        heard.removeLast(heard.count - (try reader.read(heard.count, into: &heard)))
        #expect(heard.count == frames)
        let errors = zip(heard, sound).map { abs($0 - $1) }.suffix(400)
        #expect(errors.count { $0 > 0.12 } <= 2, "\(errors.max() ?? 0)")
    }

    @Test func `may be integers of any width that the encoding holds`() throws {
        for (format, bits) in [(SampleFormat.int8, 8), (.int16, 16), (.int24, 24), (.int32, 32)] {
            let path = folder("a.wav")
            let encoding = try #require(SoundFileFormat.Encoding.pcm(bits: bits))
            let writer = try SoundFileWriter(
                path: path, format: SoundFileFormat(.wav, encoding), sampleRate: 8000, channels: 2, replacing: true)
            let wanted = steps(2000, bits: bits)
            let packed = wanted.flatMap { sample in
                (0..<bits / 8).map { UInt8(truncatingIfNeeded: sample >> (32 - bits + 8 * $0)) }
            }
            let stream = StreamFormat(sampleRate: 8000, channels: 2, sampleFormat: format)
            var buffer = PCMBuffer(stream, packed)
            buffer.frames = 1000
            try writer.write(buffer)
            try writer.close()
            let reader = try SoundFileReader(path: path)
            #expect(try samples(reader, as: format, of: UInt8.self) == packed)
            try reader.seek(to: 0)
            #expect(try samples(reader, as: .int32, of: Int32.self) == wanted)
        }
    }

    @Test func `takes no integers that would be cut`() throws {
        let writer = try SoundFileWriter(
            path: folder("a.wav"), format: SoundFileFormat(.wav, .pcm16), sampleRate: 8000, channels: 1)
        let wide = PCMBuffer(StreamFormat(sampleRate: 8000, channels: 1, sampleFormat: .int32), [Int32(1)])
        #expect(throws: SoundFileError.self) { try writer.write(wide) }
        let other = PCMBuffer(StreamFormat(sampleRate: 8001, channels: 1), [Float(1)])
        let error = #expect(throws: SoundFileError.self) { try writer.write(other) }
        #expect(error?.kind == .unsupportedFormat && error?.reason.contains("8001 hertz") == true)
        try writer.close()
        try writeFile(folder("b.wav"), [0.5], sampleRate: 8000)
        let reader = try SoundFileReader(path: folder("b.wav"))
        var buffer = PCMBuffer(wide.format, capacityFrames: 1)
        #expect(throws: SoundFileError.self) { try reader.read(into: &buffer) }
    }

    @Test func `is rounded and limited, and what is not finite is silent`() throws {
        let path = folder("a.wav")
        let given: [Float] = [1, -1, 2, -2, .nan, .infinity, 0.4 / 32768, 0.6 / 32768, -0.6 / 32768]
        let writer = try writeFile(path, given, format: SoundFileFormat(.wav, .pcm16))
        #expect(writer.clippedSamples == 3 && writer.nonFiniteSamples == 2)
        let read = try samples(SoundFileReader(path: path), as: .int16, of: Int16.self)
        #expect(read == [32767, -32768, 32767, -32768, 0, 0, 0, 1, -1])
    }

    /// LAME ends the program at what it cannot quantise.
    @Test(arguments: [Float(1e8), 1e12])
    func `of what is far beyond full scale leaves the encoder of MP3 whole`(peak: Float) throws {
        var sound = chord(frames: 9600, channels: 2, sampleRate: 48000)
        for index in 4800..<4900 { sound[index] *= peak }
        let loud = sound.count { abs($0) > 1024 }
        let writer = try writeFile(folder("a.mp3"), sound, channels: 2)
        #expect(writer.clippedSamples == loud && loud > 90)
        #expect(try floats(SoundFileReader(path: folder("a.mp3"))).isFinite)
    }

    @Test(arguments: ["a.ogg", "a.opus", "a.mp3"])
    func `of what is not finite leaves the encoder whole`(name: String) throws {
        var sound = chord(frames: 9600, channels: 2, sampleRate: 48000)
        for index in stride(from: 5, to: sound.count, by: 501) {
            sound[index] = [.nan, .infinity, -.infinity][index % 3]
        }
        let broken = sound.count { !$0.isFinite }
        let writer = try writeFile(folder(name), sound, channels: 2)
        #expect(writer.nonFiniteSamples == broken)
        let read = try floats(SoundFileReader(path: folder(name)))
        #expect(read.isFinite && (read.map(abs).max() ?? 0) > 0.2)
    }

    @Test func `is counted and silent where a file of float is not finite`() throws {
        let given: [Float] = [0.5, .nan, 0.25, .infinity, -.infinity, 1e30]
        try writeFile(folder("a.wav"), given, channels: 2)
        for layout in [StreamFormat.Layout.interleaved, .planar] {
            let reader = try SoundFileReader(path: folder("a.wav"))
            let read = try samples(reader, as: .float32, of: Float.self, layout: layout)
            #expect(read == [0.5, 0, 0.25, 0, 0, 1e30] && reader.nonFiniteSamples == 3)
        }
        let reader = try SoundFileReader(path: folder("a.wav"))
        #expect(try floats(reader) == [0.5, 0, 0.25, 0, 0, 1e30] && reader.nonFiniteSamples == 3)
    }

    @Test(arguments: ["a.wav", "a.flac", "a.ogg", "a.opus", "a.caf"])
    func `is the same from any frame on`(name: String) throws {
        let sound = chord(frames: 20_000, channels: 2, sampleRate: 48000)
        try writeFile(folder(name), sound, channels: 2)
        let reader = try SoundFileReader(path: folder(name))
        let whole = try floats(reader)
        var block = [Float](repeating: 0, count: 200)
        for frame in [15_000, 3, 0, 19_990, 777] {
            #expect(try reader.seek(to: frame) == frame)
            let count = try reader.read(100, into: &block)
            #expect(count == min(100, whole.count / 2 - frame))
            let difference = zip(block.prefix(count * 2), whole[(frame * 2)...]).map { abs($0 - $1) }.max() ?? 1
            // Vorbis and Opus blend blocks of which the one before was not decoded.
            let isLossy = name == "a.opus" || name == "a.ogg"
            #expect(difference < (isLossy ? 0.02 : 1e-6), "\(difference) at \(frame)")
        }
        #expect(try reader.seek(to: Int.max) == whole.count / 2)
        #expect(try reader.read(100, into: &block) == 0)
        #expect(try reader.seek(to: -5) == 0)
    }

    @Test func `comes into planes as into frames`() throws {
        let sound = chord(frames: 5000, channels: 3, sampleRate: 48000)
        try writeFile(folder("a.wav"), sound, channels: 3)
        for capacity in [1, 100, 1365, 1366, 5000, 9000] {
            let read = try samples(
                SoundFileReader(path: folder("a.wav")), as: .float32, of: Float.self, capacity: capacity,
                layout: .planar)
            #expect(read == sound, "\(capacity)")
        }
    }
}
