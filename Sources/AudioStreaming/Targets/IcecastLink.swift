/// Ogg Opus, Ogg FLAC or MP3 to an Icecast server, which gives it to any number of listeners.
///
/// Packets of Opus and FLAC are put into pages as they come; MP3 has none. Time without sound is left out: it would reach the
/// listeners at once when it is over, and they would be behind by that much from then on.
final class IcecastLink: StreamLink {
    private let server: IcecastServer
    private let opening: StreamOpening
    private var pages: OggPages?
    /// What is called for before the next packet, until the server has it.
    private var title: IcecastTitle?
    private(set) var sentBytes: UInt64 = 0

    init(_ context: LinkContext) throws(StreamError) {
        opening = context.opening
        if opening.codec == .mp3 {
            // Of MP3 the title is no part of the stream.
            title = IcecastTitle(context)
        } else {
            pages = OggPages(context)
        }
        server = try IcecastServer(context)
    }

    func send(_ packet: StreamPacket) throws(StreamError) -> Bool {
        guard !packet.flags.contains(.gap) else {
            try server.serve()
            return true
        }
        let bytes = pages?.bytes(of: packet) ?? packet.payload
        try server.send(bytes)
        sentBytes += UInt64(bytes.count)
        if try title?.isSet() == true { title = nil }
        return true
    }

    func idle() throws(StreamError) { try server.serve() }

    func close() throws(StreamError) {
        if let end = pages?.end {
            try server.send(end)
            sentBytes += UInt64(end.count)
        }
        server.flush()
    }
}

/// The packets of a stream in pages of Ogg, with what stands before them.
private struct OggPages {
    private let opening: StreamOpening
    private let headers: OggHeaders
    private var stream = OggStream()
    private var hasOpened = false
    /// Where the stream stands: of Opus at 48 kHz, with the decoder's delay.
    private var position: Int64 = 0

    init(_ context: LinkContext) {
        opening = context.opening
        let station = context.target.station
        let facts = [("TITLE", station.title), ("DESCRIPTION", station.description), ("GENRE", station.genre)]
        headers = OggHeaders(
            opening.codec, header: context.header,
            comments: facts.compactMap { name, text in text.map { "\(name)=\($0)" } })
    }

    mutating func bytes(of packet: StreamPacket) -> [UInt8] {
        var bytes: [UInt8] = []
        if !hasOpened {
            bytes += stream.pages(of: headers.packets[0], position: 0, .first)
            bytes += stream.pages(of: headers.packets[1], position: 0)
            hasOpened = true
        }
        // A packet of Opus lasts as long as all, though a decoder drops some of the first.
        let frames =
            opening.codec == .opus ? Int64(opening.packetFrames) * 48000 / Int64(opening.rate) : Int64(packet.frames)
        position += frames
        return bytes + stream.pages(of: packet.payload, position: position)
    }

    /// What ends the stream; `nil` where nothing was sent.
    var end: [UInt8]? {
        mutating get { hasOpened ? stream.end(position: position) : nil }
    }
}
