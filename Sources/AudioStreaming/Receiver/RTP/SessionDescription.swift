import AudioFigures

/// What a description of a session (SDP, RFC 8866) says to a receiver of one sound stream. Any bytes may come.
public struct SessionDescription: Sendable, Hashable {
    /// Where the stream is sent to.
    public var host: String
    /// Of the packets; the reports come to the next one. 1…65535.
    public var port: Int
    /// What the packets carry: the first sound stream's first payload that can be received.
    public var payload: RTPPayload

    /// No description is longer.
    public static let limit = 1 << 16

    /// Reads one.
    ///
    /// - Throws: `badData`; `unsupported` for a stream that cannot be received.
    public init(_ bytes: [UInt8]) throws(StreamError) {
        func bad(_ reason: String) -> StreamError { StreamError(.badData, "read the description", reason) }
        guard bytes.count <= Self.limit else { throw bad("it is longer than 64 KiB; is it one of SDP?") }
        let lines = bytes.split { $0 == 10 || $0 == 13 }.map { String(decoding: $0, as: UTF8.self) }
        guard lines.first == "v=0" else { throw bad("it does not begin with v=0, as one of SDP does") }
        var (host, port): (String?, Int?) = (nil, nil)
        var types: [UInt8] = []
        var maps: [UInt8: Substring] = [:]
        // Before the first stream: for all that name no address of their own.
        var isInSession = true
        var isInSound = false
        for line in lines.dropFirst() {
            let words = line.dropFirst(2).split(separator: " ")
            switch line.prefix(2) {
            case "m=":
                isInSession = false
                // What comes after the first sound is none of ours.
                isInSound = port == nil && words.first == "audio"
                guard isInSound else { continue }
                guard words.count >= 4, let number = Authority.port(words[1].prefix { $0 != "/" })
                else { throw bad("its line of the sound names no port") }
                guard words[2] == "RTP/AVP" else {
                    throw StreamError(
                        .unsupported, "receive RTP", "its sound comes by \(words[2]), and not by RTP/AVP")
                }
                port = number
                types = words[3...].compactMap { UInt8($0) }.filter { $0 < 128 }
            case "c=":
                guard isInSession || isInSound, words.count == 3, words[0] == "IN" else { continue }
                host = String(words[2].prefix { $0 != "/" })
            case "a=" where isInSound:
                guard words.count >= 2, words[0].hasPrefix("rtpmap:"), let type = UInt8(words[0].dropFirst(7)) else {
                    continue
                }
                maps[type] = words[1]
            default: break
            }
        }
        guard let port else { throw bad("it tells of no sound") }
        guard let host, !host.isEmpty, !host.utf8.contains(0) else { throw bad("it names no address") }
        var refusal: StreamError?
        for type in types {
            do throws(StreamError) {
                payload = try Self.payload(type, maps[type])
                (self.host, self.port) = (host, port)
                return
            } catch {
                refusal = refusal ?? error
            }
        }
        throw refusal ?? bad("its line of the sound names no payload")
    }

    private static func payload(_ type: UInt8, _ map: Substring?) throws(StreamError) -> RTPPayload {
        guard let map else {
            if let payload = RTPPayload(staticType: type) { return payload }
            throw StreamError(.unsupported, "receive RTP", "its payload \(type) is not said to be \(known)")
        }
        let parts = map.split(separator: "/")
        guard parts.count >= 2, let rate = Int(parts[1]) else {
            throw StreamError(.badData, "read the description", "its rtpmap of payload \(type) has no rate")
        }
        let channels = parts.count > 2 ? Int(parts[2]) ?? 0 : 1
        guard let codec = Codec.all.first(where: { $0.rtp?.name.lowercased() == parts[0].lowercased() }) else {
            throw StreamError(
                .unsupported, "receive RTP", "its sound is \(parts[0]), and RTP is received with \(Self.known)")
        }
        return try RTPPayload(codec, sampleRate: rate, channels: channels, type: type)
    }

    private static var known: String { Codec.all.compactMap(\.rtp?.name).listed("or") }
}
