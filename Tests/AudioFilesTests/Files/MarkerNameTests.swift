import AudioFiles
import TestSupport
import Testing

/// A small file may have one long name for many markers.
@Suite("The names of markers") struct MarkerNameTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let long = [UInt8](repeating: 120, count: 50_000)
    private static let count = 10_000

    private func makeWave() throws {
        let chunks: [WaveBytes.Chunk] = [.format(), .data(200), .cues(Self.count, frame: 9), .label(Self.long)]
        try put(WaveBytes(chunks: chunks).bytes, at: folder("a.wav"))
    }

    private func makeCAF() throws {
        try writeFile(folder("a.caf"), [Float](repeating: 0.5, count: 100))
        // Of no type, and of number 1.
        let place = [0, 0, 0, 0] + big((9.0).bitPattern) + [0, 0, 0, 1] + [UInt8](repeating: 0, count: 12)
        let list = Array(repeatElement(place, count: Self.count).joined())
        let places = [0, 0, 0, 0] + big(UInt32(Self.count)) + list
        // One text, of number 1, which begins at once.
        let texts = big(UInt32(1)) + big(UInt32(1)) + big(UInt64(0)) + Self.long
        let sound = try bytes(of: folder("a.caf"))
        let chunks = named("mark", big(UInt64(places.count)), places) + named("strg", big(UInt64(texts.count)), texts)
        try put(sound + chunks, at: folder("a.caf"))
    }

    @Test(arguments: ["a.wav", "a.caf"]) func `that a file gives many times are cut, and fill no memory`(
        name: String
    ) throws {
        if name == "a.wav" { try makeWave() } else { try makeCAF() }
        let reader = try SoundFileReader(path: folder(name))
        let markers = reader.markers
        #expect(markers.count == Self.count && markers.allSatisfy { $0.frame == 9 })
        #expect(markers.first?.label == String(repeating: "x", count: 2000) && markers.last?.label == "")
        let total = markers.reduce(0) { $0 + $1.label.utf8.count }
        #expect(total <= 16 << 20 && total > 15 << 20, "\(total)")
        for output in ["b.wav", "b.caf"] {
            _ = try FileConversion().convert(SoundFileReader(path: folder(name)), to: folder(output))
            let made = try SoundFileReader(path: folder(output)).markers
            #expect(made.count == Self.count && made.first == markers.first)
            let length = try bytes(of: folder(output)).count
            #expect(length < 20 << 20, "\(length)")
        }
    }

    @Test(arguments: ["a.wav", "a.rf64", "a.caf"]) func `that are written are cut, never within a character`(
        name: String
    ) throws {
        let long = "x" + String(repeating: "ü", count: 5000)
        let markers = [Marker(frame: 1, label: long), Marker(frame: 2, label: "before\0behind")]
        try writeFile(folder(name), [Float](repeating: 0.5, count: 100), markers: markers)
        let cut = "x" + String(repeating: "ü", count: 999)
        let read = try SoundFileReader(path: folder(name)).markers
        #expect(read == [Marker(frame: 1, label: cut), Marker(frame: 2, label: "before")])
    }
}
