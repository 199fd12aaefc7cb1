import AudioFiles
import Foundation
import TestSupport
import Testing

/// Files of ours as programs see them that are not ours, and have code of their own for the format. `Tools/setup --tests`
/// installs them.
@Suite("Another program") struct ForeignProgramTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let frames = 24_001
    private static let metadata = SoundFileMetadata([.title: "A title", .artist: "Somebody", .date: "2026"])

    private func make(_ name: String, _ encoding: SoundFileFormat.Encoding? = nil) throws -> String {
        let sound = chord(frames: Self.frames, channels: 2, sampleRate: 48000)
        let format = try SoundFileFormat(path: name, encoding: encoding)
        try writeFile(
            folder(name), sound, format: format, channels: 2, metadata: Self.metadata,
            markers: [Marker(frame: 480, label: "one")])
        return folder(name)
    }

    private func output(_ program: String, _ arguments: [String]) throws -> String {
        let data = try Program.output(of: "/usr/bin/\(program)", arguments)
        return String(decoding: try #require(data, "\(program) fails, or is not installed"), as: UTF8.self)
    }

    @Test(arguments: [
        ("a.wav", SoundFileFormat.Encoding.pcm16), ("a.wav", .pcm24), ("a.aiff", .pcm8), ("a.aiff", .pcm24),
        ("a.au", .pcm16),
        ("a.caf", .pcm16), ("a.w64", .pcm24), ("a.flac", .pcm16),
    ])
    func `hears the same samples`(name: String, encoding: SoundFileFormat.Encoding) throws {
        let path = try make(name, encoding)
        let heard = try Program.output(
            of: "/usr/bin/ffmpeg", ["-v", "error", "-i", path, "-f", "s32le", "-c:a", "pcm_s32le", "-"])
        let theirs = try #require(heard, "ffmpeg fails, or is not installed").withUnsafeBytes {
            Array($0.bindMemory(to: Int32.self))
        }
        #expect(try samples(SoundFileReader(path: path), as: .int32, of: Int32.self) == theirs)
    }

    @Test(arguments: ["a.wav", "a.rf64", "a.w64", "a.caf", "a.aiff", "a.au", "a.flac", "a.ogg", "a.opus", "a.mp3"])
    func `finds rate, channels and length`(name: String) throws {
        let fields = "stream=sample_rate,channels:format=duration"
        let said = try output("ffprobe", ["-v", "error", "-show_entries", fields, "-of", "csv=p=0", make(name)])
        let numbers = said.split(whereSeparator: { ",\n".contains($0) }).compactMap { Double($0) }
        #expect(numbers.prefix(2) == [48000, 2], "\(said)")
        // Opus and MP3 count the encoder's delay in.
        #expect(abs((numbers.last ?? 0) - Double(Self.frames) / 48000) < 0.06, "\(said)")
    }

    @Test func `finds nothing wrong with FLAC`() throws {
        for encoding in [SoundFileFormat.Encoding.pcm16, .pcm24] {
            _ = try output("flac", ["--test", "--silent", "--warnings-as-errors", make("a.flac", encoding)])
        }
    }

    /// What it decodes from its standard input, as integers of 32 bits.
    private func heard(_ program: String, _ arguments: [String], _ path: String) throws -> [Int32] {
        let words = ["-c", "cat '\(path)' | /usr/bin/\(program) \(arguments.joined(separator: " "))"]
        let data = try Program.output(of: "/bin/sh", words)
        return try #require(data, "\(program) fails, or is not installed").withUnsafeBytes {
            Array($0.bindMemory(to: Int32.self))
        }
    }

    @Test(arguments: ["wav", "au", "flac"])
    func `reads to its end through a pipe what went through one`(name: String) throws {
        let container = try #require(SoundFileFormat.Container(rawValue: name))
        let sound = chord(frames: Self.frames, channels: 2, sampleRate: 48000)
        // A pipe holds too little of it, and a file that only grows is none that can be gone back to.
        let descriptor = Glibc.open(folder("piped"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let writer = try SoundFileWriter(
            descriptor: descriptor, name: "a pipe", format: SoundFileFormat(container, .pcm16), sampleRate: 48000,
            channels: 2)
        try writer.write(sound)
        try writer.close()
        let ours = try samples(SoundFileReader(path: folder("piped")), as: .int32, of: Int32.self)
        #expect(ours.count == sound.count)
        let sox = try heard("sox", ["-t", name, "-", "-t", "s32", "-", "2>/dev/null"], folder("piped"))
        let ffmpeg = try heard("ffmpeg", ["-v", "error", "-i", "-", "-f", "s32le", "-"], folder("piped"))
        #expect(sox.elementsEqual(ours), "sox heard \(sox.count) samples")
        #expect(ffmpeg.elementsEqual(ours), "ffmpeg heard \(ffmpeg.count) samples")
        if name == "flac" { _ = try output("flac", ["--test", "--silent", folder("piped")]) }
    }

    @Test(arguments: ["a.wav", "a.flac", "a.ogg", "a.mp3", "a.aiff"])
    func `reads the title and the artist`(name: String) throws {
        let said = try output("exiftool", ["-s3", "-Title", "-Name", "-Artist", "-Author", make(name)])
        #expect(said.contains("A title") && said.contains("Somebody"), "\(said)")
    }

    @Test func `reads what Opus says of itself`() throws {
        let said = try output("opusinfo", [make("a.opus")])
        #expect(said.contains("title=A title") || said.contains("TITLE=A title"), "\(said)")
        #expect(!said.contains("WARNING"), "\(said)")
    }

    @Test func `reads where a broadcast began`() throws {
        var info = BroadcastInfo()
        info.originator = "iounit"
        info.originationDate = "2026-11-22"
        info.originationTime = "14:09:15"
        info.timeReferenceFrames = 48000 * 3600
        try writeFile(folder("a.wav"), [0.5], metadata: SoundFileMetadata(broadcast: info))
        let said = try output("mediainfo", ["--Full", folder("a.wav")])
        #expect(said.contains("iounit") && said.contains("2026-11-22 14:09:15"), "\(said)")
        #expect(said.contains("01:00:00.000"), "\(said)")
    }
}
