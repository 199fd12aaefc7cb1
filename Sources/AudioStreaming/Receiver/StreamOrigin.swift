/// Where a stream comes from.
public struct StreamOrigin: Sendable, Equatable, CustomStringConvertible {
    /// How it comes.
    public enum Kind: Sendable, Equatable {
        /// RTP by UDP, to a port of this machine.
        case rtp(RTPPayload)
        /// Packets of the form `iounit.stream/1` from a server of WebSockets.
        case webSocket(isEncrypted: Bool)
    }

    /// How the stream comes.
    public let kind: Kind
    /// The host's name or address, without the brackets of one of IPv6. Of RTP one of this machine or a group's; empty for all
    /// of this machine.
    public let host: String
    /// 1…65535.
    public let port: Int
    /// What a server is asked for; of RTP empty.
    public let path: String
    /// What a server wants of those that listen.
    public var access = StreamTarget.Access()

    /// Reads `rtp://HOST:PORT`, `ws://HOST:PORT/PATH` or `wss://HOST:PORT/PATH`.
    ///
    /// - Parameter payload: of RTP without a description.
    /// - Throws: `unsupported`, naming what there is.
    public init(_ word: String, payload: RTPPayload) throws(StreamError) {
        if word.hasPrefix("ws://") || word.hasPrefix("wss://") {
            let target: StreamTarget
            do throws(StreamError) {
                target = try StreamTarget(word)
            } catch {
                let operation = error.operation.replacing("send to", with: "receive from", maxReplacements: 1)
                throw StreamError(error.kind, operation, error.reason)
            }
            (kind, host, port, path) = (
                .webSocket(isEncrypted: target.kind == .wss), target.host, target.port, target.path
            )
            return
        }
        func refused(_ reason: String) -> StreamError { StreamError(.unsupported, "receive from \(word)", reason) }
        let parts = word.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "rtp" else {
            throw refused(
                "it is no origin; use rtp://HOST:PORT, ws://HOST:PORT/PATH or the name of an SDP file")
        }
        guard let colon = parts[1].lastIndex(of: ":"), let port = Int(parts[1][colon...].dropFirst()),
            (1...65535).contains(port)
        else { throw refused("it has no port; write \(parts[0])://HOST:PORT with a port of 1 to 65535") }
        var host = parts[1][..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.utf8.contains(0), !host.contains("/"), !host.contains("@"), !host.contains(" ") else {
            throw refused("its host is none; write \(parts[0])://HOST:PORT")
        }
        (kind, self.host, self.port, path) = (.rtp(payload), String(host), port, "")
    }

    /// What a description says.
    public init(_ description: SessionDescription) {
        (kind, host, port, path) = (.rtp(description.payload), description.host, description.port, "")
    }

    /// As it is written, but for what follows a question mark.
    public var description: String {
        let scheme =
            switch kind {
            case .rtp: "rtp"
            case .webSocket(let isEncrypted): isEncrypted ? "wss" : "ws"
            }
        let shownPath = path == "/" ? "" : path.prefix { $0 != "?" }
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)\(shownPath)"
    }

    /// What the buffer holds before anything was measured, in seconds.
    var firstBuffer: Double {
        switch kind {
        case .rtp: 0.01
        case .webSocket: 0.03
        }
    }

    /// - Parameter waits: asked ten times a second whether to go on waiting for a server.
    func open(waits: @escaping () -> Bool) throws(StreamError) -> any StreamSource {
        let operation = "receive from \(self)"
        switch kind {
        case .rtp(let payload):
            return try RTPSource(host: host, port: port, payload: payload, operation: operation)
        case .webSocket(let isEncrypted):
            let address = WebAddress(scheme: isEncrypted ? .wss : .ws, host: host, port: port, path: path)
            let trust = isEncrypted ? try WebTrust(file: access.certificatesPath, operation: operation) : nil
            return WebSocketSource(
                address, operation: operation, token: access.secret, trust: trust, waits: waits)
        }
    }
}
