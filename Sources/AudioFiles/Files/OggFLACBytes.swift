/// A FLAC file that is in the pages of Ogg, as if it had none (https://xiph.org/flac/ogg_mapping.html).
///
/// Pages of other streams are left out. Where a page is broken the next one is looked for: what was in it is missing, as the
/// frames tell. A page's own check is left to the frames, which have one.
final class OggFLACBytes: FileBytes {
    private(set) var length = Int.max
    var hasFailed: Bool { pages.hasFailed }
    var start: Int { index.first { $0.byte >= pages.start }?.place ?? page.place }

    /// Whether the last page read so far is whole and has the flag for the end of the stream.
    var hasEnd: Bool { furthest.isEnd }

    private let pages: any FileBytes
    /// The serial numbers of the first stream and of the FLAC streams that are chained behind it.
    private var serials: Set<ArraySlice<UInt8>>
    /// Whether a stream that is not FLAC is chained behind them.
    private(set) var isChained = false
    /// What was read last, and where it is in the FLAC file.
    private var page: (place: Int, body: [UInt8]) = (0, [])
    /// The byte behind it.
    private var nextByte = 0
    private var furthest = (byte: 0, isEnd: false)
    /// Some pages: the places of what is in them, and the bytes where they begin. In order of both.
    private var index: [(place: Int, byte: Int)] = []
    /// Between two entries.
    private var indexSpacing = 0

    private struct Page {
        var byte: Int
        var body: Range<Int>
        /// Whether it is whole and has the flag for the end of the stream.
        var isEnd: Bool
    }

    private static let mark = Array("OggS".utf8)
    private static let headBytes = 27
    /// Before the FLAC file in the first page: 0x7f, "FLAC", the version of the mapping, and the number of headers.
    private static let mappingBytes = 9
    /// So many chained streams are read: a hostile file has no end of them.
    private static let mostStreams = 4096
    private let mostEntries: Int

    /// - Parameter mostEntries: of the index.
    /// - Returns: `nil` where that is no FLAC file in Ogg.
    init?(_ pages: any FileBytes, mostEntries: Int = 65536) {
        let head = pages.bytes(Self.headBytes, at: 0)
        guard head.count == Self.headBytes, head.starts(with: Self.mark) else { return nil }
        self.pages = pages
        serials = [head[14..<18]]
        self.mostEntries = mostEntries
        guard let first = find(from: 0), first.byte == 0 else { return nil }
        let body = pages.bytes(Self.mappingBytes + 4, at: first.body.lowerBound - Self.mappingBytes)
        guard Self.isFLAC(body[...]), first.body.count > 4 else { return nil }
        if pages.length < .max { scan() }
    }

    /// Whether the first page's body is that of FLAC.
    static func isFLAC(_ body: ArraySlice<UInt8>) -> Bool {
        body.starts(with: [0x7f] + "FLAC".utf8) && body.dropFirst(mappingBytes).starts(with: "fLaC".utf8)
    }

    @unsafe func read(into room: UnsafeMutableRawBufferPointer, at place: Int) -> Int {
        if place < page.place || place > page.place + page.body.count { jump(near: place) }
        guard place >= page.place else { return 0 }
        while place >= page.place + page.body.count {
            guard readNext() else { return 0 }
        }
        let part = page.body[(place - page.place)...].prefix(room.count)
        unsafe room.copyBytes(from: part)
        return part.count
    }

    /// To the last page in the index that does not begin behind a place, unless the present one is nearer.
    private func jump(near place: Int) {
        var (low, high) = (0, index.count)
        while low < high {
            let middle = (low + high) / 2
            if index[middle].place <= place { low = middle + 1 } else { high = middle }
        }
        guard low > 0, place < page.place || index[low - 1].place > page.place else { return }
        (page, nextByte) = ((index[low - 1].place, []), index[low - 1].byte)
    }

    private func readNext() -> Bool {
        let place = page.place + page.body.count
        guard var next = find(from: nextByte) else {
            length = place
            return false
        }
        page = (place, pages.bytes(next.body.count, at: next.body.lowerBound))
        // A page in a pipe may be cut off: that shows only after the read.
        next.isEnd = next.isEnd && page.body.count == next.body.count
        note(place, next)
        nextByte = next.body.upperBound
        return true
    }

    /// Finds out how long it is.
    private func scan() {
        var (place, byte) = (0, 0)
        while let next = find(from: byte) {
            note(place, next)
            place += next.body.count
            byte = next.body.upperBound
        }
        length = place
    }

    private func note(_ place: Int, _ page: Page) {
        if page.byte >= furthest.byte { furthest = (page.byte, page.isEnd) }
        if let last = index.last, place <= last.place || place < last.place + indexSpacing { return }
        if index.count == mostEntries {
            index.removeAll { $0.byte < pages.start }
            if index.count == mostEntries {
                index = stride(from: 0, to: index.count, by: 2).map { index[$0] }
                indexSpacing = 2 * max(indexSpacing, place / mostEntries)
            }
        }
        index.append((place, page.byte))
    }

    /// The next page of this stream that begins at or behind a byte.
    private func find(from first: Int) -> Page? {
        var (byte, inSync) = (first, true)
        while true {
            let head = pages.bytes(Self.headBytes, at: byte)
            guard head.count == Self.headBytes else { return nil }
            let isMarked = head.starts(with: Self.mark) && head[4] == 0
            let sizes = isMarked ? pages.bytes(Int(head[26]), at: byte + Self.headBytes) : []
            let body = byte + Self.headBytes + sizes.count
            let wholeEnd = body + sizes.reduce(0) { $0 + Int($1) }
            let end = min(pages.length, wholeEnd)
            let isPage = isMarked && sizes.count == Int(head[26])
            let isFirst = isPage && head[5] & 2 != 0
            let isMapped = (isFirst || byte == 0) && Self.isFLAC(pages.bytes(Self.mappingBytes + 4, at: body)[...])
            if isMapped, serials.count < Self.mostStreams { serials.insert(head[14..<18]) }
            // Another one, or one too many.
            if isFirst, !isMapped || !serials.contains(head[14..<18]), furthest.byte > 0 { isChained = true }
            if isPage, serials.contains(head[14..<18]) {
                // The first one's does not begin with the FLAC file.
                return Page(
                    byte: byte, body: min(end, body + (isMapped ? Self.mappingBytes : 0))..<end,
                    isEnd: end == wholeEnd && head[5] & 4 != 0)
            }
            if isPage, inSync {
                byte = end
            } else {
                inSync = false
                byte = nextMark(behind: byte)
            }
        }
    }

    /// Reads no more than a few times what lies between, so that many marks that are none cost no more than their bytes.
    private func nextMark(behind byte: Int) -> Int {
        var (byte, count) = (byte + 1, 32)
        while true {
            let piece = pages.bytes(count, at: byte)
            count = min(2 * count, 4096)
            guard piece.count >= Self.mark.count else { return byte + piece.count }
            for index in 0...(piece.count - Self.mark.count) where piece[index] == Self.mark[0] {
                if piece[index...].starts(with: Self.mark) { return byte + index }
            }
            byte += piece.count - Self.mark.count + 1
        }
    }
}
