import TestSupport
import Testing

@testable import AudioFiles

/// libsndfile says in its log that samples are missing. The log has 2047 bytes, and texts and markers go into it.
@Suite("A file whose texts and markers fill libsndfile's log") struct FullLogTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Mono of 16 bits, in chunks of which the last is that of the samples.
    private static func file(_ name: String, promised: UInt32, present: Int) -> [UInt8] {
        let samples = [UInt8](repeating: 1, count: present)
        switch name {
        case "a.aiff":
            let rate: [UInt8] = [0x40, 0x0e, 0xbb, 0x80, 0, 0, 0, 0, 0, 0]
            let format = named("COMM", big(UInt32(18)), [0, 1], big(promised / 2), [0, 16], rate)
            // Each a number, a frame and a name of three letters.
            let marks: [UInt8] = (0..<40).flatMap { (number: UInt8) -> [UInt8] in
                [0, number, 0, 0, 0, 1, 3, 97, 98, 99]
            }
            let places = named("MARK", big(UInt32(2 + marks.count)), [0, 40], marks)
            let sound = named("SSND", big(promised + 8), [UInt8](repeating: 0, count: 8), samples)
            let size = UInt32(4 + format.count + places.count + sound.count)
            return named("FORM", big(size)) + named("AIFF", format, places, sound)
        case "a.caf":
            let rate = big((48000.0).bitPattern)
            // Big-endian; bytes and frames of a packet, channels and bits.
            let layout: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 16]
            let format = named("desc", big(UInt64(32)), rate, named("lpcm", layout))
            let text = big(UInt32(1)) + named("comments", [0], [UInt8](repeating: 99, count: 1900), [0])
            let texts = named("info", big(UInt64(text.count)), text)
            let sound = named("data", big(UInt64(promised) + 4), [0, 0, 0, 0], samples)
            return named("caff", [0, 1, 0, 0], format, texts, sound)
        default:
            let text = WaveBytes.Chunk.info("ICMT", [UInt8](repeating: 99, count: 1900))
            return WaveBytes(chunks: [.format(), text, .init("data", samples, size: promised)]).bytes
        }
    }

    /// - Parameter more: bytes in the chunk of samples before them.
    @Test(arguments: [("a.wav", 0), ("a.aiff", 8), ("a.caf", 4)])
    func `is cut off where samples are missing, and else whole`(name: String, more: Int) throws {
        try put(Self.file(name, promised: 400, present: 400), at: folder(name))
        #expect(try floats(SoundFileReader(path: folder(name))).count == 200)
        #expect(try SoundFileReader(path: folder(name), accepting: .readablePart).flaws.isEmpty)
        try put(Self.file(name, promised: 400, present: 200), at: folder(name))
        let flaws = try SoundFileReader(path: folder(name), accepting: .readablePart).flaws
        #expect(flaws == [.missingBytes(promised: 400 + more, present: 200 + more)])
        let error = #expect(throws: SoundFileError.self) { try SoundFileReader(path: folder(name)) }
        #expect(error?.kind == .badInput && error?.reason.contains("it is cut off") == true)
    }

    @Test func `has its samples found behind chunks of any number and size, in a few steps`() throws {
        func samples(_ bytes: [UInt8]) -> FileChunks.Chunk? { FileChunks(HeldBytes(bytes))?.samples }
        let found = samples(Self.file("a.caf", promised: 400, present: 200))
        #expect(found?.size == 404 && found.map { $0.content - $0.place } == 12)
        let head = named("caff", [0, 0, 0, 0])
        let sizes: [UInt64] = [.max, 1 << 63, (1 << 63) - 1, (1 << 63) - 20, 1000]
        for size in sizes {
            #expect(samples(head + named("free", big(size)) + named("data", big(UInt64(4)))) == nil, "\(size)")
        }
        #expect(samples(head + named("data", big(UInt64.max)))?.size == -1)
        let wave = named("RIFF", [0, 0, 0, 0]) + named("WAVE")
        let sound = named("data", little(UInt32(4)))
        func empty(_ count: Int) -> [UInt8] {
            Array(repeatElement(named("none", [0, 0, 0, 0]), count: count).joined())
        }
        #expect(samples(wave + empty(9999) + sound)?.size == 4 && samples(wave + empty(10_000) + sound) == nil)
        #expect(samples(wave + named("free", little(UInt32.max)) + sound) == nil)
        #expect(samples(named("RIF")) == nil && samples([]) == nil)
    }
}

/// A file that is an array.
private final class HeldBytes: FileBytes {
    let start = 0
    let hasFailed = false
    private let held: [UInt8]
    var length: Int { held.count }

    init(_ held: [UInt8]) { self.held = held }

    func read(into room: UnsafeMutableRawBufferPointer, at place: Int) -> Int {
        let part = held.dropFirst(place).prefix(room.count)
        room.copyBytes(from: part)
        return part.count
    }
}
