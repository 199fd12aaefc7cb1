import Synchronization

/// What the pages of an Ogg file tell: where streams begin, whether the end is there, and whether pages are missing.
struct OggOutline: Sendable {
    /// The bytes of each link of a chain (RFC 3533), from its first page to its last whole one. A link is a stream, or several
    /// streams that are multiplexed.
    private(set) var links: [Range<Int>] = []

    /// Whether pages are damaged or missing.
    private(set) var isDamaged = false

    /// The indices of links with Opus whose channels are not in Vorbis' order: of another family than 0 and 1 (RFC 7845, 5.1.1).
    private(set) var unorderedLinks: Set<Int> = []

    private var reader = OggReader()
    private var takenBytes = 0
    private var last: OggReader.Page?
    /// The first byte behind the last page.
    private var end = 0
    /// The expected number of the next page of each stream in the present link, by serial number.
    private var nextNumbers: [UInt32: UInt32] = [:]

    /// Reads a whole file.
    init(of file: some FileBytes) {
        self.init()
        var piece = file.bytes(Self.pieceBytes, at: 0)
        while !piece.isEmpty {
            take(piece[...])
            piece = file.bytes(Self.pieceBytes, at: takenBytes)
        }
    }

    /// For bytes that come one after the other.
    init() {}

    private static let pieceBytes = 65536

    mutating func take(_ bytes: ArraySlice<UInt8>) {
        reader.append(bytes)
        takenBytes += bytes.count
        while let page = reader.next() {
            let start = takenBytes - reader.heldBytes - page.byteCount
            if page.isFirst, last?.isFirst != true {
                links.append(start..<start)
                nextNumbers = [:]
            }
            if page.isFirst, let head = page.parts.first, head.starts(with: "OpusHead".utf8),
                let family = head.dropFirst(18).first, family > 1
            {
                unorderedLinks.insert(links.count - 1)
            }
            // The numbers may jump behind the headers: a listener who joins a radio station gets them first, then the live pages.
            let isMissing = nextNumbers[page.serial].map { $0 != page.number } ?? false
            if !links.isEmpty, start > end || isMissing { isDamaged = true }
            let isSound = page.position != 0
            nextNumbers[page.serial] = isSound && nextNumbers.count < Self.mostStreams ? page.number &+ 1 : nil
            last = page
            end = start + page.byteCount
            if let link = links.last { links[links.count - 1] = link.lowerBound..<end }
        }
    }

    /// Whether the last page is whole and has the flag for the end of a stream. A killed recorder does not write one.
    var hasEnd: Bool { last?.isLast == true && reader.heldBytes == 0 }

    /// In a link with more streams than this, missing pages are not detected.
    private static let mostStreams = 64
}

/// The outline of an Ogg file that comes through a pipe. One thread writes to it, another reads it.
final class PipedOutline: Sendable {
    private let outline = Mutex(OggOutline())

    /// Thread: any.
    func take(_ bytes: ArraySlice<UInt8>) { outline.withLock { $0.take(bytes) } }

    /// As far as it has come.
    var present: OggOutline { outline.withLock { $0 } }
}
