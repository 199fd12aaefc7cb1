/// Where a server of HTTP or WebSockets is, and what is asked of it: `ws://HOST:PORT/PATH`, and so for `wss`, `http` and
/// `https`.
struct WebAddress: Sendable, Hashable, CustomStringConvertible {
    /// As in the address.
    enum Scheme: String, Sendable {
        case ws
        case wss
        case http
        case https

        var isEncrypted: Bool { self == .wss || self == .https }
    }

    var scheme: Scheme
    /// A name or address, without the brackets of one of IPv6.
    var host: String
    var port: Int
    /// With the question mark and what follows it; begins with a slash.
    var path: String

    /// No path is longer: the library has no more room for it.
    static let pathLimit = 1024
    /// Likewise, of a host.
    static let hostLimit = 100

    /// Host and port as they stand in an address.
    var authority: String { Authority.joined(host, port) }

    var description: String { "\(scheme.rawValue)://\(authority)\(path == "/" ? "" : path)" }
}

extension WebAddress {
    /// Reads `http://HOST[:PORT]/PATH`, and so for the others; `nil` for what is none.
    init?(_ word: some StringProtocol) {
        let parts = word.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let scheme = Scheme(rawValue: parts[0].lowercased()) else { return nil }
        let rest = Substring(parts[1])
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let (host, digits) = Authority.split(rest[..<end])
        var port = scheme.isEncrypted ? 443 : 80
        if let digits {
            guard let number = Authority.port(digits) else { return nil }
            port = number
        }
        // What stands before an @ may be a password.
        guard (1...Self.hostLimit).contains(host.utf8.count),
            host.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"/@[]\\".utf8.contains($0) })
        else { return nil }
        let path = rest[end...].prefix { $0 != "#" }
        self.init(scheme: scheme, host: String(host), port: port, path: path.hasPrefix("/") ? String(path) : "/\(path)")
        guard hasGoodPath else { return nil }
    }

    private var hasGoodPath: Bool {
        path.utf8.count <= Self.pathLimit && path.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// Whether a path has a token behind its question mark, in whatever way that is written. Others can read it there.
    static func hasToken(_ path: String) -> Bool {
        path.split { "?&".contains($0) }.dropFirst().contains { argument in
            let name = argument.prefix { $0 != "=" }
            let plainName = PercentEncoding.decoded(String(name)) ?? ""
            return "\(plainName)\(argument.dropFirst(name.count))".hasPrefix("token=")
        }
    }

    /// Where a server leads to from here: an address, or one that goes on from this (RFC 3986, section 5.2); `nil` for what is
    /// none, or not of this kind.
    func redirected(to word: String) -> WebAddress? {
        if word.contains("://"), word.prefix(while: { !"/?#".contains($0) }).hasSuffix(":") {
            return WebAddress(word).flatMap { [.http, .https].contains($0.scheme) ? $0 : nil }
        }
        if word.hasPrefix("//") { return WebAddress("\(scheme.rawValue):\(word)") }
        var next = self
        let plain = path.prefix { $0 != "?" }
        let word = word.prefix { $0 != "#" }
        if word.hasPrefix("/") {
            next.path = String(word)
        } else if word.hasPrefix("?") || word.isEmpty {
            next.path = "\(plain)\(word)"
        } else {
            next.path = "\(plain[...(plain.lastIndex(of: "/") ?? plain.startIndex)])\(word)"
        }
        next.path = Self.withoutDots(next.path)
        return next.hasGoodPath ? next : nil
    }

    private static func withoutDots(_ path: String) -> String {
        let end = path.firstIndex(of: "?") ?? path.endIndex
        var parts: [Substring] = []
        let given = path[..<end].split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, part) in given.enumerated() {
            let isLast = index == given.count - 1
            switch part {
            case ".": if isLast { parts.append("") }
            case "..":
                _ = parts.popLast()
                if isLast { parts.append("") }
            default: parts.append(part)
            }
        }
        return "/\(parts.joined(separator: "/"))\(path[end...])"
    }

    /// Whether what belongs to the one, as a token, belongs to the other too.
    func isSameServer(as other: WebAddress) -> Bool {
        (scheme, host.lowercased(), port) == (other.scheme, other.host.lowercased(), other.port)
    }
}
