import AudioFiles
import Foundation
import TestSupport
import Testing

/// Vorbis and Opus have the channels of 3 and of 5 to 8 loudspeakers in another order than WAV and FLAC.
@Suite("The order of loudspeakers") struct LoudspeakerOrderTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let frames = 24_000
    private static let encoder = EncoderSettings(quality: 0.3)

    /// A tone that is twice as loud in each channel as in the one before, and so low that a channel of low frequencies has it too.
    private func tones(_ channels: Int) -> [Float] {
        (0..<Self.frames).flatMap { frame in
            let sample = Float(sin(2 * Double.pi * 60 * Double(frame) / 48_000))
            return (0..<channels).map { 0.5 / Float(1 << $0) * sample }
        }
    }

    /// Channels, the loudest first.
    private func order(_ samples: [Float], _ channels: Int) -> [Int] {
        let power = (0..<channels).map { channel in
            stride(from: channel, to: samples.count, by: channels).reduce(Float(0)) { $0 + samples[$1] * samples[$1] }
        }
        return power.indices.sorted { power[$0] > power[$1] }
    }

    private func heard(_ path: String) throws -> [Int] {
        let reader = try SoundFileReader(path: path)
        return order(try floats(reader), reader.channels)
    }

    /// What ffmpeg makes of the tones.
    private func foreign(_ name: String, _ words: String..., channels: Int) throws -> String {
        try tones(channels).withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: folder("raw"))) }
        let input = ["-y", "-v", "error", "-f", "f32le", "-ar", "48000", "-ac", "\(channels)", "-i", folder("raw")]
        _ = try #require(try Program.output(of: "/usr/bin/ffmpeg", input + words + [folder(name)]), "ffmpeg fails")
        return folder(name)
    }

    @Test(arguments: [3, 4, 5, 6, 7, 8], ["a.opus", "a.ogg"])
    func `is ours in what we write, for another program and for us`(channels: Int, name: String) throws {
        try writeFile(folder(name), tones(channels), channels: channels, encoder: Self.encoder)
        #expect(try heard(folder(name)) == Array(0..<channels))
        let data = try Program.output(of: "/usr/bin/ffmpeg", ["-v", "error", "-i", folder(name), "-f", "f32le", "-"])
        let theirs = try #require(data, "ffmpeg fails, or is not installed").withUnsafeBytes {
            Array($0.bindMemory(to: Float.self))
        }
        #expect(order(theirs, channels) == Array(0..<channels))
    }

    @Test(arguments: [6, 8], ["libopus", "libvorbis"])
    func `is ours in what another program has written`(channels: Int, codec: String) throws {
        let path = try foreign("a.ogg", "-c:a", codec, channels: channels)
        #expect(try heard(path) == Array(0..<channels))
    }

    @Test func `is ours where a stream of two channels follows, which says nothing of an order`() throws {
        var chain = Data()
        for (name, channels) in [("surround.opus", 6), ("stereo.opus", 2)] {
            try writeFile(folder(name), tones(channels), channels: channels, encoder: Self.encoder)
            chain += try Data(contentsOf: URL(fileURLWithPath: folder(name)))
        }
        try chain.write(to: URL(fileURLWithPath: folder("all.opus")))
        // The other stream is left out.
        let reader = try SoundFileReader(path: folder("all.opus"), accepting: .readablePart)
        #expect(order(try floats(reader), 6) == Array(0..<6))
    }

    /// As where a radio station sends a title with loudspeakers behind one with microphones.
    @Test(arguments: [["1", "255"], ["255", "1"]])
    func `is ours in each stream of Opus of a chain, also where the next one says that it has none`(
        families: [String]
    ) throws {
        var chain = Data()
        for family in families {
            // So small that both fit into a pipe.
            let path = try foreign(
                "\(family).opus", "-c:a", "libopus", "-b:a", "128k", "-mapping_family", family, channels: 6)
            chain += try Data(contentsOf: URL(fileURLWithPath: path))
        }
        try chain.write(to: URL(fileURLWithPath: folder("all.opus")))
        let reader = try SoundFileReader(path: folder("all.opus"))
        let all = try floats(reader)
        let half = all.count / 2 / 6 * 6
        #expect(order(Array(all[..<half]), 6) == Array(0..<6))
        #expect(order(Array(all[half...]), 6) == Array(0..<6))
        // Back in the first, and in the second again.
        for frame in [0, half / 6 + 4800] {
            try reader.seek(to: frame)
            var block = [Float](repeating: 0, count: 6 * 4800)
            #expect(try reader.read(4800, into: &block) > 0)
            #expect(order(block, 6) == Array(0..<6), "from frame \(frame)")
        }
        // Through a pipe comes the first alone, whatever follows.
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: chain)
        try pipe.fileHandleForWriting.close()
        let piped = try SoundFileReader(
            descriptor: pipe.fileHandleForReading.fileDescriptor, name: "a pipe", accepting: .readablePart)
        #expect(order(try floats(piped), 6) == Array(0..<6))
    }

    @Test func `stays what it is where Opus says that its channels are no loudspeakers`() throws {
        let path = try foreign("a.opus", "-c:a", "libopus", "-mapping_family", "255", channels: 6)
        #expect(try heard(path) == Array(0..<6))
    }

    @Test(arguments: ["1", "255"]) func `is ours in what comes through a pipe`(family: String) throws {
        let path = try foreign("a.opus", "-c:a", "libopus", "-mapping_family", family, channels: 6)
        let pipe = Pipe()
        // It fits in.
        try pipe.fileHandleForWriting.write(contentsOf: Data(contentsOf: URL(fileURLWithPath: path)))
        try pipe.fileHandleForWriting.close()
        let reader = try SoundFileReader(descriptor: pipe.fileHandleForReading.fileDescriptor, name: "a pipe")
        #expect(order(try floats(reader), 6) == Array(0..<6))
    }
}
