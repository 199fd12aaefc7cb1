/// A host and a port as they stand in an address: `HOST:PORT`, one of IPv6 as `[HOST]:PORT`.
enum Authority {
    /// What stands before the port, without brackets, and behind its colon.
    static func split(_ text: Substring) -> (host: Substring, port: Substring?) {
        var (host, port): (Substring, Substring?) = (text, nil)
        // A colon within brackets is one of IPv6.
        if let colon = text[(text.lastIndex(of: "]") ?? text.startIndex)...].lastIndex(of: ":") {
            (host, port) = (text[..<colon], text[colon...].dropFirst())
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return (host, port)
    }

    static func joined(_ host: String, _ port: Int) -> String {
        "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
