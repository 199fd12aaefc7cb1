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

    /// The host as it stands in an address.
    var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    var description: String {
        "\(scheme.rawValue)://\(bracketedHost):\(port)\(path == "/" ? "" : path)"
    }
}
