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

    /// A port, which is written in digits alone: 1…65535; `nil` for what is none.
    static func port(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text).flatMap { (1...65535).contains($0) ? $0 : nil }
    }

    static func joined(_ host: String, _ port: Int) -> String {
        "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
