import Foundation
import TestSupport
import Testing

@testable import AudioFiles

@Suite("FLAC in Ogg and in a pipe") struct FLACStreamTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let block = FLACBytes.blockFrames
    private static let frames = 20 * block + 100

    /// How the bytes come.
    enum Way: CaseIterable {
        case oggFile, pipe, oggPipe
    }

    private func samples(_ count: Int = frames, bits: Int = 16) -> [Int32] {
        steps(count, bits: bits).map { $0 == 0 ? 1 : $0 >> (32 - bits) }
    }

    /// The samples that a reader gets from these bytes, and the flaws that it reports at the end.
    private func read(
        _ bytes: [UInt8], _ way: Way, then check: (SoundFileReader) throws -> Void = { _ in }
    ) throws -> (samples: [Int32], flaws: [SoundFileFlaw]) {
        if way == .oggFile {
            try put(bytes, at: folder("a.oga"))
            let reader = try SoundFileReader(path: folder("a.oga"), accepting: .readablePart)
            let samples = try AudioFilesTests.samples(reader, as: .int32, of: Int32.self)
            try check(reader)
            return (samples, reader.flaws)
        }
        let pipe = Pipe()
        let writer = Thread { [handle = pipe.fileHandleForWriting] in
            // In pieces that fit to nothing.
            for start in stride(from: 0, to: bytes.count, by: 997) {
                try? handle.write(contentsOf: bytes[start..<min(bytes.count, start + 997)])
            }
            try? handle.close()
        }
        writer.start()
        let reader = try SoundFileReader(
            descriptor: pipe.fileHandleForReading.fileDescriptor, name: "the pipe", accepting: .readablePart)
        let samples = try AudioFilesTests.samples(reader, as: .int32, of: Int32.self)
        try check(reader)
        return (samples, reader.flaws)
    }

    private func bytes(_ file: FLACBytes, _ way: Way) -> [UInt8] { way == .pipe ? file.bytes : file.ogg() }

    @Test(arguments: Way.allCases, [12, 15, 16, 20, 24, 32])
    func `of any number of bits is read to the bit`(way: Way, bits: Int) throws {
        let sound = samples(3000, bits: bits)
        let file = try FLACBytes(sound, bits: bits, channels: 2)
        let made = try read(bytes(file, way), way) { reader in
            #expect(reader.frames == 1500 && reader.formatWords.hasSuffix("Signed \(bits) bit PCM"))
            #expect(reader.formatWords.hasPrefix("Ogg ") == (way != .pipe) && reader.fileFormat?.container == .flac)
        }
        #expect(made.samples == sound.map { $0 << Int32(32 - bits) } && made.flaws.isEmpty, "\(made.flaws)")
    }

    @Test(arguments: Way.allCases) func `tells damage with its frame, and keeps the time`(way: Way) throws {
        let sound = samples()
        var (file, expected) = (try FLACBytes(sound, bits: 16), sound)
        for index in [3, 4, 9] {
            file.damage(index)
            let hole = (index * Self.block)..<((index + 1) * Self.block)
            expected.replaceSubrange(hole, with: repeatElement(0, count: Self.block))
        }
        let made = try read(bytes(file, way), way)
        #expect(made.samples == expected.map { $0 << 16 })
        #expect(made.flaws == [.damaged(frame: 3 * Self.block, silentFrames: 3 * Self.block, places: 2)])
    }

    @Test(arguments: Way.allCases) func `does not believe a wrong total`(way: Way) throws {
        let sound = samples()
        var file = try FLACBytes(sound, bits: 16)
        file.setTotal(1000)
        var made = try read(bytes(file, way), way)
        #expect(made.samples.count == sound.count && made.flaws == [.moreFrames(promised: 1000)])
        file.setTotal(Self.frames + 1)
        made = try read(bytes(file, way), way)
        let stopped = SoundFileFlaw.stopped(frame: Self.frames, promised: Self.frames + 1, reason: nil)
        #expect(made.samples.count == sound.count)
        #expect(made.flaws == (way == .oggFile ? [.missingFrames(promised: Self.frames + 1)] : []) + [stopped])
        file.setTotal(0)
        made = try read(bytes(file, way), way)
        #expect(made.samples == sound.map { $0 << 16 } && made.flaws.isEmpty)
    }

    @Test(arguments: Way.allCases) func `of unknown length that was cut off has lost its end`(way: Way) throws {
        var file = try FLACBytes(samples(), bits: 16)
        file.setTotal(0)
        let cut = Array(bytes(file, way).dropLast(20))
        let made = try read(cut, way)
        #expect(made.samples.count < Self.frames && made.samples.count > Self.frames / 2)
        #expect(made.flaws == [.missingEnd])
        // As a recorder that was killed leaves it: it can still be played.
        try put(cut, at: folder("cut.oga"))
        let reader = try SoundFileReader(path: folder("cut.oga"))
        #expect(try AudioFilesTests.samples(reader, as: .int32, of: Int32.self).count == made.samples.count)
        #expect(reader.flaws.isEmpty)
    }

    @Test(arguments: [Way.oggFile, .oggPipe]) func `loses of a broken page what is in it, and says so`(way: Way) throws
    {
        let (sound, file) = (samples(), try FLACBytes(samples(), bits: 16))
        var bytes = file.ogg()
        // The third page of sound, of frames 6 to 8.
        let marks = bytes.indices.filter { bytes[$0...].starts(with: "OggS".utf8) }
        let blocks = marks.count - 7
        bytes[marks[blocks + 2] + 1] ^= 0x55
        var expected = sound
        let hole = (6 * Self.block)..<(9 * Self.block)
        expected.replaceSubrange(hole, with: repeatElement(0, count: hole.count))
        let made = try read(bytes, way)
        #expect(made.samples == expected.map { $0 << 16 })
        #expect(made.flaws == [.damaged(frame: hole.lowerBound, silentFrames: hole.count, places: 1)])
    }

    @Test(arguments: [Way.oggFile, .oggPipe]) func `leaves out what is of another stream`(way: Way) throws {
        let made = try read(FLACBytes(samples(), bits: 16).ogg(framesPerPage: 1, beside: true), way)
        #expect(made.samples == samples().map { $0 << 16 } && made.flaws.isEmpty, "\(made.flaws)")
    }

    /// A frame of another kind stands before it: from there the same hole was met again and again.
    @Test func `a hole behind what is left out is read past`() throws {
        let text =
            "T2dnUwACAAAAAAAAAAAr3U5OAAAAAIlPQUcBM39GTEFDAQAAAWZMYUMAAAAiAEAAQAAAIgAAWCH0APAAAAGQYT64Bms4dfyR"
            + "NZ9/zyacFU9nZ1MAAAAAAAAAAAAAK91OTgEAAAANyhIhASyEAAAoIAAAAHJlZmVyZW5jZSBsaWJGTEFDIDEuNC4yIDIwMjIx"
            + "MDIyAAAAAE9nZ1MABJABAEAAAAAAK91OTgIAAADl0XJBB1hPT1BQUCL/+GQIAD9eGAI7FLYpKDp3CkFhcwDd0FDYWpiVfjqa"
            + "W+u7FEmv76tq9mzi1MC8SCMSicBFo//4ZAgBP0sYNQsiiA4e+OsBsE/ahsr2/k8kkVtW0G/AwIS43EYlFAgPjMhdolXmotry"
            + "TSOTXltUedWJ2QmZ8IBQJRGblxCwQL6CttpFs6D/+GQIAj90GKousw/AMdDaAZlQesOt0Um56JxIJz03KXStD6oLK9v5PJJ1"
            + "uik3PROJBOem5S6VgfVBZXt/J5JIratgn5z/+GQIBT8fGAAAFREo+DqbAZCXG4jEooEB8ZkTdQv6V1leyaSSKR11f04bVpYX"
            + "H4gE4pPD8mKkjAkyyzrE/mNt8W4ph0K6tKamZuPXIJwwvf/4ZAgGD7AWNQIikg4SAg9zICWJUeqiFI+q5FN2g3/6Hns="
        let bytes = try [UInt8](#require(Data(base64Encoded: text)))
        #expect(try read(bytes, .oggFile).flaws.isEmpty == false)
    }

    @Test func `in Ogg a seek leads to the same sound`() throws {
        let sound = samples()
        try put(FLACBytes(sound, bits: 16).ogg(framesPerPage: 1), at: folder("a.oga"))
        let reader = try SoundFileReader(path: folder("a.oga"))
        for frame in [5000, 0, 3 * Self.block + 7, 2000, 5 * Self.block + 1, Self.frames - 1] {
            #expect(try reader.seek(to: frame) == frame)
            var block: [Float] = [9]
            #expect(try reader.read(1, into: &block) == 1 && block[0] == Float(sound[frame]) / 32768)
        }
    }

    /// The bytes of the FLAC file, from any place on, however few pages the index has.
    @Test(arguments: [2, 5, 100]) func `an index of few pages finds each byte`(entries: Int) throws {
        let file = try FLACBytes(samples(), bits: 16)
        try put(file.ogg(framesPerPage: 1, beside: true), at: folder("a.oga"))
        let descriptor = open(folder("a.oga"), O_RDONLY)
        defer { close(descriptor) }
        let regular = try #require(RegularBytes(descriptor))
        let source = try #require(OggFLACBytes(regular, mostEntries: entries))
        #expect(source.length == file.bytes.count && source.bytes(source.length + 9, at: 0) == file.bytes)
        for place in [source.length - 1, 0, 3000, 1, source.length / 2, 42, source.length] {
            #expect(source.bytes(500, at: place) == Array(file.bytes[place...].prefix(500)), "\(place)")
        }
    }

    /// A hostile file has no end of them, and each page is looked for among all.
    @Test func `of streams that are chained no more than 4096 are read`() throws {
        // The first page of each: 28 bytes of Ogg, 9 of its mapping, and 42 of the FLAC file.
        var page = Array(try FLACBytes(samples(Self.block), bits: 16).ogg().prefix(28 + 9 + 42))
        // Where a stream begins.
        page[5] = 2
        var bytes: [UInt8] = []
        for number in 0..<4100 {
            page[14] = UInt8(number & 0xff)
            page[15] = UInt8(number >> 8)
            bytes += page
        }
        try put(bytes, at: folder("a.oga"))
        let descriptor = open(folder("a.oga"), O_RDONLY)
        defer { close(descriptor) }
        let regular = try #require(RegularBytes(descriptor))
        #expect(try #require(OggFLACBytes(regular)).length == 4096 * 42)
    }

    @Test func `what is written behind the end meanwhile is not of the file`() throws {
        let file = try FLACBytes(samples(), bits: 16)
        let bytes = file.ogg(framesPerPage: 1)
        try put(bytes, at: folder("a.oga"))
        let handle = try #require(FileHandle(forUpdatingAtPath: folder("a.oga")))
        let regular = try #require(RegularBytes(handle.fileDescriptor))
        try handle.seekToEnd()
        try handle.write(contentsOf: bytes)
        #expect(regular.bytes(100, at: bytes.count - 10) == bytes.suffix(10) && regular.bytes(1, at: bytes.count) == [])
        #expect(regular.bytes(1, at: bytes.count + 9) == [])
        #expect(try #require(OggFLACBytes(regular)).length == file.bytes.count)
    }

    @Test func `of what came through a pipe the last bytes are kept, and no more than twice as many`() throws {
        let sent = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let pipe = Pipe()
        Thread { [handle = pipe.fileHandleForWriting] in
            try? handle.write(contentsOf: sent)
            try? handle.close()
        }.start()
        let source = PipedBytes(pipe.fileHandleForReading.fileDescriptor, leastBytes: 3000)
        #expect(source.bytes(100, at: 150_000) == Array(sent[150_000..<150_100]) && source.length == .max)
        #expect(source.start > 0 && source.bytes(1, at: source.start - 1).isEmpty)
        #expect(source.bytes(50, at: source.start) == Array(sent[source.start...].prefix(50)))
        #expect(source.bytes(1000, at: 199_500) == Array(sent[199_500...]) && source.length == 200_000)
        // One piece more may have come than is kept.
        #expect(source.start >= 200_000 - 2 * 3000 - 65_536)
    }
}
