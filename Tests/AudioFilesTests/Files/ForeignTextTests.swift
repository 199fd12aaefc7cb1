import TestSupport
import Testing

@testable import AudioFiles

@Suite("A text in an encoding that the file does not name") struct ForeignTextTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let latin: [UInt8] = [0x46, 0xfc, 0x72]

    private static let texts: [([UInt8], String)] = [
        (latin, "Für"), (Array("Für".utf8), "Für"), ([0x46, 0xfc], "Fü"), ([0x41, 0xe9], "Aé"), ([], ""),
        ([0x80, 0x20, 0x93, 0x94, 0x81, 0xa0, 0xff], "€ “”\u{81}\u{a0}ÿ"), ([0x41, 0, 0xfc], "A"),
        ([0xc0, 0xaf], "À¯"), ([0xed, 0xa0, 0x80], "í\u{a0}€"),
    ]

    @Test(arguments: texts) func `is UTF-8, or else Windows-1252`(bytes: [UInt8], text: String) {
        #expect(String(foreign: bytes) == text)
    }

    @Test(arguments: ["é", "€", "🎻"]) func `is UTF-8 too where its field cuts the last character`(last: String) {
        let bytes = Array("Grün ".utf8) + last.utf8
        for count in 1..<last.utf8.count {
            #expect(String(foreign: bytes.dropLast(count), isFull: true) == "Grün ")
        }
        #expect(String(foreign: bytes, isFull: true) == "Grün " + last)
        // A field that is not full cuts nothing.
        #expect(String(foreign: Self.latin, isFull: true) == "Für")
        let short: [UInt8] = [0x41, 0xe9, 0]
        #expect(String(foreign: short, isFull: true) == "Aé")
    }

    private func makeWave(description: [UInt8]) throws {
        let broadcast = description + [UInt8](repeating: 0, count: 602 - description.count)
        let chunks: [WaveBytes.Chunk] = [
            .format(), .info("INAM", Self.latin), .init("bext", broadcast), .data(200), .cues(1, frame: 9),
            .label(Self.latin),
        ]
        try put(WaveBytes(chunks: chunks).bytes, at: folder("a.wav"))
    }

    @Test func `is kept by a conversion, as UTF-8`() throws {
        try makeWave(description: Self.latin)
        func require(_ path: String, isWave: Bool) throws {
            let reader = try SoundFileReader(path: path)
            #expect(reader.metadata[.title] == "Für")
            guard isWave else { return }
            #expect(reader.metadata.broadcast?.description == "Für")
            #expect(reader.markers == [Marker(frame: 9, label: "Für")])
        }
        try require(folder("a.wav"), isWave: true)
        for name in ["b.wav", "b.flac"] {
            _ = try FileConversion().convert(SoundFileReader(path: folder("a.wav")), to: folder(name))
            try require(folder(name), isWave: name == "b.wav")
            #expect(try !bytes(of: folder(name)).contains(Self.latin))
        }
    }

    @Test func `of Broadcast Wave is UTF-8 where its 256 bytes cut a character`() throws {
        let text = "x" + String(repeating: "é", count: 128)
        try makeWave(description: Array(text.utf8.prefix(256)))
        let read = try SoundFileReader(path: folder("a.wav")).metadata.broadcast?.description
        #expect(read == "x" + String(repeating: "é", count: 127))
    }
}
