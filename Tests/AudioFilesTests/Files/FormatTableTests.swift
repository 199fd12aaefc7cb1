import AudioFiles
import Foundation
import TestSupport
import Testing

/// Each kind of file, at each rate, with each number of channels: what it takes comes back, and what it does not take is refused.
@Suite("The table of formats") struct FormatTableTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let rates = [8000, 16_000, 44_100, 48_000, 96_000]
    private static let channels = [1, 2, 6, 8]
    private static let frames = 1003

    /// What of the table a format has not: rates and channels of what was made for speech and songs.
    private static func isMissing(_ format: SoundFileFormat, _ rate: Int, _ channels: Int) -> Bool {
        switch format.encoding {
        case .opus: ![8000, 16_000, 48_000].contains(rate)
        case .mp3: rate > 48_000 || channels > 2
        case .gsm610: channels > 1
        case .imaADPCM: channels > 2
        default: false
        }
    }

    @Test(arguments: SoundFileFormat.all)
    func `holds to the bit what is lossless, and is near to it else`(format: SoundFileFormat) throws {
        // Headerless GSM has no processing format to read it in.
        guard format != SoundFileFormat(.raw, .gsm610) else { return }
        var taken = 0
        for rate in Self.rates {
            for channels in Self.channels {
                guard !Self.isMissing(format, rate, channels) else {
                    #expect(!format.takes(sampleRate: rate, channels: channels), "\(format), \(channels) at \(rate)")
                    continue
                }
                taken += 1
                let path = folder("file")
                let writer = try SoundFileWriter(
                    path: path, format: format, sampleRate: rate, channels: channels, replacing: true)
                let wanted = try write(to: writer)
                let isRaw = format.container == .raw
                let reader = try SoundFileReader(path: path, headerless: isRaw ? writer.exactFormat : nil)
                #expect(reader.sampleRate == rate && reader.channels == channels, "\(format), \(channels) at \(rate)")
                try compare(reader, wanted, format)
            }
        }
        #expect(taken > 0)
    }

    private func write(to writer: SoundFileWriter) throws -> [Double] {
        let count = Self.frames * writer.channels
        let format = writer.fileFormat
        let wanted: [Double]
        if let bits = format.encoding.isLossless ? format.sampleFormat.integerBits : nil {
            wanted = steps(count, bits: bits).map { Double($0) / 0x8000_0000 }
        } else if format.encoding.isLossless {
            wanted = (0..<count).map { Double(Float((Double($0) * 0.7).remainder(dividingBy: 3))) }
        } else {
            wanted = chord(frames: Self.frames, channels: writer.channels, sampleRate: writer.sampleRate)
                .map { Double($0) }
        }
        var doubles = writer.exactFormat
        doubles.sampleFormat = .float64
        try writer.write(PCMBuffer(doubles, wanted))
        try writer.close()
        #expect(writer.position == Self.frames)
        return wanted
    }

    private func compare(_ reader: SoundFileReader, _ wanted: [Double], _ format: SoundFileFormat) throws {
        let label = "\(format), \(reader.channels) at \(reader.sampleRate)"
        let read = try samples(reader, as: .float64, of: Double.self)
        guard !format.encoding.isLossless else {
            let isSame = read == wanted
            return #expect(isSame, "\(label)")
        }
        let extra = (read.count - wanted.count) / reader.channels
        // Blocks of the encoder, and its delay where the file does not name it.
        #expect((0...4608).contains(extra), "\(label): \(extra) frames more than were written")
        // MP3's delay moves all; half a second of Vorbis, Opus and GSM is judged by another test.
        guard [.aLaw, .muLaw, .imaADPCM].contains(format.encoding) else { return }
        // ADPCM finds its step in the first frames.
        let worst = zip(read, wanted).dropFirst(100 * reader.channels).map { abs($0 - $1) }.max() ?? 1
        #expect(worst < (format.encoding == .imaADPCM ? 0.1 : 0.02), "\(label): \(worst)")
    }

    @Test func `is read alike by Python's soundfile`() throws {
        var names: [String] = []
        for format in SoundFileFormat.all where format.encoding.isLossless && format.container != .raw {
            let name = "\(format.container.rawValue)-\(format.encoding.rawValue)"
            names.append(name)
            let writer = try SoundFileWriter(path: folder(name), format: format, sampleRate: 44_100, channels: 6)
            _ = try write(to: writer)
        }
        let program = """
            import sys, soundfile
            for name in sys.argv[2:]:
                data, rate = soundfile.read(sys.argv[1] + "/" + name, dtype="float64", always_2d=True)
                assert rate == 44100 and data.shape == (\(Self.frames), 6), name
                data.tofile(sys.argv[1] + "/" + name + ".f64")
            """
        let output = try Program.output(of: "/usr/bin/python3", ["-c", program, folder.path] + names)
        try #require(output != nil, "python3-soundfile fails, or is not installed")
        for name in names {
            let theirs = try bytes(of: folder("\(name).f64")).withUnsafeBytes { Array($0.bindMemory(to: Double.self)) }
            let ours = try samples(SoundFileReader(path: folder(name)), as: .float64, of: Double.self)
            let isSame = theirs == ours
            #expect(isSame, "\(name)")
        }
    }

    @Test func `has RF64 beyond 4 GiB, whose last frames are where they are`() throws {
        // Of two hours and more all but the ends is a hole in the file.
        let writer = try SoundFileWriter(
            path: folder("a.rf64"), format: SoundFileFormat(.rf64, .pcm16), sampleRate: 96_000, channels: 8)
        try writer.write([Float](repeating: 0.5, count: 8))
        try writer.close()
        let head = try bytes(of: folder("a.rf64"))
        let place = try #require(head.indices.first { head[$0...].starts(with: "data".utf8) }) + 8
        let frames = 300_000_000
        let dataBytes = UInt64(frames * 16)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder("a.rf64")))
        func put(_ bytes: [UInt8], at offset: UInt64) throws {
            try file.seek(toOffset: offset)
            try file.write(contentsOf: Data(bytes))
        }
        let end = UInt64(place) + dataBytes
        try put(little(end - 8) + little(dataBytes) + little(UInt64(frames)), at: 20)
        try put([UInt8](repeating: 0x40, count: 16), at: end - 16)
        let reader = try SoundFileReader(path: folder("a.rf64"))
        #expect(reader.frames == frames && reader.flaws.isEmpty)
        var block = [Float](repeating: 0, count: 16)
        #expect(try reader.read(2, into: &block) == 2 && block == [0.5, 0].flatMap { Array(repeating: $0, count: 8) })
        try reader.seek(to: frames - 2)
        #expect(try reader.read(2, into: &block) == 2 && block[0] == 0 && block[8] == Float(0x4040) / 32_768)
        #expect(try reader.read(2, into: &block) == 0)
    }
}
