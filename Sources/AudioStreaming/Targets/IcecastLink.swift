/// Ogg Opus, Ogg FLAC or MP3 to an Icecast server, which gives it to any number of listeners.
///
/// Packets of Opus and FLAC are put into pages as they come; MP3 has none. Time without sound is left out: it would reach the
/// listeners at once when it is over, and they would be behind by that much from then on.
final class IcecastLink: StreamLink {
    private let server: IcecastServer
    private let pages: OggMuxer?
    /// What is called for before the next packet, until the server has it.
    private var title: IcecastTitle?
    /// Where the packets end that may wait in libshout, in the bytes that it was given.
    private var ends: [UInt64] = []

    init(_ context: LinkContext) throws(StreamError) {
        let station = context.target.station
        let facts = [("TITLE", station.title), ("DESCRIPTION", station.description), ("GENRE", station.genre)]
        pages = context.opening.codec.ogg.map { mapping in
            OggMuxer(
                context.opening, context.header, mapping,
                comments: facts.compactMap { name, text in text.map { "\(name)=\($0)" } })
        }
        // Without pages it is no part of the stream.
        title = pages == nil ? IcecastTitle(context) : nil
        server = try IcecastServer(context)
    }

    func send(_ packet: StreamPacket) throws(StreamError) -> Bool {
        guard !packet.isGap else {
            try server.serve()
            return true
        }
        let bytes = pages?.bytes(of: packet, missing: 0) ?? packet.payload
        try server.send(bytes)
        ends.removeAll { $0 <= sentBytes }
        ends.append(server.givenBytes)
        if title?.isSet() == true { title = nil }
        return true
    }

    func idle() throws(StreamError) { try server.serve() }

    func close() throws(StreamError) {
        if let end = pages?.end { try server.send(end) }
        try server.flush()
    }

    var sentBytes: UInt64 { server.givenBytes - min(server.givenBytes, UInt64(server.waitingBytes)) }

    var unconfirmedPackets: UInt64 { UInt64(ends.count { [sentBytes] in $0 > sentBytes }) }
}
