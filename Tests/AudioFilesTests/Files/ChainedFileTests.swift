import Foundation
import TestSupport
import Testing

@testable import AudioFiles

@Suite("Files of Ogg and MP3, one behind the other") struct ChainedFileTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let frames = 96_000

    /// The bytes of a file of noise, in which no two places are alike.
    private func make(_ name: String, seed: UInt64, frames: Int = frames, sampleRate: Int = 48000) throws -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        let sound = (0..<frames).map { _ in Float.random(in: -0.5...0.5, using: &generator) }
        let title = SoundFileMetadata([.title: "Number \(seed)"])
        try writeFile(folder(name), sound, sampleRate: sampleRate, metadata: title)
        return try bytes(of: folder(name))
    }

    private func reader(_ name: String, _ bytes: [UInt8]) throws -> SoundFileReader {
        try put(bytes, at: folder(name))
        return try SoundFileReader(path: folder(name), accepting: .readablePart)
    }

    private func samples(_ reader: SoundFileReader, _ count: Int = .max) throws -> [Float] {
        var (block, made) = ([Float](repeating: 0, count: 1000), [Float]())
        while made.count < count, case let read = try reader.read(min(1000, count - made.count), into: &block), read > 0
        {
            made += block.prefix(read)
        }
        return made
    }

    private func samples(_ name: String, _ bytes: [UInt8]) throws -> [Float] { try samples(reader(name, bytes)) }

    @Test(arguments: ["a.ogg", "a.opus", "a.mp3"])
    func `are all read, each as if it were alone`(name: String) throws {
        let parts = try [3, 5, 8].map { try make(name, seed: $0) }
        let whole = try parts.flatMap { try samples(name, $0) }
        let reader = try reader(name, parts.flatMap(\.self))
        let isSame = try samples(reader) == whole
        #expect(isSame && whole.count >= 3 * Self.frames && reader.flaws.isEmpty)
        #expect((reader.frames ?? reader.estimatedFrames) == whole.count)
        #expect(reader.metadata[.title] == "Number 3", "of the first, also at the end")
        // Back to the beginning, and to places in the second and the third, which are its samples to the last one.
        for frame in [0, whole.count / 2, whole.count - 10] {
            #expect(try reader.seek(to: frame) == frame)
            let (read, wanted) = (try samples(reader, 10), Array(whole[frame..<min(whole.count, frame + 10)]))
            // Opus comes to itself behind a seek.
            if name != "a.opus" { #expect(read == wanted, "\(frame)") } else { #expect(read.count == 10) }
        }
    }

    @Test func `of MP3 are found behind the tags that stand between them`() throws {
        let (first, second) = (try make("a.mp3", seed: 3), try make("a.mp3", seed: 5))
        let whole = try samples("a.mp3", first).count + samples("a.mp3", second).count
        let old = Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)
        let item = [UInt8](repeating: 7, count: 500)
        var head = Array("APETAGEX".utf8)
        for number: UInt32 in [2000, UInt32(item.count + 32), 1, 0xa000_0000, 0, 0] {
            head.append(littleEndian: number)
        }
        let reader = try reader("a.mp3", first + head + item + head + old + second)
        #expect(try samples(reader).count == whole && reader.flaws.isEmpty)
    }

    /// How many bytes this thread has read.
    private func readBytes() throws -> Int {
        let counts = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
        return try #require(counts.firstMatch(of: /rchar: (\d+)/).flatMap { Int($0.1) })
    }

    @Test func `of MP3 are looked for behind thousands of tags without reading 8 KiB at each`() throws {
        let emptyTag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0]
        let parts = (try make("a.mp3", seed: 3), try make("a.mp3", seed: 5))
        let tagged = parts.0 + (0..<2000).flatMap { _ in emptyTag }
        try put(tagged, at: folder("a.mp3"))
        let before = try readBytes()
        let alone = try SoundFileReader(path: folder("a.mp3"), accepting: .readablePart)
        #expect(try readBytes() - before < 20 * tagged.count)
        #expect(alone.flaws.isEmpty)
        #expect(try samples("a.mp3", tagged + parts.1).count >= 2 * Self.frames)
    }

    @Test(arguments: ["a.ogg", "a.mp3"])
    func `that have another rate are left out, which is said before it is heard`(name: String) throws {
        let parts = try [make(name, seed: 3), make(name, seed: 5, sampleRate: 44100), make(name, seed: 8)]
        let single = try samples(name, parts[0]).count
        let reader = try reader(name, parts.flatMap(\.self))
        #expect(reader.flaws == [.changed(frame: single, sampleRate: 44100, channels: 1, bits: nil)])
        #expect(try samples(reader).count == 2 * single)
        // To who wants the whole of it, it is none.
        try put(parts.flatMap(\.self), at: folder(name))
        #expect(throws: SoundFileError.self) { try SoundFileReader(path: folder(name)) }
    }

    @Test(arguments: ["a.ogg", "a.opus"])
    func `come through a pipe up to the end of the first, and what is left out is said`(name: String) throws {
        let part = try make(name, seed: 3)
        let single = try samples(name, part).count
        #expect(try piped(part).flaws == [])
        let chained = try piped(part + make(name, seed: 5))
        #expect(chained.frames == single && chained.flaws == [.chained(frame: single)])
        #expect(try piped(part.dropLast(200)).flaws == [.missingEnd])
    }

    private func piped(_ bytes: [UInt8]) throws -> (frames: Int, flaws: [SoundFileFlaw]) {
        let pipe = Pipe()
        let writer = Thread { [handle = pipe.fileHandleForWriting] in
            try? handle.write(contentsOf: bytes)
            try? handle.close()
        }
        writer.start()
        let reader = try SoundFileReader(
            descriptor: pipe.fileHandleForReading.fileDescriptor, name: "the pipe", accepting: .readablePart)
        return (try samples(reader).count, reader.flaws)
    }

    @Test(arguments: ["a.ogg", "a.opus"])
    func `are found, also where strange bytes stand between them, or one is cut off, or holds no sound`(name: String)
        throws
    {
        let parts = try [3, 5, 8].map { try make(name, seed: $0) }
        let lengths = try parts.map { try samples(name, $0).count }
        let tag = Array("TAG".utf8) + [UInt8](repeating: 7, count: 3000)
        let (cut, head): ([UInt8], [UInt8]) = (parts[0].dropLast(100), Array(parts[0].prefix(40)))
        var cases: [(bytes: [UInt8], least: Int)] = []
        cases.append((parts[0] + tag + parts[1], lengths[0] + lengths[1]))
        cases.append((parts[0] + parts[1] + tag, lengths[0] + lengths[1]))
        cases.append((cut + parts[1], lengths[1] + 1))
        cases.append((head + parts[1], lengths[1]))
        cases.append((parts[1] + head + parts[2], lengths[1] + lengths[2]))
        cases.append((parts[1] + cut, lengths[1] + 1))
        for (bytes, least) in cases {
            let reader = try reader(name, bytes)
            let all = try samples(reader)
            #expect(all.count >= least, "\(reader.flaws)")
            // A tag behind the end is no damage.
            if bytes.suffix(tag.count) != tag[...] { #expect(!reader.flaws.isEmpty) }
            #expect(reader.frames.map { $0 >= all.count } ?? true, "\(reader.frames ?? 0) of \(all.count)")
            // From the beginning all comes once more.
            try reader.seek(to: 0)
            #expect(try samples(reader).count == all.count)
        }
    }

    @Test func `of FLAC in Ogg are all read`() throws {
        var parts: [[UInt8]] = []
        for seed: UInt64 in [3, 5] {
            let flac = try make("a.flac", seed: seed)
            try put(flac, at: folder("a.flac"))
            let made = try run("ffmpeg", "-v", "error", "-y", "-i", folder("a.flac"), "-c:a", "flac", folder("a.oga"))
            try #require(made == 0)
            parts.append(try bytes(of: folder("a.oga")))
        }
        let whole = try parts.flatMap { try samples("a.oga", $0) }
        let reader = try reader("a.oga", parts[0] + parts[1])
        let isSame = try samples(reader) == whole
        #expect(isSame && whole.count == 2 * Self.frames, "\(reader.flaws)")
        #expect(try piped(parts[0] + parts[1]).frames == whole.count)
        // What is no FLAC is left out, and that is said.
        let mixed = try self.reader("a.oga", parts[0] + make("a.ogg", seed: 8))
        #expect(try samples(mixed).count == Self.frames)
        #expect(mixed.flaws.contains(.chained(frame: Self.frames)), "\(mixed.flaws)")
    }

    private func run(_ words: String...) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// A tone in frames of 32 kbit/s behind noise in frames of 320, without a header that counts them.
    private func variable(_ rates: [String], sampleRate: String = "44100") throws -> [UInt8] {
        try rates.flatMap { rate in
            let made = try run(
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "anoisesrc=d=2:r=\(sampleRate):a=0.5", "-b:a", rate,
                "-write_xing", "0", "-id3v2_version", "0", folder("part.mp3"))
            try #require(made == 0)
            return try bytes(of: folder("part.mp3"))
        }
    }

    @Test func `of MP3 without a header are read to the end, whatever their first frames have one expect`() throws {
        let reader = try reader("a.mp3", variable(["320k", "32k", "32k", "32k"]))
        let count = try samples(reader).count
        #expect(count > 4 * 2 * 44_100 && count < 4 * 2 * 44_100 + 20_000 && reader.flaws.isEmpty, "\(reader.flaws)")
    }

    @Test func `of MP3 at another rate are left out, also where no header says that they begin`() throws {
        let junk = [UInt8](repeating: 0, count: 3000)
        let reader = try reader("a.mp3", variable(["64k"]) + junk + variable(["32k"], sampleRate: "22050"))
        let count = try samples(reader).count
        #expect(count > 80_000 && count < 100_000)
        #expect(reader.flaws == [.changed(frame: count, sampleRate: 22_050, channels: 1, bits: nil)])
    }

    @Test(arguments: ["a.ogg", "a.opus"])
    func `that shrink while they are read end with a flaw, or an error`(name: String) throws {
        let whole = try make(name, seed: 3, frames: 480_000)
        for acceptance in [SoundFileReader.Acceptance.whole, .readablePart] {
            try put(whole, at: folder(name))
            let reader = try SoundFileReader(path: folder(name), accepting: acceptance)
            #expect(try samples(reader, 1000).count == 1000)
            truncate(folder(name), whole.count / 2)
            do throws(SoundFileError) {
                var block = [Float](repeating: 0, count: 1000)
                while try reader.read(1000, into: &block) > 0 {}
                #expect(acceptance == .readablePart)
                #expect(reader.flaws.contains { if case .stopped = $0 { true } else { false } }, "\(reader.flaws)")
            } catch {
                #expect(acceptance == .whole && error.kind == .io, "\(error)")
            }
        }
    }

    @Test(arguments: ["a.ogg", "a.opus"])
    func `of which a page is broken or missing lose what is in it, and say so`(name: String) throws {
        let whole = try make(name, seed: 3, frames: 480_000)
        let all = try samples(name, whole).count
        let pages = whole.indices.filter { whole[$0...].starts(with: Array("OggS".utf8)) }
        let page = pages[pages.count / 2]..<pages[pages.count / 2 + 1]
        var broken = whole
        broken[page.upperBound - 1] ^= 1
        for bytes in [broken, Array(whole[..<page.lowerBound] + whole[page.upperBound...])] {
            let reader = try reader(name, bytes)
            #expect(reader.flaws == [.lost(frames: nil)])
            let read = try samples(reader).count
            #expect(read > all / 2 && read < all)
            // libsndfile may count the pages of Opus that are there.
            let told: [SoundFileFlaw] = [.lost(frames: all - read)] + (name == "a.opus" ? [.lost(frames: nil)] : [])
            #expect(reader.flaws.count == 1 && told.contains(reader.flaws[0]), "\(reader.flaws)")
        }
    }

    @Test func `of MP3 go on behind a hole that libsndfile takes for the end`() throws {
        let whole = try make("a.mp3", seed: 3)
        let all = try samples("a.mp3", whole)
        var holed = whole
        let hole = (whole.count / 3)..<(whole.count / 3 + 3000)
        holed.replaceSubrange(hole, with: repeatElement(0, count: hole.count))
        let reader = try reader("a.mp3", holed)
        let read = try samples(reader)
        #expect(reader.flaws == [.lost(frames: nil)])
        #expect(read.count < all.count && read.count > all.count * 2 / 3, "\(read.count) of \(all.count)")
        // libmpg123 leaves out its own delay and LAME's. No sound of the last whole frame before the hole is lost.
        #expect((reader.windowStart + 529 + 576) % 1152 == 0)
        // What ends the frames that the encoder filled up is not left out there.
        let late = Array(all[(all.count - 10_000)...].prefix(100))
        let isThere = read.suffix(20_000).firstRange(of: late) != nil
        #expect(isThere)
        try reader.seek(to: 0)
        #expect(try samples(reader).count == read.count && reader.flaws == [.lost(frames: nil)])
    }

    /// The place of each frame.
    private func frames(of bytes: [UInt8]) -> [Int] {
        let isTagged = bytes.starts(with: "ID3".utf8)
        // The size has 7 bits in each byte.
        var place = isTagged ? 10 + bytes[6..<10].reduce(0) { $0 << 7 | Int($1) } : 0
        var places: [Int] = []
        while let header = MPEGHeader(bytes[min(place, bytes.count)...]) {
            places.append(place)
            place += header.frameBytes
        }
        return places
    }

    @Test func `of MP3 say that a frame is lost whose header is damaged`() throws {
        let whole = try make("a.mp3", seed: 3)
        let all = try samples("a.mp3", whole).count
        let places = frames(of: whole)
        var damaged = whole
        damaged[places[places.count / 2]] = 0
        let reader = try reader("a.mp3", damaged)
        let read = try samples(reader).count
        #expect(read < all && read > all - 4 * 1152, "\(read) of \(all)")
        #expect(reader.flaws == [.lost(frames: nil)])
    }

    /// With a Xing header, and without one. With and without a tag behind the last frame.
    @Test(arguments: [true, false], [true, false]) func `of MP3 say that one of the last frames is lost`(
        hasHeader: Bool, hasTag: Bool
    ) throws {
        var whole = try make("a.mp3", seed: 3)
        if !hasHeader { whole.removeFirst(frames(of: whole)[1]) }
        let places = frames(of: whole)
        if hasTag { whole += Array("TAG".utf8) + [UInt8](repeating: 32, count: 125) }
        // That the last one was one, only the header tells.
        for place in places.suffix(5).dropLast(hasHeader ? 0 : 1) {
            var damaged = whole
            damaged[place] = 0
            let reader = try reader("a.mp3", damaged)
            #expect(try samples(reader).count > 90_000)
            #expect(
                reader.flaws == [.lost(frames: nil)], "\(places.last.map { $0 - place } ?? 0) bytes before the last")
        }
        let reader = try reader("a.mp3", whole)
        _ = try samples(reader)
        #expect(reader.flaws.isEmpty, "\(reader.flaws)")
    }

    @Test func `of MP3 lose nothing where tags stand between frames, or other bytes behind the last`() throws {
        let whole = try make("a.mp3", seed: 3)
        let place = frames(of: whole)[20]
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 2, 0] + [UInt8](repeating: 0, count: 256)
        // One that ends as it begins, with other letters.
        let footer: [UInt8] = [4, 0, 0x10, 0, 0, 2, 0]
        let footed = Array("ID3".utf8) + footer + tag.dropFirst(10) + "3DI".utf8 + footer
        let last = Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)
        for (name, bytes) in [
            ("whole", whole), ("junk", whole + [UInt8](repeating: 0, count: 3000)), ("tag", whole + last),
            ("tags", Array(whole[..<place]) + tag + whole[place...] + last),
            ("footer", Array(whole[..<place]) + footed + whole[place...]),
        ] {
            let reader = try reader("a.mp3", bytes)
            #expect(try samples(reader).count > 95_000 && reader.flaws.isEmpty, "\(name): \(reader.flaws)")
        }
    }

    /// Some encoders count the bytes behind the last frame too: padding, or a tag of APE's first version, which has no header.
    @Test(arguments: [true, false])
    func `of MP3 lose no frame where their header counts more bytes than the frames have`(
        countsFrames: Bool
    ) throws {
        var whole = try make("a.mp3", seed: 3)
        let header = try #require(whole.firstRange(of: Array("Info".utf8)) ?? whole.firstRange(of: Array("Xing".utf8)))
        let flags = header.upperBound + 3
        try #require(whole[flags] & 3 == 3)
        // In the place of a number, 0 says nothing.
        if !countsFrames { whole.replaceSubrange((flags + 1)..<(flags + 5), with: [0, 0, 0, 0]) }
        func promising(_ more: [UInt8]) -> [UInt8] {
            var number: [UInt8] = []
            number.append(bigEndian: UInt32(whole.count + more.count))
            var counted = whole + more
            counted.replaceSubrange((flags + 5)..<(flags + 9), with: number)
            return counted
        }
        var tag = [UInt8](repeating: 7, count: 500) + "APETAGEX".utf8
        for number: UInt32 in [1000, 532, 1, 0, 0, 0] { tag.append(littleEndian: number) }
        let old = Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)
        let padding = [UInt8](repeating: 0, count: 4000)
        for more in [tag, tag + old] + (countsFrames ? [padding] : []) {
            let reader = try reader("a.mp3", promising(more))
            #expect(try samples(reader).count > 95_000 && reader.flaws.isEmpty, "\(more.count): \(reader.flaws)")
        }
    }

    @Test(arguments: [1 << 40, 1 << 57, Int.max])
    func `of MP3 have an end that can be counted, however large the file is`(bytes: Int) throws {
        try put([0], at: folder("a.mp3"))
        let descriptor = open(folder("a.mp3"), O_RDONLY)
        defer { close(descriptor) }
        let file = try #require(RegularBytes(descriptor))
        #expect(FileWindow(file, 0..<bytes, hidesEnd: true).end >= bytes)
    }

    @Test func `of which there are thousands are no work without end`() throws {
        let part = try make("a.ogg", seed: 3, frames: 10)
        let many = [[UInt8]](repeating: part, count: 4100).flatMap(\.self)
        let reader = try reader("a.ogg", many)
        #expect(reader.frames == 40_960, "\(reader.flaws)")
        #expect(reader.flaws == [.stopped(frame: 40_960, promised: nil, reason: "more than 4096 streams")])
    }
}

