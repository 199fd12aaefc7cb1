import AudioFiles

/// A stream that has the form of a file: finds out which, and takes the packets out.
///
/// Any bytes may come. Thread: one at a time, any.
final class SoundBody {
    private let operation: String
    /// Until the form is known.
    private var head: ArraySlice<UInt8> = []
    /// With how many bytes of it a start is looked for again: a sixteenth more, so that the work grows as their number.
    private var nextLook = 0
    /// Of a description (ID3) before the sound, bytes that are still to be left out.
    private var skippedBytes = 0
    private var demuxer: (any SoundDemuxer)?
    /// What it is, once that is known.
    private(set) var container: StreamContainer?

    private static let headLimit = 1 << 16

    init(operation: String) { self.operation = operation }

    /// Whether its header says how long the sound is.
    var isFinite: Bool { demuxer?.isFinite ?? false }

    /// - Throws: `protocolError`: it is no sound that is understood; `badData`: it was, and is no more.
    func take(_ bytes: [UInt8]) throws(StreamError) -> [SoundPiece] {
        if let demuxer { return try demuxer.take(bytes[...]) }
        head += bytes
        return try begin(isLast: false)
    }

    private func begin(isLast: Bool) throws(StreamError) -> [SoundPiece] {
        while skipDescription() {}
        guard skippedBytes == 0, let (container, start) = try find(isLast: isLast) else { return [] }
        let demuxer = try container.makeDemuxer(operation)
        (self.demuxer, self.container) = (demuxer, container)
        defer { head = [] }
        return try demuxer.take(head.dropFirst(start))
    }

    /// No more comes; returns what was held back.
    ///
    /// - Throws: `protocolError`: it was no sound.
    func finish() throws(StreamError) -> [SoundPiece] {
        let pieces = demuxer == nil && !head.isEmpty ? try begin(isLast: true) : []
        guard let demuxer else {
            if head.isEmpty { return [] }
            throw unknown
        }
        return pieces + demuxer.finish()
    }

    /// Leaves out a description; whether another one may follow.
    private func skipDescription() -> Bool {
        let count = min(skippedBytes, head.count)
        head.removeFirst(count)
        skippedBytes -= count
        guard skippedBytes == 0, let bytes = id3Bytes(head) else { return false }
        skippedBytes = bytes
        return true
    }

    /// The form, and where the sound begins; `nil` where more must come before that is known.
    private func find(isLast: Bool) throws(StreamError) -> (StreamContainer, Int)? {
        guard head.count >= 4 else { return nil }
        let mark = String(decoding: head.prefix(4), as: UTF8.self)
        if ["#EXT", "[pla"].contains(mark) { throw playlist }
        let containers = StreamContainer.all
        if let container = containers.first(where: { $0.marks.contains(mark) }) { return (container, 0) }
        // A listener of a station gets in anywhere.
        if !head.starts(with: "ID3".utf8), isLast || head.count >= nextLook {
            nextLook = head.count + head.count / 16
            let bytes = Array(head)
            for container in containers { if let start = container.findStart(bytes) { return (container, start) } }
        }
        guard head.count < Self.headLimit else { throw unknown }
        return nil
    }

    private var playlist: StreamError {
        StreamError(
            .protocolError, operation, "it sends a list of addresses and no sound; receive from one that the list names"
        )
    }

    private var unknown: StreamError {
        let isPage = head.first { !" \r\n\t".utf8.contains($0) } == UInt8(ascii: "<")
        return StreamError(
            .protocolError, operation,
            "it sends \(isPage ? "a page" : "something else") and no sound that is understood, which is "
                + StreamContainer.titles)
    }
}
