/// Ogg Opus, Ogg FLAC or MP3 to an Icecast server, which gives it to any number of listeners.
///
/// Packets of Opus and FLAC are put into pages as they come; MP3 has none. Time without sound is left out: it would reach the
/// listeners at once when it is over, and they would be behind by that much from then on.
final class IcecastLink: StreamLink {
    private let server: IcecastServer
    private var pages: OggPages?
    /// What is called for before the next packet, until the server has it.
    private var title: IcecastTitle?
    private(set) var sentBytes: UInt64 = 0

    init(_ context: LinkContext) throws(StreamError) {
        if let mapping = context.opening.codec.ogg {
            pages = OggPages(context, mapping)
        } else {
            // The title is no part of the stream.
            title = IcecastTitle(context)
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
    private let mapping: OggMapping
    private let headers: [[UInt8]]
    private var stream = OggStream()
    private var hasOpened = false
    /// Where the stream stands: of Opus at 48 kHz, with the decoder's delay.
    private var position: Int64 = 0

    init(_ context: LinkContext, _ mapping: OggMapping) {
        opening = context.opening
        self.mapping = mapping
        let station = context.target.station
        let facts = [("TITLE", station.title), ("DESCRIPTION", station.description), ("GENRE", station.genre)]
        let comments = facts.compactMap { name, text in text.map { "\(name)=\($0)" } }
        headers = mapping.headers(context.header, OggMapping.comments(comments))
    }

    mutating func bytes(of packet: StreamPacket) -> [UInt8] {
        var bytes: [UInt8] = []
        if !hasOpened {
            bytes += stream.headers(headers)
            hasOpened = true
        }
        position += mapping.frames(opening, packet)
        return bytes + stream.pages(of: packet.payload, position: position)
    }

    /// What ends the stream; `nil` where nothing was sent.
    var end: [UInt8]? {
        mutating get { hasOpened ? stream.end(position: position) : nil }
    }
}
