/// Ogg Opus or Ogg FLAC to an Icecast server, which gives it to any number of listeners.
///
/// Packets are put into pages as they come. Time without sound is left out: it would reach the listeners at once when it is
/// over, and they would be behind by that much from then on.
final class IcecastLink: StreamLink {
    private let server: IcecastServer
    private let opening: StreamOpening
    private var stream = OggStream()
    private let headers: OggHeaders
    private var hasOpened = false
    /// Where the stream stands: of Opus at 48 kHz, with the decoder's delay.
    private var position: Int64 = 0
    private(set) var sentBytes: UInt64 = 0

    init(_ context: LinkContext) throws(StreamError) {
        opening = context.opening
        let station = context.target.station
        let facts = [("TITLE", station.title), ("DESCRIPTION", station.description), ("GENRE", station.genre)]
        headers = OggHeaders(
            opening.codec, header: context.header,
            comments: facts.compactMap { name, text in text.map { "\(name)=\($0)" } })
        server = try IcecastServer(context)
    }

    func send(_ packet: StreamPacket) throws(StreamError) -> Bool {
        guard !packet.flags.contains(.gap) else {
            try server.serve()
            return true
        }
        if !hasOpened {
            var bytes = stream.pages(of: headers.packets[0], position: 0, .first)
            bytes += stream.pages(of: headers.packets[1], position: 0)
            try send(bytes)
            hasOpened = true
        }
        // A packet of Opus lasts as long as all, though a decoder drops some of the first.
        let frames =
            opening.codec == .opus ? Int64(opening.packetFrames) * 48000 / Int64(opening.rate) : Int64(packet.frames)
        position += frames
        try send(stream.pages(of: packet.payload, position: position))
        return true
    }

    private func send(_ bytes: [UInt8]) throws(StreamError) {
        try server.send(bytes)
        sentBytes += UInt64(bytes.count)
    }

    func idle() throws(StreamError) { try server.serve() }

    func close() throws(StreamError) {
        if hasOpened { try send(stream.end(position: position)) }
        server.flush()
    }
}
