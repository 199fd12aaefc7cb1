import Glibc

/// Where a stream goes.
public struct StreamTarget: Sendable, Hashable, CustomStringConvertible {
    /// How it goes there.
    public enum Kind: String, Sendable, CaseIterable {
        /// A WAV, FLAC or Ogg Opus stream to a program that listens at a TCP port.
        case tcp
        /// The same into a named pipe or a new file.
        case file
        /// RTP packets by UDP: L16 and L24 (RFC 3551, 3190) or Opus (RFC 7587), with sender reports.
        case rtp
    }

    /// How the stream goes there.
    public let kind: Kind
    /// The host's name or address, without the brackets of one of IPv6; of a file its path.
    public let host: String
    /// 1…65535; of a file 0.
    public let port: Int

    /// Reads `tcp://HOST:PORT`, `rtp://HOST:PORT` or `file:PATH`.
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
            (kind, host, port) = (.file, String(path), 0)
            return
        }
        let parts = word.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), kind != .file else {
            throw refused("it is no target; use tcp://HOST:PORT, rtp://HOST:PORT or file:PATH")
        }
        guard let colon = parts[1].lastIndex(of: ":"), let port = Int(parts[1][colon...].dropFirst()),
            (1...65535).contains(port)
        else {
            throw refused("it has no port; write \(kind.rawValue)://HOST:PORT with a port of 1 to 65535")
        }
        var host = parts[1][..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.utf8.contains(0), !host.contains("/"), !host.contains("@") else {
            throw refused("it has no host; write \(kind.rawValue)://HOST:PORT")
        }
        (self.kind, self.host, self.port) = (kind, String(host), port)
    }

    /// Without what stands before a host, which may be a password.
    private static func harmless(_ word: String) -> String {
        let start = word.firstRange(of: "://")?.upperBound ?? word.startIndex
        guard !word.hasPrefix("file:"), let at = word.lastIndex(of: "@"), start < at else { return word }
        return "\(word[..<start])...\(word[at...])"
    }

    /// As it is written.
    public var description: String {
        if kind == .file { return "file:\(host)" }
        return "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
