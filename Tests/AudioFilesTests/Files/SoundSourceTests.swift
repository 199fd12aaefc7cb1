import Glibc
import Synchronization
import TestSupport
import Testing
import Threads

@testable import AudioFiles

@Suite("Sound is read from") struct SoundSourceTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Feeds bytes through a pipe while `body` reads from it.
    private func piping<Result>(_ bytes: [UInt8], atOnce: Int = .max, _ body: (CInt) throws -> Result) throws -> Result
    {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        signal(SIGPIPE, SIG_IGN)
        let worker = try Worker("iounit-feeder") {
            var rest = bytes[...]
            while !rest.isEmpty, WholeWrite.write(Array(rest.prefix(atOnce)), to: writing) {
                rest = rest.dropFirst(atOnce)
            }
            close(writing)
        }
        defer { worker.join() }
        // Before the join: a writer that nobody reads from ends only then.
        defer { close(reading) }
        return try body(reading)
    }

    private func refuse(_ kind: SoundFileError.Kind, _ words: String, _ body: () throws -> Void) {
        let error = #expect(throws: SoundFileError.self) { try body() }
        #expect(error?.kind == kind && error?.reason.contains(words) == true, "\(error as Any)")
        if let error { requireSentence(error, error.path) }
    }

    @Test(arguments: ["a.wav", "a.aiff", "a.au", "a.flac", "a.ogg", "a.opus"])
    func `a pipe, to the last frame`(name: String) throws {
        try writeFile(folder(name), chord(frames: 30_000, channels: 2, sampleRate: 48000), channels: 2)
        let wanted = try floats(SoundFileReader(path: folder(name)))
        let read = try piping(bytes(of: folder(name))) { descriptor in
            let reader = try SoundFileReader(descriptor: descriptor, name: "a pipe")
            #expect(!reader.isSeekable && reader.channels == 2)
            return try floats(reader)
        }
        #expect(read == wanted)
    }

    @Test func `a pipe without a header`() throws {
        let sound = chord(frames: 30_000, channels: 2, sampleRate: 48000)
        let stream = StreamFormat(sampleRate: 48000, channels: 2)
        try writeFile(folder("a.raw"), sound, channels: 2)
        let read = try piping(bytes(of: folder("a.raw"))) { descriptor in
            let reader = try SoundFileReader(descriptor: descriptor, name: "a pipe", headerless: stream)
            #expect(reader.frames == nil)
            return try floats(reader)
        }
        #expect(read == sound)
    }

    @Test(arguments: ["a.caf", "a.rf64", "a.w64", "a.mp3"])
    func `no pipe where libsndfile needs a file, or reads outside of its memory`(name: String) throws {
        try writeFile(folder(name), chord(frames: 3000, channels: 2, sampleRate: 48000), channels: 2)
        let content = try bytes(of: folder(name))
        refuse(.badInput, "write it into a file first") {
            try piping(content) { _ = try SoundFileReader(descriptor: $0, name: "a pipe") }
        }
    }

    @Test func `no pipe before the header of AU is whole, which is waited for no longer than for others`() throws {
        try writeFile(folder("a.au"), chord(frames: 100, channels: 1, sampleRate: 48000), channels: 1)
        var content = try bytes(of: folder("a.au"))
        let start = content.bigEndian(4, 4)
        #expect(PipeHead.comesThrough(Array(content.prefix(start - 1))) == nil)
        #expect(PipeHead.comesThrough(Array(content.prefix(start))) == true)
        // A text of 16 MiB before the samples.
        content[4] = 1
        #expect(PipeHead.comesThrough(content) == false)
    }

    @Test(arguments: ["a.flac", "a.ogg", "a.opus"])
    func `no pipe in whose header nothing more comes`(name: String) throws {
        try writeFile(folder(name), chord(frames: 3000, channels: 2, sampleRate: 48000), channels: 2)
        let content = try bytes(of: folder(name))
        // Of FLAC the whole header, of Ogg all of its first page, and no more.
        let length = name == "a.flac" ? 42 : 27 + Int(content[26]) + Int(content[27])
        let ends = try #require(PipeEnds())
        defer { ends.close() }
        #expect(WholeWrite.write(Array(content.prefix(length)), to: ends.writing))
        let error = #expect(throws: SoundFileError.self) {
            let pipe = try SoundFileInput(copyOf: ends.reading, name: "a pipe", operation: "read")
            _ = try SoundFileReader(pipe, "a pipe", .whole, nil, "read", 50_000_000)
        }
        #expect(error?.kind == .badInput)
    }

    @Test(arguments: ["a.wav", "a.flac", "a.ogg"])
    func `a pipe in which no call waits, to the last frame`(name: String) throws {
        try writeFile(folder(name), chord(frames: 3000, channels: 2, sampleRate: 48000), channels: 2)
        let wanted = try floats(SoundFileReader(path: folder(name)))
        let read = try piping(bytes(of: folder(name)), atOnce: 1) { descriptor in
            #expect(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
            return try floats(SoundFileReader(descriptor: descriptor, name: "a pipe"))
        }
        #expect(read == wanted)
    }

    @Test(arguments: [SoundFileReader.Acceptance.whole, .readablePart])
    func `a pipe that ends within a frame, up to there`(acceptance: SoundFileReader.Acceptance) throws {
        let whole = WaveBytes(chunks: [.format(channels: 2), .data(40_000)]).bytes
        try piping(Array(whole.prefix(20_001))) { descriptor in
            let reader = try SoundFileReader(descriptor: descriptor, name: "a pipe", accepting: acceptance)
            #expect(reader.frames == 10_000)
            do throws(SoundFileError) {
                var block = [Float](repeating: 0, count: 2000)
                while try reader.read(1000, into: &block) > 0 {}
                #expect(acceptance == .readablePart)
                #expect(reader.flaws == [.stopped(frame: 4989, promised: 10_000, reason: nil)])
            } catch {
                #expect(acceptance == .whole && error.kind == .badInput)
                #expect(error.reason.contains("the pipe ended at frame 4989 of 10000"), "\(error)")
            }
            #expect(reader.position == 4989)
        }
    }

    @Test func `a pipe whose writer did not know the length`() throws {
        for size in [UInt32.max, 0x7fff_f000] {
            let bytes = WaveBytes(chunks: [.format(), .data(20_000, size: size)], riffSize: size).bytes
            let read = try piping(bytes) { descriptor in
                let reader = try SoundFileReader(descriptor: descriptor, name: "a pipe")
                #expect(reader.frames == nil)
                return try floats(reader)
            }
            #expect(read.count == 10_000)
        }
    }

    @Test func `a pipe beyond the 2 GiB that stand for a size nobody knows`() throws {
        let head = WaveBytes(chunks: [.format(channels: 1024), .data(0, size: 0x7fff_f000)]).bytes
        let ends = try #require(PipeEnds())
        let frames = 0x7fff_f000 / 2048 + 5
        let worker = try Worker("iounit-feeder") {
            let (frame, block) = ([UInt8](repeating: 1, count: 2048), [UInt8](repeating: 0, count: 2048 * 512))
            var isFed = WholeWrite.write(head, to: ends.writing)
            var rest = frames - 5
            while isFed && rest >= 512 {
                isFed = WholeWrite.write(block, to: ends.writing)
                rest -= 512
            }
            for _ in 0..<(rest + 5) { isFed = isFed && WholeWrite.write(frame, to: ends.writing) }
            close(ends.writing)
        }
        defer { worker.join() }
        defer { close(ends.reading) }
        let reader = try SoundFileReader(descriptor: ends.reading, name: "a pipe")
        var buffer = PCMBuffer(reader.exactFormat, capacityFrames: 512)
        var last: Int16 = 0
        while try reader.read(into: &buffer) > 0 {
            buffer.withSamples(of: Int16.self) { last = $0[$0.indices.last ?? 0] }
        }
        #expect(
            reader.position == frames && last == 0x0101 && reader.flaws.isEmpty,
            "\(reader.position) of \(frames), \(last), \(reader.flaws)")
    }

    @Test func `a pipe forwards only`() throws {
        let bytes = WaveBytes(chunks: [.format(), .data(20_000)]).bytes
        try piping(bytes) { descriptor in
            let reader = try SoundFileReader(descriptor: descriptor, name: "a pipe")
            #expect(try reader.seek(to: 5000) == 5000)
            refuse(.unsupportedFormat, "does not go back") { try reader.seek(to: 10) }
            #expect(try floats(reader).count == 5000)
        }
    }

    @Test func `no pipe with MP3 within WAV`() throws {
        let bytes = WaveBytes(chunks: [.init("junk", [1, 2, 3]), .format(tag: 0x55), .data(2000)]).bytes
        refuse(.badInput, "through a pipe") {
            try piping(bytes) { _ = try SoundFileReader(descriptor: $0, name: "a pipe") }
        }
    }

    @Test func `no pipe of which a chunk is larger than what comes`() throws {
        for name in ["bext", "LIST", "junk"] {
            let bytes = WaveBytes(chunks: [.format(), .init(name, [1, 2], size: 0x7463_6166)]).bytes
            refuse(.badInput, "whole header") {
                try piping(bytes) { _ = try SoundFileReader(descriptor: $0, name: "a pipe") }
            }
            let short = WaveBytes(chunks: [.format(), .init(name, [1, 2], size: 40)]).bytes
            refuse(.badInput, "whole header") {
                try piping(short) { _ = try SoundFileReader(descriptor: $0, name: "a pipe") }
            }
        }
    }

    @Test func `a pipe whose header comes byte by byte`() throws {
        let bytes = WaveBytes(chunks: [.init("junk", [1, 2, 3]), .format(), .data(2000)]).bytes
        let read = try piping(bytes, atOnce: 1) { try floats(SoundFileReader(descriptor: $0, name: "a pipe")) }
        #expect(read.count == 1000)
    }

    @Test func `a socket`() throws {
        let bytes = WaveBytes(chunks: [.format(), .data(2000)]).bytes
        var ends: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        #expect(WholeWrite.write(bytes, to: ends[1]))
        close(ends[1])
        #expect(try floats(SoundFileReader(descriptor: ends[0], name: "a socket")).count == 1000)
    }

    @Test func `an empty pipe not at all`() throws {
        refuse(.badInput, "nothing came through the pipe; look at what writes to it") {
            try piping([]) { _ = try SoundFileReader(descriptor: $0, name: "a pipe") }
        }
    }

    @Test func `no directory, device, pipe by name or closed descriptor`() throws {
        mkfifo(folder("pipe"), 0o600)
        refuse(.noInput, "a directory") { _ = try SoundFileReader(path: folder.path) }
        refuse(.noInput, "no regular file") { _ = try SoundFileReader(path: folder("pipe")) }
        refuse(.noInput, "no regular file") { _ = try SoundFileReader(path: "/dev/zero") }
        refuse(.noInput, "no such file") { _ = try SoundFileReader(path: folder("none.wav")) }
        refuse(.noInput, "opened") { _ = try SoundFileReader(descriptor: -1, name: "standard input") }
        let device = open("/dev/zero", O_RDONLY | O_CLOEXEC)
        defer { close(device) }
        refuse(.noInput, "it is closed, or no regular file and no pipe") {
            _ = try SoundFileReader(descriptor: device, name: "standard input")
        }
    }

    @Test func `an open file, which stays open`() throws {
        try writeFile(folder("a.wav"), [0.25, 0.5])
        let descriptor = open(folder("a.wav"), O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        do {
            let reader = try SoundFileReader(descriptor: descriptor, name: "standard input")
            #expect(try floats(reader) == [0.25, 0.5])
        }
        #expect(fcntl(descriptor, F_GETFD) >= 0)
    }

    @Test(arguments: [SoundFileFormat.Encoding.gsm610, .imaADPCM])
    func `the beginning again, where libsndfile has no seek too`(encoding: SoundFileFormat.Encoding) throws {
        let sound = chord(frames: 8000, channels: 1, sampleRate: 8000)
        try writeFile(folder("a.wav"), sound, format: SoundFileFormat(.wav, encoding), sampleRate: 8000)
        let reader = try SoundFileReader(path: folder("a.wav"))
        let first = try floats(reader)
        try reader.seek(to: 0)
        #expect(try floats(reader) == first)
        try reader.seek(to: 1234)
        #expect(try floats(reader) == Array(first.dropFirst(1234)))
    }
}
