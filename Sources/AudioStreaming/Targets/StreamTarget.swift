import Glibc

/// Where a stream goes. Two are the same where their addresses are, whatever opens their doors.
public struct StreamTarget: Sendable, Hashable, CustomStringConvertible {
    /// How it goes there.
    public enum Kind: String, Sendable, CaseIterable {
        /// A WAV, FLAC, Ogg Opus or MP3 stream to a program that listens at a TCP port.
        case tcp
        /// The same into a named pipe or a new file.
        case file
        /// RTP packets by UDP: L16 and L24 (RFC 3551, 3190) or Opus (RFC 7587), with sender reports.
        case rtp
        /// Packets of the form `iounit.stream/1` by WebSocket.
        case ws
        /// The same by TLS.
        case wss
        /// Ogg Opus, Ogg FLAC or MP3 to an Icecast server, for any number of listeners.
        case icecast

        /// Where none is written; `nil` where one must be.
        var usualPort: Int? {
            switch self {
            case .ws: 80
            case .wss: 443
            case .icecast: 8000
            case .tcp, .file, .rtp: nil
            }
        }

        /// Whether a server is asked for something that has a name of its own there.
        var hasPath: Bool { self == .ws || self == .wss || self == .icecast }
    }

    /// What listeners are shown of a stream that is broadcast.
    public struct Station: Sendable, Equatable {
        /// The name of it.
        public var title: String?
        /// A sentence about it.
        public var description: String?
        /// As in `jazz`.
        public var genre: String?

        /// Nothing is said.
        public init() {}
    }

    /// What a target wants of those that send to it.
    public struct Access: Sendable, Equatable {
        /// A token or password, which goes to that target alone and is printed nowhere.
        public var secret: Secret?
        /// A file of certificates in PEM that servers are checked with, in place of the system's.
        public var certificatesPath: String?

        /// Nothing is wanted.
        public init() {}
    }

    /// How the stream goes there.
    public let kind: Kind
    /// The host's name or address, without the brackets of one of IPv6; of a file its path.
    public let host: String
    /// 1…65535; of a file 0.
    public let port: Int
    /// What the server is asked for, of a WebSocket with what follows a question mark, of Icecast the mount: `/` and more;
    /// else empty.
    public let path: String
    /// Who sends to Icecast: `source` where nothing else is said; else empty.
    public let user: String
    /// Of Icecast.
    public var station = Station()
    /// What it wants of those that send to it.
    public var access = Access()

    /// Reads `ws://HOST:PORT/PATH`, `wss://HOST:PORT/PATH`, `icecast://USER@HOST:PORT/MOUNT`, `rtp://HOST:PORT`,
    /// `tcp://HOST:PORT` or `file:PATH`. A password behind a user of Icecast's becomes the secret of `access`.
    ///
    /// - Throws: `unsupported`, naming what there is.
    public init(_ word: String) throws(StreamError) {
        func refused(_ reason: String) -> StreamError {
            StreamError(.unsupported, "send to \(Self.harmless(word))", reason)
        }
        if word.hasPrefix("file:") {
            var path = word.dropFirst(5)
            if path.hasPrefix("//") { path = path.dropFirst(2) }
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw refused("it names no file; write file:PATH")
            }
            (kind, host, port, self.path, user) = (.file, String(path), 0, "", "")
            return
        }
        let parts = word.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), kind != .file else {
            throw refused(
                "it is no target; use ws://HOST:PORT/PATH, icecast://HOST:PORT/MOUNT, rtp://HOST:PORT, tcp://HOST:PORT or "
                    + "file:PATH")
        }
        var place = parts[1]
        // A password may have a slash in it.
        let at = kind == .icecast ? place.lastIndex(of: "@") : nil
        if let at { place = place[place.index(after: at)...] }
        let end = kind.hasPath ? place.firstIndex { "/?#".contains($0) } ?? place.endIndex : place.endIndex
        let form = "\(kind.rawValue)://HOST:PORT\(kind == .icecast ? "/MOUNT" : kind.hasPath ? "/PATH" : "")"
        let (host, digits) = Authority.split(place[..<end])
        guard let port = digits == nil ? kind.usualPort : digits.flatMap(Authority.port) else {
            throw refused("it has no port; write \(form) with a port of 1 to 65535")
        }
        guard !host.isEmpty, !host.contains(where: { "/@[] ".contains($0) || $0.unicodeScalars.contains("\0") }),
            host.utf8.count <= WebAddress.hostLimit
        else { throw refused("it has no host; write \(form)") }
        (self.kind, self.host, self.port) = (kind, String(host), port)
        let login = at.map { parts[1][..<$0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false) }
        user = kind == .icecast ? login?.first.map(String.init) ?? "source" : ""
        if let login, login.count == 2 { access.secret = try Secret(String(login[1])) }
        guard kind != .icecast || !user.isEmpty && user.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw refused("it has no user before the @; write \(form)")
        }
        guard kind.hasPath else {
            path = ""
            return
        }
        let rest = place[end...]
        path = rest.hasPrefix("/") ? String(rest) : "/\(rest)"
        guard path.utf8.count <= WebAddress.pathLimit, path.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            !path.contains("#")
        else { throw refused("its path has characters that an address has not; write others as %20 and so on") }
        guard kind != .icecast || path.count > 1 && !path.contains("?") else {
            throw refused("it has no mount; write \(form)")
        }
        guard !WebAddress.hasToken(path) else {
            throw StreamError(
                .unsupported, "send to \(kind.rawValue)://\(Authority.joined(self.host, port))",
                "others can read a token in an address; give it with --token")
        }
    }

    /// Without what stands before a host, which may be a password, and without what follows a question mark or a hash, which may
    /// be a token.
    static func harmless(_ word: String) -> String {
        guard !word.hasPrefix("file:") else { return word }
        let start = word.firstRange(of: "://")?.upperBound ?? word.startIndex
        var word = word
        if let at = word.lastIndex(of: "@"), start < at {
            // Behind a question mark or a hash it may be a token's.
            let isOfQuery = word[start..<at].contains { "?#".contains($0) } && !word.hasPrefix("icecast://")
            word = "\(word[..<start])...\(isOfQuery ? "" : word[at...])"
        }
        if let mark = word.firstIndex(where: { "?#".contains($0) }) { word = "\(word[...mark])..." }
        return word
    }

    /// As it is written, without what is secret or may be: of what follows a question mark nobody knows.
    public var description: String {
        if kind == .file { return "file:\(host)" }
        let login = kind == .icecast ? "\(user)@" : ""
        let shownPath = path.firstIndex(of: "?").map { "\(path[...$0])..." } ?? path
        return "\(kind.rawValue)://\(login)\(Authority.joined(host, port))\(path == "/" ? "" : shownPath)"
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && left.host == right.host && left.port == right.port && left.path == right.path
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(host)
        hasher.combine(port)
        hasher.combine(path)
    }
}
