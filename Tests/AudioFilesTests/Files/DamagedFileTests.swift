import AudioFiles
import Glibc
import TestSupport
import Testing

@Suite("A damaged file") struct DamagedFileTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let names = ["a.wav", "a.w64", "a.caf", "a.aiff", "a.au", "a.flac", "a.ogg", "a.opus", "a.mp3"]
    private static let frames = 9600

    private func make(_ name: String, frames: Int = frames) throws -> [UInt8] {
        let sound = chord(frames: frames, channels: 2, sampleRate: 48000)
        let markers = [Marker(frame: 3, label: "three")]
        try writeFile(folder(name), sound, channels: 2, metadata: .init([.title: "A title"]), markers: markers)
        return try bytes(of: folder(name))
    }

    /// Reads all that a file gives; returns how many frames that is, or `nil` where it is refused.
    private func read(_ path: String) throws -> (frames: Int, flaws: [SoundFileFlaw])? {
        do throws(SoundFileError) {
            let reader = try SoundFileReader(path: path, accepting: .readablePart)
            #expect((1...1024).contains(reader.channels) && reader.sampleRate > 0)
            _ = (reader.metadata, reader.markers, reader.loops)
            var block = [Float](repeating: .nan, count: 512 * reader.channels)
            var frames = 0
            // A header may promise years.
            while frames < 1 << 20, case let count = try reader.read(512, into: &block), count > 0 {
                #expect(count <= 512 && block.prefix(count * reader.channels).isFinite)
                frames += count
            }
            try reader.seek(to: frames / 2)
            return (frames, reader.flaws)
        } catch {
            #expect(error.kind == .badInput || error.kind == .io, "\(error)")
            requireSentence(error, path)
            return nil
        }
    }

    @Test(arguments: names)
    func `that was cut off is read up to there`(name: String) throws {
        // Ogg's pages are so long that a shorter file has hardly one.
        let frames = 96_000
        let whole = try make(name, frames: frames)
        let all = try #require(try read(folder(name)))
        #expect(all.flaws.isEmpty && all.frames >= frames)
        var last = 0
        for share in 0..<32 {
            try put(Array(whole.prefix(whole.count * share / 32)), at: folder(name))
            guard let part = try read(folder(name)) else {
                #expect(last == 0, "a longer part is refused")
                continue
            }
            #expect(part.frames >= last && part.frames <= all.frames)
            last = part.frames
            if part.frames < frames { #expect(!part.flaws.isEmpty, "\(share)/32: \(part)") }
        }
        // libsndfile finds no samples in CAF where they are cut off.
        if name == "a.caf" { return }
        #expect(last > frames / 2, "of nearly the whole, \(last) frames are read")
    }

    /// The places of the header's fields of 64 bits: the size of the whole, and of the samples.
    @Test(arguments: [("a.w64", 16, 128), ("a.rf64", 20, 28)])
    func `that was cut off is known by what its header promises, more than 4 GiB too`(
        name: String, whole: Int, samples: Int
    ) throws {
        let made = try make(name)
        for promise in [UInt64(3) << 30, 5 << 30] {
            var cut = made
            for place in [whole, samples] { cut.replaceSubrange(place..<place + 8, with: little(promise)) }
            try put(cut, at: folder(name))
            guard case .missingBytes(Int(promise), _) = try #require(try read(folder(name))?.flaws.first) else {
                Issue.record("\(try read(folder(name))?.flaws ?? [])")
                continue
            }
            let error = #expect(throws: SoundFileError.self) {
                try SoundFileReader(path: folder(name), accepting: .whole)
            }
            #expect(error?.kind == .badInput)
        }
    }

    @Test func `of MP3 that lost its end says nothing where its header promised nothing`() throws {
        let whole = try make("a.mp3")
        let half = Array(whole.prefix(whole.count / 2))
        try put(half, at: folder("a.mp3"))
        let promised = try #require(try read(folder("a.mp3")))
        guard case .missingBytes(_, half.count) = try #require(promised.flaws.first) else {
            Issue.record("\(promised.flaws)")
            return
        }
        // Behind a tag as long as its head says: 2 · 128 bytes.
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 2, 0] + [UInt8](repeating: 0, count: 256)
        try put(tag + half, at: folder("a.mp3"))
        #expect(try read(folder("a.mp3"))?.flaws == promised.flaws)
        let header = try #require(half.firstRange(of: Array("Info".utf8)) ?? half.firstRange(of: Array("Xing".utf8)))
        var silent = half
        silent.replaceSubrange(header, with: Array("none".utf8))
        try put(silent, at: folder("a.mp3"))
        #expect(try read(folder("a.mp3"))?.flaws == [])
    }

    @Test(arguments: [512, 4096, 48000])
    func `of MP3 is read up to its last whole frame, wherever it was cut and however much is read at once`(
        count: Int
    ) throws {
        let whole = try make("a.mp3", frames: 48_000)
        // As a recorder that is killed leaves it: the header is the last that is written.
        let header = try #require(whole.firstRange(of: Array("Info".utf8)) ?? whole.firstRange(of: Array("Xing".utf8)))
        var silent = whole
        silent.replaceSubrange(header, with: Array("none".utf8))
        let least = silent.count / 2
        var last = 0
        for cut in stride(from: least, to: least + 2000, by: 37) {
            try put(Array(silent.prefix(cut)), at: folder("a.mp3"))
            let reader = try SoundFileReader(path: folder("a.mp3"))
            var block = [Float](repeating: 0, count: count * reader.channels)
            while try reader.read(count, into: &block) > 0 {}
            #expect(reader.position % 1152 == 0, "\(cut)")
            if last > 0 { #expect([0, 1152].contains(reader.position - last), "\(cut)") }
            last = reader.position
        }
    }

    @Test(arguments: ["a.ogg", "a.opus", "a.mp3"])
    func `that lost its end is no whole file for who asks, and is read by who takes what there is`(name: String) throws
    {
        let whole = try make(name, frames: 480_000)
        try put(Array(whole.dropLast(whole.count / 3)), at: folder(name))
        #expect(try read(folder(name))?.flaws.count == 1)
        // As a recorder that was killed leaves it: it can still be played.
        #expect(try SoundFileReader(path: folder(name)).flaws.isEmpty)
    }

    @Test(arguments: ["a.ogg", "a.opus"])
    func `that lost its last page alone, which says that none follows, has lost its end`(name: String) throws {
        let whole = try make(name, frames: 480_000)
        #expect(try read(folder(name))?.flaws == [])
        let page = Array("OggS".utf8)
        let last = try #require(whole.indices.last { whole[$0...].starts(with: page) })
        try put(Array(whole.prefix(last)), at: folder(name))
        #expect(try read(folder(name))?.flaws == [.missingEnd])
    }

    @Test(arguments: names)
    func `with bits that were flipped gives frames, a flaw or a sentence`(name: String) throws {
        let whole = try make(name)
        var generator = SeededGenerator(seed: 11)
        for round in 0..<60 {
            var damaged = whole
            for _ in 0..<(1 << (round % 6)) {
                // In every second round within the headers, where it hurts most.
                let limit = round % 2 == 0 ? damaged.count : min(damaged.count, 200)
                damaged[Int.random(in: 0..<limit, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            }
            try put(damaged, at: folder(name))
            _ = try read(folder(name))
        }
    }

    @Test(arguments: ["a.wav", "a.flac", "a.caf", "a.au"])
    func `that shrinks while it is read ends with a flaw, or an error`(name: String) throws {
        let whole = try make(name)
        for acceptance in [SoundFileReader.Acceptance.whole, .readablePart] {
            try put(whole, at: folder(name))
            let reader = try SoundFileReader(path: folder(name), accepting: acceptance)
            var block = [Float](repeating: 0, count: 2000)
            #expect(try reader.read(1000, into: &block) == 1000)
            truncate(folder(name), whole.count / 2)
            do throws(SoundFileError) {
                while try reader.read(1000, into: &block) > 0 {}
                #expect(acceptance == .readablePart)
                #expect(reader.flaws.contains { if case .stopped = $0 { true } else { false } }, "\(reader.flaws)")
                #expect(reader.position < Self.frames)
            } catch {
                #expect(acceptance == .whole && error.kind == .io, "\(error)")
                requireSentence(error, folder(name))
            }
        }
    }

    @Test func `that grows while it is read has its first length`() throws {
        let whole = try make("a.wav")
        let reader = try SoundFileReader(path: folder("a.wav"))
        try put(whole + whole, at: folder("a.wav"))
        #expect(try floats(reader).count == Self.frames * 2)
    }

    @Test func `takes no memory for what a header says`() throws {
        // 1024 channels, 2⁴⁰ frames and chunks of 4 GiB, in a few hundred bytes.
        let cases: [[WaveBytes.Chunk]] = [
            [.format(channels: 1024), .data(20, size: 0x7000_0000)],
            [.format(), .init("cue ", [1, 2, 3], size: 0x7000_0000), .data(200)],
            [.format(), .init("LIST", Array("adtl".utf8), size: 0xfff0_0000), .data(200)],
            [.format(), .init("bext", [1], size: 0xfff0_0000), .data(200)],
            [.format(), .init("smpl", [1], size: 0xfff0_0000), .data(200)],
        ]
        for chunks in cases {
            try put(WaveBytes(chunks: chunks).bytes, at: folder("a.wav"))
            let before = residentMaximumKibibytes()
            _ = try read(folder("a.wav"))
            #expect(residentMaximumKibibytes() - before < 32 * 1024)
        }
    }

    /// The most that the process ever had resident.
    private func residentMaximumKibibytes() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss
    }
}
