/// A stream of Ogg: a page for each packet, so that none waits for another.
final class OggMuxer: StreamMuxer {
    private let opening: StreamOpening
    private let mapping: OggMapping
    private var pages: OggStream
    /// What stands before the sound, until it has gone out.
    private var headers: [[UInt8]]?
    private var position: Int64 = 0
    /// A packet of which nothing came; `nil` where the codec has none, or no packet has shown its kind.
    private var silence: [UInt8]?
    /// Frames that were missing: less than a packet.
    private var rest: UInt64 = 0

    /// - Parameters:
    ///   - header: what a decoder needs.
    ///   - comments: as `TITLE=…`.
    init(
        _ opening: StreamOpening, _ header: [UInt8], _ mapping: OggMapping, comments: [String] = [],
        pages: OggStream = OggStream()
    ) {
        self.opening = opening
        self.mapping = mapping
        self.pages = pages
        headers = mapping.headers(header, OggMapping.comments(comments))
    }

    func bytes(of packet: StreamPacket, missing: UInt64) -> [UInt8] {
        var bytes = headers.map { pages.headers($0) } ?? []
        headers = nil
        rest += missing + (packet.isGap ? UInt64(packet.frames) : 0)
        if let silence {
            let frames = UInt64(max(1, opening.packetFrames))
            let packets = min(rest / frames, Self.longestSilence * UInt64(opening.rate) / frames)
            rest %= frames
            for _ in 0..<packets { bytes += page(silence, packet) }
        }
        guard !packet.isGap, !packet.payload.isEmpty else { return bytes }
        silence = mapping.silence(opening, packet.payload)
        return bytes + page(packet.payload, packet)
    }

    private func page(_ payload: [UInt8], _ packet: StreamPacket) -> [UInt8] {
        position += mapping.frames(opening, packet)
        return pages.pages(of: payload, position: position)
    }

    /// What ends the stream; `nil` where nothing was sent.
    var end: [UInt8]? { headers == nil ? pages.end(position: position) : nil }
}
