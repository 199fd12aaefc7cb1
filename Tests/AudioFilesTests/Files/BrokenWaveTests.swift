import AudioFiles
import TestSupport
import Testing

@Suite("A broken WAV file") struct BrokenWaveTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        /// How many frames come of it, and whether it says that some are left out; `nil` where nothing of it is read.
        let outcome: (frames: Int, isFlawed: Bool)?
        let bytes: [UInt8]
        var testDescription: String { name }

        init(_ name: String, _ outcome: (Int, Bool)?, _ bytes: [UInt8]) {
            (self.name, self.outcome, self.bytes) = (name, outcome, bytes)
        }

        init(_ name: String, _ outcome: (Int, Bool)?, _ chunks: [WaveBytes.Chunk]) {
            self.init(name, outcome, WaveBytes(chunks: chunks).bytes)
        }
    }

    /// 100 frames of one channel of 16 bits, where nothing else is meant.
    private static let whole = WaveBytes(chunks: [.format(), .data(200)])
    private static let longText = WaveBytes.Chunk.info("ICMT", [UInt8](repeating: 99, count: 1900))
    private static let junk = [UInt8](repeating: 7, count: 33)

    static let cases: [Case] = [
        Case("nothing broken", (100, false), whole.bytes),
        // Chunks.
        Case("an odd chunk before the samples", (100, false), [.format(), .init("junk", junk), .data(200)]),
        Case(
            "an odd chunk without padding", nil, [.format(), .init("junk", junk, isPadded: false), .data(200)]),
        Case("a chunk whose name is no text", nil, [.format(), .init("\u{1}\u{2}zz", junk), .data(200)]),
        Case("a hundred chunks", (100, false), [.format()] + (0..<100).map { _ in .init("junk", junk) } + [.data(200)]),
        Case("an empty chunk", (100, false), [.init("junk", []), .format(), .data(200)]),
        Case("samples before the format", nil, [.data(200), .format()]),
        Case("no format", nil, [.data(200)]),
        Case("no samples", nil, [.format()]),
        Case("two formats", nil, [.format(), .format(channels: 2), .data(200)]),
        Case("two chunks of samples", nil, [.format(), .data(200), .data(100)]),
        Case("junk behind the samples", (100, false), whole.bytes + junk),
        Case("a chunk larger than the file", nil, [.format(), .init("junk", junk, size: 0x7fff_ffff), .data(200)]),
        Case("a chunk of negative size", nil, [.format(), .init("junk", junk, size: 0xffff_fff0), .data(200)]),
        // Sizes.
        Case("a whole of no size", (100, false), WaveBytes(chunks: whole.chunks, riffSize: 0).bytes),
        Case("a whole of the largest size", (100, false), WaveBytes(chunks: whole.chunks, riffSize: .max).bytes),
        Case("samples of no size", (0, true), [.format(), .data(200, size: 0)]),
        Case("fewer samples than promised", (100, true), [.format(), .data(200, size: 400)]),
        Case("a placeholder for the size", (100, false), [.format(), .data(200, size: .max)]),
        Case("half a frame at the end", (99, true), Array(whole.bytes.dropLast())),
        Case("an odd number of bytes", (99, false), [.format(), .data(199)]),
        // libsndfile's log ends within the text.
        Case("a long text before the samples", (100, false), [.format(), longText, .data(200)]),
        Case("a long text, and samples cut off", (100, true), [.format(), longText, .data(200, size: 400)]),
        Case("a long text, and a placeholder", (100, false), [.format(), longText, .data(200, size: .max)]),
        // Headers.
        Case("an empty file", nil, [UInt8]()),
        Case("one byte", nil, [UInt8(ascii: "R")]),
        Case("the first twelve bytes", nil, Array(whole.bytes.prefix(12))),
        Case("the format cut off", nil, Array(whole.bytes.prefix(30))),
        Case("all but the samples", (0, true), Array(whole.bytes.prefix(44))),
        Case("a format of 14 bytes", nil, [.init("fmt ", [1, 0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 2, 0]), .data(200)]),
        Case("a format of 4 GiB", nil, [.init("fmt ", Array(repeating: 0, count: 16), size: .max), .data(200)]),
        Case("another form", nil, WaveBytes(chunks: whole.chunks, form: "WAVX").bytes),
        // Formats.
        Case("no channels", nil, [.format(channels: 0), .data(200)]),
        Case("65535 channels", nil, [.format(channels: .max), .data(200)]),
        Case("1025 channels", nil, [.format(channels: 1025), .data(2050)]),
        Case("no rate", nil, [.format(rate: 0), .data(200)]),
        Case("a negative rate", nil, [.format(rate: 0xffff_ff00), .data(200)]),
        Case("no block align", (100, false), [.format(blockAlign: 0), .data(200)]),
        Case("the largest block align", (100, false), [.format(blockAlign: .max), .data(200)]),
        Case("bytes per second that lie", (100, false), [.format(bytesPerSecond: 3), .data(200)]),
        Case("no bits", nil, [.format(blockAlign: 2, bits: 0), .data(200)]),
        Case("17 bits", (66, false), [.format(blockAlign: 2, bits: 17), .data(200)]),
        Case("65535 bits", nil, [.format(blockAlign: 2, bits: .max), .data(200)]),
        Case("an unknown tag", nil, [.format(tag: 0x4242), .data(200)]),
        Case("ADPCM without its block size", nil, [.format(tag: 0x11, bits: 4), .data(200)]),
        Case("GSM without its header", nil, [.format(tag: 0x31, bits: 0), .data(200)]),
        Case("an extended format cut off", nil, [.format(tag: 0xfffe), .data(200)]),
    ]

    @Test(arguments: cases)
    func `gives a sentence, or what can be read of it`(broken: Case) throws {
        let path = folder("a.wav")
        try put(broken.bytes, at: path)
        do throws(SoundFileError) {
            let reader = try SoundFileReader(path: path, accepting: .readablePart)
            var block = [Float](repeating: .nan, count: 64 * reader.channels)
            var frames = 0
            while case let count = try reader.read(64, into: &block), count > 0 { frames += count }
            #expect(frames == broken.outcome?.frames, "of \(reader.formatWords): \(reader.flaws)")
            #expect(reader.flaws.isEmpty == (broken.outcome?.isFlawed == false), "\(reader.flaws)")
            #expect(frames <= broken.bytes.count, "more than there can be")
        } catch {
            #expect(broken.outcome == nil && error.kind == .badInput, "\(error)")
            requireSentence(error, path)
        }
    }

    @Test(arguments: cases)
    func `is refused by who wants the whole`(broken: Case) throws {
        let path = folder("a.wav")
        try put(broken.bytes, at: path)
        do throws(SoundFileError) {
            let reader = try SoundFileReader(path: path)
            #expect(broken.outcome?.isFlawed == false, "\(reader.formatWords)")
        } catch {
            #expect(broken.outcome?.isFlawed != false && error.kind == .badInput, "\(error)")
            requireSentence(error, path)
        }
    }
}
