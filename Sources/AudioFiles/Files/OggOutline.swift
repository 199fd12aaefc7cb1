import Synchronization

/// What the pages of an Ogg file say of it: where it begins anew, and whether its end is there.
struct OggOutline: Sendable {
    /// The bytes where a stream begins, or several that are heard at the same time: more than one of a chain (RFC 3533).
    private(set) var starts: [Int] = []

    /// Whether pages are broken or missing.
    private(set) var isDamaged = false

    private var reader = OggReader()
    private var takenBytes = 0
    private var last: OggReader.Page?
    /// The byte behind the last page.
    private var end = 0
    /// By the streams' numbers, of those that began last, the number of the page that comes next.
    private var nextNumbers: [UInt32: UInt32] = [:]

    /// Of what is there.
    init(of file: some FileBytes) {
        self.init()
        var piece = file.bytes(Self.pieceBytes, at: 0)
        while !piece.isEmpty {
            take(piece[...])
            piece = file.bytes(Self.pieceBytes, at: takenBytes)
        }
    }

    /// Of what comes.
    init() {}

    private static let pieceBytes = 65536

    mutating func take(_ bytes: ArraySlice<UInt8>) {
        reader.append(bytes)
        takenBytes += bytes.count
        while let page = reader.next() {
            let start = takenBytes - reader.heldBytes - page.byteCount
            if page.isFirst, last?.isFirst != true {
                starts.append(start)
                nextNumbers = [:]
            }
            // Who joins a radio station gets the headers, and then the pages of the moment.
            let isMissing = nextNumbers[page.serial].map { $0 != page.number } ?? false
            if !starts.isEmpty, start > end || isMissing { isDamaged = true }
            let isSound = page.position != 0
            nextNumbers[page.serial] = isSound && nextNumbers.count < Self.mostStreams ? page.number &+ 1 : nil
            last = page
            end = start + page.byteCount
        }
    }

    /// Whether the last page is whole, and says that none follows. A recorder that was killed has written none.
    var hasEnd: Bool { last?.isLast == true && reader.heldBytes == 0 }

    /// Of more at a time, what is missing is not looked for.
    private static let mostStreams = 64
}

/// That of what comes through a pipe.
final class PipedOutline: Sendable {
    private let outline = Mutex(OggOutline())

    /// Thread: any.
    func take(_ bytes: ArraySlice<UInt8>) { outline.withLock { $0.take(bytes) } }

    var hasEnd: Bool { outline.withLock { $0.hasEnd } }
    var isDamaged: Bool { outline.withLock { $0.isDamaged } }
    /// Whether more follows than the first stream, or those that are heard with it.
    var isChained: Bool { outline.withLock { $0.starts.count > 1 } }
}