@Suite("The outline of an Ogg file") struct OggOutlineTests {
    /// Of 27 bytes and a body of three.
    private func page(_ number: UInt32, _ kind: UInt8 = 0, position: Int64 = 1, serial: UInt32 = 7) -> [UInt8] {
        var page = Array("OggS".utf8) + [0, kind]
        page.append(littleEndian: position)
        page.append(littleEndian: serial)
        page.append(littleEndian: number)
        page += [0, 0, 0, 0, 1, 3, 1, 2, 3]
        let check = OggReader.check(of: page[...])
        for byte in 0..<4 { page[22 + byte] = UInt8(truncatingIfNeeded: check >> (8 * UInt32(byte))) }
        return page
    }

    private func outline(_ bytes: [UInt8]) -> OggOutline {
        var outline = OggOutline()
        // In pieces that fit to nothing.
        for start in stride(from: 0, to: bytes.count, by: 11) {
            outline.take(bytes[start..<min(bytes.count, start + 11)])
        }
        return outline
    }

    @Test func `has what begins anew, and the end`() {
        let stream = page(0, 2, position: 0) + page(1) + page(2, 4)
        #expect(outline(stream).links == [0..<93] && outline(stream).hasEnd && !outline(stream).isDamaged)
        #expect(outline(stream + stream).links == [0..<93, 93..<186] && !outline(stream + stream).isDamaged)
        #expect(!outline(Array(stream.dropLast())).hasEnd && !outline(page(0, 2) + page(1)).hasEnd)
        // Two that are heard at the same time.
        let twins = page(0, 2, position: 0) + page(0, 2, position: 0, serial: 8)
        let grouped = outline(twins + page(1) + page(1, serial: 8) + page(2) + page(2, serial: 8))
        #expect(grouped.links.count == 1 && !grouped.isDamaged)
    }

    @Test func `says what is missing between pages of sound, and nothing of what came before somebody joined`() {
        let head = page(0, 2, position: 0) + page(1, position: 0)
        #expect(!outline(head + page(4711) + page(4712)).isDamaged)
        #expect(outline(head + page(4711) + page(4713)).isDamaged)
        #expect(outline(head + page(2) + [1, 2] + page(3)).isDamaged)
        var broken = page(3)
        broken[28] ^= 1
        #expect(outline(head + page(2) + broken + page(4)).isDamaged)
    }
}
