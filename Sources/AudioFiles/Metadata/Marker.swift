/// A place in a sound file that has a name.
public struct Marker: Sendable, Hashable {
    /// Of the file, from 0.
    public var frame: Int
    /// Up to its first NUL, and up to 2000 bytes of UTF-8, in AIFF 254. A longer text is cut. All of a file have 16 MiB
    /// together; the markers behind that have none.
    public var label: String

    /// - Parameter frame: from the beginning of the file.
    public init(frame: Int, label: String) {
        self.frame = frame
        self.label = label
    }
}

/// The chunks that hold a file's markers, where its kind has such.
///
/// libsndfile writes markers only before the samples, when nobody knows them yet: so they are put behind a file that is
/// finished, and its header told.
enum MarkerChunks {
    /// RIFF and RF64: a chunk of places, and one of their names.
    static func wave(_ markers: [Marker]) -> [UInt8] {
        // A place has 32 bits, in an RF64 file too.
        let markers = writable(markers)
        var places = little(UInt32(markers.count))
        let noOffset = little(UInt32(0))
        var labels = Array("adtl".utf8)
        var names = MarkerNames()
        for (index, marker) in markers.enumerated() {
            let number = little(UInt32(index + 1))
            let frame = little(UInt32(marker.frame))
            places += number + frame + Array("data".utf8) + noOffset + noOffset + frame
            labels += chunk("labl", number + text(names.name(marker.label)), little)
        }
        return chunk("cue ", places, little) + chunk("LIST", labels, little)
    }

    /// AIFF: places have 32 bits and numbers 15.
    private static func aiff(_ markers: [Marker]) -> [UInt8] {
        var content = big(UInt16(markers.count))
        for (index, marker) in markers.enumerated() {
            let label = Array(marker.label.cut(toBytes: 254).utf8)
            // A string with its length before it takes an even number of bytes.
            content += big(UInt16(index + 1)) + big(UInt32(marker.frame)) + [UInt8(label.count)] + label
            if label.count % 2 == 0 { content.append(0) }
        }
        return chunk("MARK", content, big)
    }

    /// AIFF's instrument: a loop while a note is held and one behind it, each between two markers, which are behind those of
    /// the file. It has no loops backwards, and none that end by themselves. It is also where the base note stands.
    static func aiff(_ markers: [Marker], _ loops: [SoundFileLoop], baseNote: Int) -> [UInt8] {
        let markers = Array(writable(markers).prefix(mostAIFFMarkers))
        let written = loops.filter { isWritable($0) && $0.direction != .backward }.prefix(2)
        guard !written.isEmpty || baseNote != SoundFileLoop.usualBaseNote else {
            return markers.isEmpty ? [] : aiff(markers)
        }
        var places = markers
        // Middle C as it is, and all notes and velocities.
        var content: [UInt8] = [UInt8(clamping: baseNote), 0, 0, 127, 1, 127, 0, 0]
        for index in 0..<2 {
            guard index < written.count else {
                content += [UInt8](repeating: 0, count: 6)
                continue
            }
            let loop = written[index]
            content += big(UInt16(loop.direction == .forward ? 1 : 2))
            content += big(UInt16(places.count + 1)) + big(UInt16(places.count + 2))
            places += [
                Marker(frame: loop.startFrame, label: loopLabels.start),
                Marker(frame: loop.endFrame, label: loopLabels.end),
            ]
        }
        return (places.isEmpty ? [] : aiff(places)) + chunk("INST", content, big)
    }

    /// With those of two loops, as many as there are numbers.
    static let mostAIFFMarkers = Int(Int16.max) - 4

    /// What markers are called that are only there for a loop.
    static let loopLabels = (start: "beg loop", end: "end loop")

    private static func isWritable(_ loop: SoundFileLoop) -> Bool {
        0 <= loop.startFrame && loop.startFrame < loop.endFrame && loop.endFrame <= Int(UInt32.max)
    }

    /// CAF: places are floating numbers; names are in a chunk of their own, by the number of the marker.
    static func caf(_ markers: [Marker]) -> [UInt8] {
        var places = big(UInt32(0)) + big(UInt32(markers.count))
        var table = big(UInt32(markers.count))
        var texts: [UInt8] = []
        var names = MarkerNames()
        let noTime = [UInt8](repeating: 0xff, count: 4) + big(UInt32.max)
        for (index, marker) in markers.enumerated() {
            let number = big(UInt32(index + 1))
            places += big(UInt32(0)) + big(Double(marker.frame).bitPattern) + number + noTime + big(UInt32(0))
            table += number + big(UInt64(texts.count))
            texts += text(names.name(marker.label))
        }
        return wideChunk("mark", places) + wideChunk("strg", table + texts)
    }

    /// RIFF and RF64: what a sampler repeats, and the note that it plays at the file's own rate.
    static func sampler(_ loops: [SoundFileLoop], baseNote: Int, sampleRate: Int) -> [UInt8] {
        let written = loops.filter(isWritable)
        guard !written.isEmpty || baseNote != SoundFileLoop.usualBaseNote else { return [] }
        let period = UInt32(clamping: (1_000_000_000 + sampleRate / 2) / max(1, sampleRate))
        // Nobody's product, no fraction of a note, no time code; and no data behind the loops.
        var content = [0, 0, period, UInt32(clamping: baseNote), 0, 0, 0, UInt32(written.count), 0].flatMap(little)
        for (index, loop) in written.enumerated() {
            let direction: UInt32 =
                switch loop.direction {
                case .forward: 0
                case .alternating: 1
                case .backward: 2
                }
            // It names the last frame.
            let frames = [UInt32(loop.startFrame), UInt32(loop.endFrame - 1)]
            content += ([UInt32(index), direction] + frames + [0, UInt32(clamping: loop.repetitions)]).flatMap(little)
        }
        return chunk("smpl", content, little)
    }

    private static func writable(_ markers: [Marker]) -> [Marker] {
        markers.filter { $0.frame >= 0 && $0.frame <= Int(UInt32.max) }
    }

    private static func text(_ name: String) -> [UInt8] { Array(name.utf8) + [0] }

    private static func chunk(_ name: String, _ content: [UInt8], _ size: (UInt32) -> [UInt8]) -> [UInt8] {
        let chunk = Array(name.utf8) + size(UInt32(content.count)) + content
        return content.count % 2 == 0 ? chunk : chunk + [0]
    }

    private static func wideChunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + big(UInt64(content.count)) + content
    }

    static func little(_ value: some UnsignedInteger & FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: value)
        return bytes
    }

    static func big(_ value: some UnsignedInteger & FixedWidthInteger) -> [UInt8] { little(value.byteSwapped) }
}
