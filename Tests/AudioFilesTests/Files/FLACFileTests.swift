import AudioFiles
import CFLAC
import TestSupport
import Testing

@Suite("A FLAC file") struct FLACFileTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let frames = 20 * FLACBytes.blockFrames + 100
    private static let block = FLACBytes.blockFrames

    /// Different in each frame of the file, and never silent.
    private func samples(_ count: Int = frames, bits: Int = 16) -> [Int32] {
        steps(count, bits: bits).map { $0 == 0 ? 1 : $0 >> (32 - bits) }
    }

    private func reader(_ file: FLACBytes) throws -> SoundFileReader {
        try put(file.bytes, at: folder("a.flac"))
        return try SoundFileReader(path: folder("a.flac"), accepting: .readablePart)
    }

    private func read(_ reader: SoundFileReader) throws -> [Int32] {
        try AudioFilesTests.samples(reader, as: .int32, of: Int32.self)
    }

    private func expect(
        _ file: FLACBytes, _ expected: [Int32], _ flaws: [SoundFileFlaw],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let reader = try reader(file)
        let read = try read(reader)
        #expect(read.count == expected.count && read == expected.map { $0 << 16 }, sourceLocation: location)
        #expect(reader.flaws == flaws, sourceLocation: location)
    }

    @Test(arguments: [4, 8, 12, 15, 16, 20, 24, 32])
    func `of any number of bits is read to the bit`(bits: Int) throws {
        let sound = samples(3000, bits: bits)
        let reader = try reader(FLACBytes(sound, bits: bits, channels: 2))
        #expect(try read(reader) == sound.map { $0 << Int32(32 - bits) })
        #expect(reader.frames == 1500 && reader.flaws.isEmpty)
        #expect(reader.formatWords.hasSuffix("Signed \(bits) bit PCM"))
        #expect(
            reader.exactFormat.sampleFormat == (bits <= 8 ? .int8 : bits <= 16 ? .int16 : bits <= 24 ? .int24 : .int32))
        try reader.seek(to: 1001)
        #expect(try floats(reader).first == Float(Double(sound[2002]) / Double(1 << (bits - 1))))
    }

    @Test func `whose header promises too little or too much is read to its end, and that is told`() throws {
        let sound = samples()
        var file = try FLACBytes(sound, bits: 16)
        for promised in [100, 5 * Self.block, Self.frames - 1] {
            file.setTotal(promised)
            try expect(file, sound, [.moreFrames(promised: promised)])
            #expect(throws: SoundFileError.self) { try SoundFileReader(path: folder("a.flac")) }
        }
        file.setTotal(Self.frames + 1)
        try expect(
            file, sound,
            [
                .missingFrames(promised: Self.frames + 1),
                .stopped(frame: Self.frames, promised: Self.frames + 1, reason: nil),
            ])
        file.setTotal(0)
        try expect(file, sound, [])
    }

    @Test func `that is damaged is silent there, and goes on in time`() throws {
        let sound = samples()
        var (file, expected) = (try FLACBytes(sound, bits: 16), sound)
        for index in [3, 4, 9] {
            file.damage(index)
            expected.replaceSubrange(
                (index * Self.block)..<((index + 1) * Self.block), with: repeatElement(0, count: Self.block))
        }
        try expect(file, expected, [.damaged(frame: 3 * Self.block, silentFrames: 3 * Self.block, places: 2)])
        // A seek leads to the same sound.
        let reader = try reader(file)
        for frame in [5000, 0, 3 * Self.block + 7, 2000, 5 * Self.block + 1, Self.frames - 1] {
            #expect(try reader.seek(to: frame) == frame)
            var block: [Float] = [9]
            #expect(try reader.read(1, into: &block) == 1 && block[0] == Float(expected[frame]) / 32768)
        }
    }

    @Test func `of which frames were cut out or the first is damaged keeps the time of the others`() throws {
        let sound = samples()
        let silence = repeatElement(Int32(0), count: Self.block)
        var cut = try FLACBytes(sound, bits: 16)
        cut.remove(7)
        let hole = (7 * Self.block)..<(8 * Self.block)
        var expected = sound
        expected.replaceSubrange(hole, with: silence)
        try expect(cut, expected, [.damaged(frame: hole.lowerBound, silentFrames: Self.block, places: 1)])
        var headless = try FLACBytes(sound, bits: 16)
        headless.damage(0)
        expected = sound
        expected.replaceSubrange(0..<Self.block, with: silence)
        try expect(headless, expected, [.damaged(frame: 0, silentFrames: Self.block, places: 1)])
    }

    @Test func `makes no more silence of a wrong number than its bytes could have been sound`() throws {
        let sound = samples(2 * Self.block)
        var file = try FLACBytes(sound, bits: 16)
        // Its last frame comes directly behind the two.
        var late = try FLACBytes([Int32](repeating: 7, count: 200 * Self.block), bits: 16)
        while late.frames.count > 1 { late.remove(0) }
        file.append(late)
        let reader = try reader(file)
        #expect(try read(reader).count <= 4 * Self.block)
        #expect(reader.flaws.contains { if case .damaged = $0 { true } else { false } }, "\(reader.flaws)")
    }

    @Test func `whose rate changes is read up to there, and says where`() throws {
        let sound = samples(10 * Self.block)
        for (rate, channels, bits) in [(44_100, 1, 16), (48_000, 2, 16), (48_000, 1, 24)] {
            var file = try FLACBytes(sound, bits: 16)
            let other = try FLACBytes(samples(4 * Self.block), bits: bits, channels: channels, sampleRate: rate)
            for withHeader in [false, true] {
                file = try FLACBytes(sound, bits: 16)
                file.append(other, withHeader: withHeader)
                try expect(
                    file, sound,
                    [.changed(frame: sound.count, sampleRate: rate, channels: channels, bits: bits)])
            }
        }
    }

    @Test func `that two were put together into is read as both`() throws {
        let sound = samples(10 * Self.block)
        var file = try FLACBytes(sound, bits: 16)
        file.append(try FLACBytes(sound, bits: 16), withHeader: true)
        try expect(
            file, sound + sound,
            [.damaged(frame: sound.count, silentFrames: 0, places: 1), .moreFrames(promised: sound.count)])
    }

    @Test func `of unknown length is read from its beginning again after a seek beyond its end`() throws {
        let sound = samples()
        var file = try FLACBytes(sound, bits: 16)
        file.setTotal(0)
        let reader = try reader(file)
        #expect(try reader.seek(to: 2 * Self.frames) == Self.frames)
        #expect(try reader.seek(to: 0) == 0)
        #expect(try read(reader) == sound.map { $0 << 16 })
    }

    @Test func `that was cut out of a stream begins with what is there`() throws {
        let sound = samples()
        var file = try FLACBytes(sound, bits: 16)
        for _ in 0..<5 { file.remove(0) }
        file.setTotal(0)
        try expect(file, Array(sound.dropFirst(5 * Self.block)), [])
        #expect(try reader(file).seek(to: 1000) == 1000)
    }
}
