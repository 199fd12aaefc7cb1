/// Where a stream comes from.
public struct StreamOrigin: Sendable, Equatable, CustomStringConvertible {
    /// How it comes.
    public enum Kind: Sendable, Equatable {
        /// RTP by UDP, to a port of this machine.
        case rtp(RTPPayload)
        /// Packets of the form `iounit.stream/1` from a server of WebSockets.
        case webSocket(isEncrypted: Bool)
        /// The body of a web server's answer: Ogg Opus, Ogg FLAC, FLAC, WAV or MP3, with or without an end.
        case web(isEncrypted: Bool)
        /// The same from a program that sends it to those that connect to it by TCP.
        case tcp
        /// The same from a program that connects to a port of this machine.
        case tcpListener
    }

    /// How the stream comes.
    public let kind: Kind
    /// The host's name or address, without the brackets of one of IPv6. Of RTP and `tcpListener` one of this machine, of RTP also a
    /// group's; empty for all of this machine.
    public let host: String
    /// 1…65535.
    public let port: Int
    /// What a server is asked for; of RTP and TCP empty.
    public let path: String
    /// What a server wants of those that listen.
    public var access = StreamTarget.Access()

    /// Reads `rtp://HOST:PORT`, `ws://HOST:PORT/PATH`, `http://HOST:PORT/PATH`, `wss` and `https` likewise, `tcp://HOST:PORT` or
    /// `tcp-listen://[HOST:]PORT`: without a host at the loopback address.
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
        if word.hasPrefix("http://") || word.hasPrefix("https://") {
            self = try Self.web(word)
            return
        }
        func refused(_ reason: String) -> StreamError {
            StreamError(.unsupported, "receive from \(StreamTarget.harmless(word))", reason)
        }
        var parts = word.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let kinds: [String: Kind] = ["rtp": .rtp(payload), "tcp": .tcp, "tcp-listen": .tcpListener]
        guard parts.count == 2, let kind = kinds[String(parts[0])] else {
            throw refused(
                "it is no origin; use rtp://HOST:PORT, ws://HOST:PORT/PATH, http://HOST:PORT/PATH, tcp://HOST:PORT, "
                    + "tcp-listen://PORT or the name of an SDP file")
        }
        if kind == .tcpListener, Authority.port(parts[1]) != nil { parts[1] = ":\(parts[1])" }
        let (host, digits) = Authority.split(parts[1])
        guard let port = digits.flatMap(Authority.port) else {
            throw refused("it has no port; write \(parts[0])://HOST:PORT with a port of 1 to 65535")
        }
        guard !host.utf8.contains(0), !host.contains("/"), !host.contains("@"), !host.contains(" ") else {
            throw refused("its host is none; write \(parts[0])://HOST:PORT")
        }
        guard kind != .tcp || !host.isEmpty else { throw refused("it has no host; write tcp://HOST:PORT") }
        self.host = kind == .tcpListener && host.isEmpty ? PageAddress.loopback : String(host)
        (self.kind, self.port, path) = (kind, port, "")
    }

    private init(_ address: WebAddress) {
        kind = .web(isEncrypted: address.scheme.isEncrypted)
        (host, port, path) = (address.host, address.port, address.path)
    }

    private static func web(_ word: String) throws(StreamError) -> StreamOrigin {
        // What stands before an @ may be a password, and what follows a question mark or a hash a token.
        let scheme = word.prefix { $0 != ":" }
        guard let address = WebAddress(word) else {
            let shown = word.contains("@") ? "\(scheme)://..." : String(word.prefix { !"?#".contains($0) })
            throw StreamError(
                .unsupported, "receive from \(shown)",
                "it is no such address; write \(scheme)://HOST:PORT/PATH, without a name or password, and with other "
                    + "characters than those of addresses as %20 and so on")
        }
        guard !WebAddress.hasToken(address.path) else {
            throw StreamError(
                .unsupported, "receive from \(scheme)://\(address.authority)",
                "others can read a token in an address; give it with --token")
        }
        return StreamOrigin(address)
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
            case .web(let isEncrypted): isEncrypted ? "https" : "http"
            case .tcp: "tcp"
            case .tcpListener: "tcp-listen"
            }
        let shownPath = path == "/" ? "" : path.prefix { $0 != "?" }
        return "\(scheme)://\(Authority.joined(host, port))\(shownPath)"
    }

    /// Whether anybody can send to it. Then bad data from one sender must not end the receiver for the others.
    package var servesAnybody: Bool {
        switch kind {
        case .rtp, .tcpListener: true
        case .webSocket, .web, .tcp: false
        }
    }

    /// What the buffer holds before anything was measured, in seconds.
    var firstBuffer: Double {
        switch kind {
        case .rtp: 0.01
        case .webSocket, .web, .tcp, .tcpListener: 0.03
        }
    }

    /// - Parameter waits: asked ten times a second whether to go on waiting for a server.
    func open(waits: @escaping () -> Bool) throws(StreamError) -> any StreamSource {
        let operation = "receive from \(self)"
        switch kind {
        case .rtp(let payload):
            return try RTPSource(host: host, port: port, payload: payload, operation: operation, waits: waits)
        case .webSocket(let isEncrypted):
            let address = WebAddress(scheme: isEncrypted ? .wss : .ws, host: host, port: port, path: path)
            let trust = isEncrypted ? try WebTrust(file: access.certificatesPath, operation: operation) : nil
            return ConnectedSource { [access] _ throws(StreamError) in
                let client = try WebSocketClient(
                    address, protocolName: WebSocketLink.protocolName, operation: operation, token: access.secret,
                    trust: trust, receives: true, waits: waits)
                return WebSocketConnection(client, operation: operation)
            }
        case .web(let isEncrypted):
            let address = WebAddress(scheme: isEncrypted ? .https : .http, host: host, port: port, path: path)
            // Also of a plain one, which may lead to one that is encrypted.
            let trust =
                isEncrypted || access.certificatesPath != nil
                ? try WebTrust(file: access.certificatesPath, operation: operation) : nil
            let connector = WebConnector(
                address: address, operation: operation, token: access.secret, trust: trust, waits: waits)
            return ConnectedSource(operation: operation) { _ throws(StreamError) in try connector.connect() }
        case .tcp:
            return ConnectedSource(operation: operation) { [host, port] _ throws(StreamError) in
                try TCPSource.connect(host: host, port: port, operation: operation, waits: waits)
            }
        case .tcpListener:
            let listener = try ListeningSocket.open(
                PageAddress(host: host, port: port), operation: operation, choice: "choose another", waits: waits)
            return ConnectedSource(operation: operation, servesAnybody: servesAnybody) {
                TCPSource.accept(at: listener, operation: operation, untilNanoseconds: $0)
            }
        }
    }
}
