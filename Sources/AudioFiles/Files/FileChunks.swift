/// The chunks of a RIFF, AIFF or CAF file, one behind the other. Their sizes come from outside: none is trusted.
struct FileChunks {
    struct Chunk {
        /// Where its name stands.
        let place: Int
        /// Where its content begins.
        let content: Int
        /// What it says of its content. Of 64 bits, and too large, it is negative.
        let size: Int
    }

    private let file: any FileBytes
    private let start: Int
    /// In each chunk, behind its name.
    private let sizeBytes: Int
    private let isBigEndian: Bool
    private let samplesName: String

    /// A program writes a few dozen. What walks through them ends.
    private static let most = 10_000

    /// - Returns: `nil` for another kind of file.
    init?(_ file: some FileBytes) {
        self.file = file
        // libsndfile reads what is behind a tag, too.
        let head = file.tagBytes()
        switch String(decoding: file.bytes(4, at: head), as: UTF8.self) {
        case "RIFF", "RF64": (start, sizeBytes, isBigEndian, samplesName) = (head + 12, 4, false, "data")
        case "RIFX": (start, sizeBytes, isBigEndian, samplesName) = (head + 12, 4, true, "data")
        case "FORM": (start, sizeBytes, isBigEndian, samplesName) = (head + 12, 4, true, "SSND")
        case "caff": (start, sizeBytes, isBigEndian, samplesName) = (head + 8, 8, true, "data")
        default: return nil
        }
    }

    /// The one that holds the sound.
    var samples: Chunk? { first(samplesName) }

    /// The first of a name; `nil` where there is none, or a chunk before it is larger than the file or says no size.
    func first(_ name: String) -> Chunk? {
        var place = start
        for _ in 0..<Self.most {
            let head = file.bytes(4 + sizeBytes, at: place)
            guard head.count == 4 + sizeBytes else { return nil }
            let size = isBigEndian ? head.bigEndian(4, sizeBytes) : head.littleEndian(4, sizeBytes)
            let content = place + head.count
            if head.starts(with: name.utf8) { return Chunk(place: place, content: content, size: size) }
            // In RF64, the largest size of 32 bits stands for one of 64 elsewhere.
            guard (0...file.length).contains(size), sizeBytes == 8 || size < UInt32.max else { return nil }
            // CAF has no padding.
            place = content + size + (sizeBytes == 8 ? 0 : size % 2)
        }
        return nil
    }
}
