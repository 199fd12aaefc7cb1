import AudioFiles
import Glibc
import Synchronization
import TestSupport
import Testing
import Threads

@Suite("Sound is written to") struct SoundStreamTests {
    private let folder: TemporaryFolder
    init() throws {
        folder = try TemporaryFolder()
        signal(SIGPIPE, SIG_IGN)
    }

    private static let formats = SoundFileFormat.all.filter {
        ![.rf64, .w64, .caf, .aiff].contains($0.container)
    }

    /// Collects what comes out of a pipe while `body` writes to it.
    private func collecting(_ body: (CInt) throws -> Void) throws -> [UInt8] {
        let ends = try #require(PipeEnds())
        let collected = Mutex<[UInt8]>([])
        let worker = try Worker("iounit-collector") {
            var block = [UInt8](repeating: 0, count: 65536)
            while case let count = read(ends.reading, &block, block.count), count > 0 {
                collected.withLock { $0 += block.prefix(count) }
            }
        }
        do {
            defer {
                close(ends.writing)
                worker.join()
                close(ends.reading)
            }
            try body(ends.writing)
        }
        return collected.withLock { $0 }
    }

    private func refuse(_ kind: SoundFileError.Kind, _ words: String, _ body: () throws -> Void) {
        let error = #expect(throws: SoundFileError.self) { try body() }
        #expect(error?.kind == kind && error?.reason.contains(words) == true, "\(error as Any)")
        if let error { requireSentence(error, error.path) }
    }

    private func stream(_ descriptor: CInt, _ format: SoundFileFormat?, channels: Int = 2) throws -> SoundFileWriter {
        try SoundFileWriter(
            descriptor: descriptor, name: "a pipe", format: format, sampleRate: 48000, channels: channels,
            metadata: SoundFileMetadata([.title: "A title"]))
    }

    /// In blocks, which an encoder of Vorbis hears.
    private func write(_ sound: [Float], to writer: SoundFileWriter) throws {
        for start in stride(from: 0, to: sound.count, by: 1000 * writer.channels) {
            try writer.write(Array(sound[start..<min(sound.count, start + 1000 * writer.channels)]))
        }
        try writer.close()
    }

