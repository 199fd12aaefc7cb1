import AudioFigures
import AudioFiles

/// Opus or FLAC in a stream of Ogg. Where a new one begins behind the end of the other, as a radio station makes it with each
/// title, and it is of the same kind, the sound goes on without a break.
final class OggDemuxer: SoundDemuxer {
    private let operation: String
    private(set) var reader = OggReader()
    private var track: (any OggTrack)?
    /// Of the stream that is heard; `nil` where the next one that is known will be.
    private var serial: UInt32?
    private var pageNumber: UInt32 = 0
    /// Whether pages of sound have come since the last beginning: then the next one begins something new.
    private var hasBegun = false
    /// What there was beside, or in the place of, what is known here, each kind once.
    private var unknown: [String] = []
    /// The part of a packet that has come; `nil` behind a hole, where its end belongs to nothing.
    private var partial: [UInt8]? = []
    private var counter = PacketCounter()

    /// So much may come without a page.
    private static let strangeLimit = 1 << 18

    init(operation: String) { self.operation = operation }

    func take(_ bytes: ArraySlice<UInt8>) throws(StreamError) -> [SoundPiece] {
        reader.append(bytes)
        var pieces: [SoundPiece] = []
        while let page = reader.next() { pieces += try take(page) }
        guard reader.strangeBytes <= Self.strangeLimit else {
            throw StreamError(.badData, operation, "its Ogg stream breaks off, and what follows is another thing")
        }
        return pieces
    }

    private func take(_ page: OggReader.Page) throws(StreamError) -> [SoundPiece] {
        if page.isFirst { return try begin(page) }
        guard let track, page.serial == serial else {
            guard track == nil else { return [] }
            let known = Codec.all.filter { $0.ogg != nil }.map(\.title).listed("and")
            let what = unknown.isEmpty ? "nothing that is known here" : unknown.joined(separator: ", ")
            throw StreamError(
                .protocolError, operation, "its Ogg stream holds \(what), and \(known) are understood")
        }
        hasBegun = true
        let step = page.number &- pageNumber
        if step != 1 { partial = nil }
        pageNumber = page.number
        var packets: [[UInt8]] = []
        if !page.isContinued { partial = [] }
        for (index, part) in page.parts.enumerated() {
            // Of one that is too large only its being there is kept.
            if let count = partial?.count, count <= StreamPacket.payloadLimit { partial? += part }
            guard page.isLastWhole || index + 1 < page.parts.count else { break }
            if let partial { packets.append(partial) }
            partial = []
        }
        // Numbers that go back, or stay, tell of no hole.
        return try track.take(packets, of: page, isBehindHole: step > 1 && step < 1 << 31, &counter)
    }

    private func begin(_ page: OggReader.Page) throws(StreamError) -> [SoundPiece] {
        if hasBegun {
            hasBegun = false
            unknown = []
            serial = nil
        }
        // Of several at the same time the first that is known is heard.
        guard serial == nil, let head = page.parts.first.map(Array.init) else { return [] }
        guard let next = Codec.all.lazy.compactMap({ $0.ogg?.makeTrack(head) }).first else {
            let name = Self.name(of: head)
            if !unknown.contains(name) { unknown.append(name) }
            track = nil
            return []
        }
        defer {
            track = next
            (serial, pageNumber, partial) = (page.serial, page.number, [])
        }
        if let track, next.goesOn(after: track) { return [] }
        counter = PacketCounter()
        return [.opening(try next.opening(operation)), .packet(counter.header(next.header))]
    }

    private static func name(of head: [UInt8]) -> String {
        let names = [
            ("\u{1}vorbis", "Vorbis"), ("Speex", "Speex"), ("\u{80}theora", "Theora"), ("fishead", "a skeleton"),
        ]
        return names.first { head.starts(with: $0.0.unicodeScalars.map { UInt8($0.value) }) }?.1 ?? "something unknown"
    }
}
