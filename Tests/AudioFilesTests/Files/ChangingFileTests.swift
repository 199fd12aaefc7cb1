import AudioFiles
import Foundation
import TestSupport
import Testing

@Suite("A file that changes while it is read") struct ChangingFileTests {
    private let folder: TemporaryFolder
    private let sound = chord(frames: 60_000, channels: 2, sampleRate: 48_000)
    init() throws {
        folder = try TemporaryFolder()
        try writeFile(folder("a.wav"), sound, channels: 2)
    }

    /// Reads a third of the file, lets something happen to it, and reads on.
    private func read(
        _ acceptance: SoundFileReader.Acceptance = .whole, _ change: () throws -> Void
    ) throws -> (read: [Float], flaws: [SoundFileFlaw]) {
        let reader = try SoundFileReader(path: folder("a.wav"), accepting: acceptance)
        var block = [Float](repeating: 0, count: 20_000 * 2)
        try #require(try reader.read(20_000, into: &block) == 20_000)
        try change()
        let rest = try floats(reader)
        return (block + rest, reader.flaws)
    }

    @Test func `by what is written behind it is read as it was`() throws {
        let found = try read {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder("a.wav")))
            try file.seekToEnd()
            try file.write(contentsOf: Data(repeating: 0x3e, count: 100_000))
        }
        let isSame = found.read == sound
        #expect(isSame && found.flaws.isEmpty)
    }

    @Test func `because another takes its name is read as it was`() throws {
        let found = try read {
            try writeFile(folder("b.wav"), [0.5, 0.5], channels: 2)
            try #require(rename(folder("b.wav"), folder("a.wav")) == 0)
        }
        let isSame = found.read == sound
        #expect(isSame && found.flaws.isEmpty)
    }

    @Test func `because it is removed is read as it was`() throws {
        let found = try read { try #require(unlink(folder("a.wav")) == 0) }
        let isSame = found.read == sound
        #expect(isSame && found.flaws.isEmpty)
    }

    @Test func `because it is cut off is read up to there, with the flaw or the error that says so`() throws {
        let size = try bytes(of: folder("a.wav")).count
        let cut = { try #require(truncate(folder("a.wav"), off_t(size - 20_000 * 8)) == 0) }
        let found = try read(.readablePart, cut)
        #expect((39_000...40_000).contains(found.read.count / 2), "\(found.read.count / 2) frames")
        let isSame = found.read.elementsEqual(sound.prefix(found.read.count))
        #expect(isSame && found.flaws.count == 1, "\(found.flaws)")
        try writeFile(folder("a.wav"), sound, channels: 2)
        let error = #expect(throws: SoundFileError.self) { _ = try read(.whole, cut) }
        #expect(error?.kind == .io && error?.reason.contains("was it changed") == true, "\(error as Any)")
    }

    @Test(arguments: ["a.flac", "a.ogg", "a.mp3", "a.caf", "a.w64"])
    func `of another kind ends in frames, a flaw or an error`(name: String) throws {
        try writeFile(folder(name), sound, channels: 2)
        let content = try bytes(of: folder(name))
        for change in 0..<3 {
            try put(content, at: folder(name))
            let reader = try SoundFileReader(path: folder(name), accepting: .readablePart)
            var block = [Float](repeating: 0, count: 20_000)
            _ = try reader.read(10_000, into: &block)
            switch change {
            case 0: try #require(truncate(folder(name), off_t(content.count / 2)) == 0)
            case 1: try put([UInt8](repeating: 0xa5, count: content.count), at: folder(name))
            default: try put(content.reversed(), at: folder(name))
            }
            do {
                while try reader.read(10_000, into: &block) > 0 {}
            } catch {
                requireSentence(error, folder(name))
            }
            #expect(reader.position <= 70_000)
        }
    }
}