    @Test(arguments: formats)
    func `a pipe, in each kind of file that can be read to its end without its length`(format: SoundFileFormat) throws {
        guard format != SoundFileFormat(.raw, .gsm610) else { return }
        // An odd number of bytes where samples have one, which WAV pads.
        let channels = [.gsm610, .pcm8, .aLaw, .muLaw].contains(format.encoding) ? 1 : 2
        let sound = chord(frames: 30_001, channels: channels, sampleRate: 48000)
        let piped = try collecting { descriptor in
            let writer = try stream(descriptor, format, channels: channels)
            try write(sound, to: writer)
            #expect(writer.position == 30_001)
        }
        try put(piped, at: folder("piped"))
        let writer = try SoundFileWriter(
            path: folder("file"), format: format, sampleRate: 48000, channels: channels)
        try write(sound, to: writer)
        let headerless = format.container == .raw ? writer.exactFormat : nil
        let whole = try SoundFileReader(path: folder("file"), headerless: headerless)
        let reader = try SoundFileReader(path: folder("piped"), headerless: headerless)
        #expect(reader.sampleRate == 48000 && reader.channels == channels && reader.fileFormat == whole.fileFormat)
        let (read, wanted) = try (floats(reader), floats(whole))
        if format.encoding == .mp3 {
            // A file says how long the encoder's delay is, which then is left out.
            #expect(read.count >= sound.count && read.count - sound.count < 2 * 4 * 1152)
            // The first frame is sound, and not the room for their number.
            #expect(!piped.dropFirst(4).prefix(100).allSatisfy { $0 == 0 })
        } else if format == SoundFileFormat(.wav, .gsm610) {
            // libsndfile makes the endless size even, and of the byte that it then misses another block.
            #expect(read.count == wanted.count + 320)
        } else {
            #expect(read.count == wanted.count)
            // The values of so many samples are no help.
            let isSame = read == wanted
            #expect(isSame)
        }
        #expect(reader.flaws.isEmpty)
        if format.container == .wav { #expect(reader.metadata[.title] == "A title") }
    }

    @Test func `a pipe as WAV of floats, where no kind is named`() throws {
        let piped = try collecting { descriptor in
            let writer = try stream(descriptor, nil)
            #expect(writer.fileFormat == SoundFileFormat(.wav, .float))
            try writer.write([0.5, 0.25])
            try writer.close()
        }
        #expect(piped.starts(with: "RIFF".utf8) && piped[4..<8].allSatisfy { $0 == 0xff })
    }

    @Test func `a pipe at once`() throws {
        let ends = try #require(PipeEnds())
        defer { ends.close() }
        func waiting() -> Int {
            var count: CInt = 0
            return ioctl(ends.reading, UInt(FIONREAD), &count) == 0 ? Int(count) : -1
        }
        let writer = try stream(ends.writing, SoundFileFormat(.wav, .pcm16))
        let head = waiting()
        #expect(head > 40, "the header")
        try writer.write([Float](repeating: 0.5, count: 2 * 64))
        #expect(waiting() == head + 256)
        try writer.close()
        #expect(waiting() == head + 256)
    }

    @Test func `a pipe as FLAC, block by block`() throws {
        var lengths: [Int] = []
        var total = 0
        _ = try collecting { descriptor in
            let ends = try #require(PipeEnds())
            defer { ends.close() }
            let writer = try stream(ends.writing, SoundFileFormat(.flac, .pcm16))
            let sound = chord(frames: 480, channels: 2, sampleRate: 48000)
            for _ in 0..<20 {
                try writer.write(sound)
                var count: CInt = 0
                #expect(ioctl(ends.reading, UInt(FIONREAD), &count) == 0)
                if Int(count) != total { lengths.append(writer.position) }
                total = Int(count)
            }
            try writer.close()
        }
        // The first block is out as soon as the first frame of the next is there.
        #expect(lengths.dropFirst() == [4320, 8640], "\(lengths)")
    }

    @Test func `no pipe that nobody reads from any more`() throws {
        for format in [SoundFileFormat(.wav, .float), SoundFileFormat(.flac, .pcm16), SoundFileFormat(.ogg, .vorbis)] {
            let ends = try #require(PipeEnds())
            defer { close(ends.writing) }
            let writer = try stream(ends.writing, format)
            close(ends.reading)
            let sound = chord(frames: 100_000, channels: 2, sampleRate: 48000)
            refuse(.io, "nobody reads the pipe any more") { try writer.write(sound) }
            refuse(.io, "nobody reads the pipe any more") { try writer.write(sound) }
            refuse(.io, "nobody reads the pipe any more") { try writer.close() }
        }
        let ends = try #require(PipeEnds())
        defer { close(ends.writing) }
        close(ends.reading)
        refuse(.io, "nobody reads the pipe any more") { _ = try stream(ends.writing, nil) }
    }

    @Test func `a pipe in a program that a broken one would end`() throws {
        let before = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, before) }
        let ends = try #require(PipeEnds())
        defer { close(ends.writing) }
        close(ends.reading)
        refuse(.io, "nobody reads the pipe any more") { _ = try stream(ends.writing, nil) }
        var pending = sigset_t()
        sigpending(&pending)
        #expect(sigismember(&pending, SIGPIPE) == 0)
    }

    @Test func `no pipe whose reader takes nothing, once that was given up`() throws {
        let ends = try #require(PipeEnds())
        defer { ends.close() }
        var asked = 0
        let writer = try SoundFileWriter(
            descriptor: ends.writing, name: "a pipe", format: nil, sampleRate: 48000, channels: 1,
            operation: "record to"
        ) {
            asked += 1
            return asked < 3
        }
        refuse(.io, "took nothing any more") { try writer.write([Float](repeating: 0, count: 100_000)) }
        #expect(asked == 3)
    }

    @Test(arguments: [SoundFileFormat.Container.aiff, .w64, .rf64, .caf])
    func `no pipe as a kind of file that has its length first`(container: SoundFileFormat.Container) throws {
        let ends = try #require(PipeEnds())
        defer { ends.close() }
        refuse(.unsupportedFormat, "use one of wav, au, flac, ogg, mp3, raw") {
            _ = try stream(ends.writing, SoundFileFormat(container, .pcm16))
        }
    }

    @Test func `no terminal, nor what is not open for writing`() throws {
        var (ours, theirs): (CInt, CInt) = (-1, -1)
        try #require(openpty(&ours, &theirs, nil, nil, nil) == 0)
        defer { for end in [ours, theirs] { close(end) } }
        refuse(.cannotCreate, "it is a terminal") { _ = try stream(theirs, nil) }
        refuse(.cannotCreate, "not open for writing") { _ = try stream(-1, nil) }
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(null) }
        refuse(.cannotCreate, "not open for writing") { _ = try stream(null, nil) }
    }

    @Test(arguments: [SoundFileFormat(.wav, .pcm8), SoundFileFormat(.flac, .pcm16), SoundFileFormat(.au, .float)])
    func `an open file, whose header then names its length`(format: SoundFileFormat?) throws {
        for (flags, isFinished) in [(O_WRONLY, true), (O_WRONLY | O_APPEND, false)] {
            let descriptor = open(folder("a"), flags | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            defer { close(descriptor) }
            let writer = try stream(descriptor, format, channels: 1)
            try writer.write(chord(frames: 5001, channels: 1, sampleRate: 48000))
            try writer.close()
            let reader = try SoundFileReader(path: folder("a"))
            if format?.container == .flac { #expect((reader.frames == 5001) == isFinished) }
            let head = try bytes(of: folder("a")).prefix(12)
            if format?.container == .wav { #expect(head[4..<8].allSatisfy { $0 == 0xff } == !isFinished) }
            #expect(try floats(reader).count == 5001)
        }
    }

    @Test func `a named pipe, where somebody reads from it`() throws {
        let path = folder("pipe.wav")
        try #require(mkfifo(path, 0o600) == 0)
        func open() throws -> SoundFileWriter { try SoundFileWriter(path: path, sampleRate: 48000, channels: 1) }
        refuse(.cannotCreate, "nobody reads from it; start its reader first") { _ = try open() }
        let reader = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let writer = try open()
        try writer.write([0.5])
        try writer.close()
        var head = [UInt8](repeating: 0, count: 4)
        #expect(read(reader, &head, 4) == 4 && head.elementsEqual("RIFF".utf8))
    }
}
