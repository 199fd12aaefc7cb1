// How the chunks of `MarkerChunks` are read. Incomplete entries are left out, whatever is in them.
extension MarkerChunks {
    /// Of the chunks of one name no more is read than 100 000 markers with names of a line each.
    static let mostBytes = 16 << 20
    /// So many chunks of one name are looked at.
    static let mostChunks = 64
    static let mostMarkers = 100_000

    /// - Parameter labels: contents of LIST chunks, of which those with names are of type `adtl`.
    static func readWave(_ places: [UInt8], labels: [[UInt8]]) -> [Marker] {
        let texts = labels.reduce(into: [UInt32: String]()) { texts, list in
            guard list.starts(with: "adtl".utf8) else { return }
            var bytes = ByteReader(list.dropFirst(4))
            while let kind = bytes.take(4), let size = bytes.little32() {
                guard var content = bytes.take(Int(size)).map({ ByteReader($0) }) else { return }
                if size % 2 != 0 { _ = bytes.take(1) }
                guard kind.elementsEqual("labl".utf8), let number = content.little32() else { continue }
                texts[number] = content.terminated(within: MarkerNames.longest)
            }
        }
        var bytes = ByteReader(places[...])
        guard let count = bytes.little32() else { return [] }
        var markers: [Marker] = []
        var names = MarkerNames()
        for _ in 0..<min(Int(count), mostMarkers) {
            // Number, position among a play list, chunk, two offsets of chunks, and the frame.
            guard let number = bytes.little32(), bytes.take(16) != nil, let frame = bytes.little32() else { break }
            markers.append(Marker(frame: Int(frame), label: names.name(texts[number] ?? "")))
        }
        return markers
    }

    /// So many loops are read.
    static let mostLoops = 16

    /// Six numbers of 32 bits.
    private static let loopBytes = 24

    /// - Returns: loops, the note at which the sound plays as it is, and how many loops more there are.
    static func readSampler(_ content: [UInt8]) -> (loops: [SoundFileLoop], baseNote: Int, unread: Int)? {
        var bytes = ByteReader(content[...])
        guard bytes.take(12) != nil, let note = bytes.little32(), bytes.take(12) != nil, let count = bytes.little32(),
            bytes.take(4) != nil
        else { return nil }
        var loops: [SoundFileLoop] = []
        let present = min(Int(count), (content.count - 36) / loopBytes)
        for _ in 0..<min(Int(count), mostLoops) {
            guard bytes.take(4) != nil, let kind = bytes.little32(), let start = bytes.little32(),
                let end = bytes.little32(), bytes.take(4) != nil, let repetitions = bytes.little32()
            else { break }
            let directions: [UInt32: SoundFileLoop.Direction] = [0: .forward, 1: .alternating, 2: .backward]
            guard let direction = directions[kind], end >= start else { continue }
            loops.append(
                SoundFileLoop(
                    startFrame: Int(start), endFrame: Int(end) + 1, direction: direction, repetitions: Int(repetitions))
            )
        }
        return (loops, min(Int(note), 127), max(0, present - mostLoops))
    }

    /// - Parameter instrument: the markers of its loops are left out, where they are called as such.
    static func readAIFF(_ content: [UInt8], instrument: [UInt8] = []) -> [Marker] {
        let ends = Set(readAIFFInstrument(instrument).map { [$0.start, $0.end] }.joined())
        return numberedAIFF(content).compactMap { number, marker in
            let isLoop = ends.contains(number) && [loopLabels.start, loopLabels.end].contains(marker.label)
            return isLoop ? nil : marker
        }
    }

    static func readAIFFLoops(_ content: [UInt8], instrument: [UInt8]) -> [SoundFileLoop] {
        let frames = Dictionary(numberedAIFF(content).map { ($0.number, $0.marker.frame) }) { first, _ in first }
        return readAIFFInstrument(instrument).compactMap { loop in
            guard let start = frames[loop.start], let end = frames[loop.end], start < end else { return nil }
            return SoundFileLoop(startFrame: start, endFrame: end, direction: loop.direction)
        }
    }

    /// The loops of an instrument, by the numbers of their markers.
    private static func readAIFFInstrument(
        _ content: [UInt8]
    ) -> [(direction: SoundFileLoop.Direction, start: UInt16, end: UInt16)] {
        var bytes = ByteReader(content[...])
        guard bytes.take(8) != nil else { return [] }
        var loops: [(direction: SoundFileLoop.Direction, start: UInt16, end: UInt16)] = []
        while let mode = bytes.big16(), let start = bytes.big16(), let end = bytes.big16(), loops.count < 2 {
            if mode == 1 || mode == 2 { loops.append((mode == 1 ? .forward : .alternating, start, end)) }
        }
        return loops
    }

    private static func numberedAIFF(_ content: [UInt8]) -> [(number: UInt16, marker: Marker)] {
        var bytes = ByteReader(content[...])
        guard let count = bytes.big16() else { return [] }
        var markers: [(number: UInt16, marker: Marker)] = []
        for _ in 0..<count {
            guard let number = bytes.big16(), let frame = bytes.big32(), let length = bytes.take(1)?.first,
                let label = bytes.take(Int(length))
            else { break }
            if length % 2 == 0 { _ = bytes.take(1) }
            markers.append((number, Marker(frame: Int(frame), label: String(foreign: label))))
        }
        return markers
    }

    static func readCAF(_ places: [UInt8], strings: [UInt8]) -> [Marker] {
        var table = ByteReader(strings[...])
        var offsets: [UInt32: UInt64] = [:]
        for _ in 0..<min(Int(table.big32() ?? 0), mostMarkers) {
            guard let number = table.big32(), let offset = table.big64() else { break }
            offsets[number] = offset
        }
        var bytes = ByteReader(places[...])
        guard bytes.take(4) != nil, let count = bytes.big32() else { return [] }
        var markers: [Marker] = []
        var names = MarkerNames()
        for _ in 0..<min(Int(count), mostMarkers) {
            guard bytes.take(4) != nil, let bits = bytes.big64(), let number = bytes.big32(), bytes.take(12) != nil
            else { break }
            guard let frame = Int(exactly: Double(bitPattern: bits).rounded()), frame >= 0 else { continue }
            let text = offsets[number].flatMap { Int(exactly: $0) }.flatMap { table.suffix(from: $0) }
            let name = names.name(text?.terminated(within: MarkerNames.longest) ?? "")
            markers.append(Marker(frame: frame, label: name))
        }
        return markers
    }
}
