/// Where a stream comes from.
public struct StreamOrigin: Sendable, Hashable, CustomStringConvertible {
    /// How it comes.
    public enum Kind: Sendable, Hashable {
        /// RTP by UDP, to a port of this machine.
        case rtp(RTPPayload)
    }

    /// How the stream comes.
    public let kind: Kind
    /// The host's name or address, without the brackets of one of IPv6. Of RTP one of this machine or a group's; empty for all
    /// of this machine.
    public let host: String
    /// 1…65535.
    public let port: Int

    /// Reads `rtp://HOST:PORT`.
    ///
    /// - Parameter payload: of RTP without a description.
    /// - Throws: `unsupported`, naming what there is.
    public init(_ word: String, payload: RTPPayload) throws(StreamError) {
        func refused(_ reason: String) -> StreamError { StreamError(.unsupported, "receive from \(word)", reason) }
        let parts = word.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "rtp" else {
            throw refused("it is no origin; use rtp://HOST:PORT or the name of an SDP file")
        }
        guard let colon = parts[1].lastIndex(of: ":"), let port = Int(parts[1][colon...].dropFirst()),
            (1...65535).contains(port)
        else { throw refused("it has no port; write \(parts[0])://HOST:PORT with a port of 1 to 65535") }
        var host = parts[1][..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.utf8.contains(0), !host.contains("/"), !host.contains("@"), !host.contains(" ") else {
            throw refused("its host is none; write \(parts[0])://HOST:PORT")
        }
        (kind, self.host, self.port) = (.rtp(payload), String(host), port)
    }

    /// What a description says.
    public init(_ description: SessionDescription) {
        (kind, host, port) = (.rtp(description.payload), description.host, description.port)
    }

    /// As it is written.
    public var description: String {
        switch kind {
        case .rtp: "rtp://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }
    }

    /// What the buffer holds before anything was measured, in seconds.
    var firstBuffer: Double {
        switch kind {
        case .rtp: 0.01
        }
    }

    func open() throws(StreamError) -> any StreamSource {
        switch kind {
        case .rtp(let payload):
            try RTPSource(host: host, port: port, payload: payload, operation: "receive from \(self)")
        }
    }
}
