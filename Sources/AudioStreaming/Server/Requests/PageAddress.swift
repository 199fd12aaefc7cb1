import Glibc

/// Where a page is served: an address of this machine, or a name that stands for one, and a port.
public struct PageAddress: Sendable, Hashable, CustomStringConvertible {
    /// The host's name or address, without the brackets of one of IPv6.
    public let host: String
    /// 1…65535, or 0 for one that is free.
    public let port: Int

    /// The port where nothing else is said.
    public static let usualPort = 8420
    /// What only this machine reaches.
    public static let loopback = "127.0.0.1"

    /// An address of these parts.
    public init(host: String = Self.loopback, port: Int = Self.usualPort) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST`, `HOST:PORT`, `[ADDRESS]:PORT`, `:PORT` or `PORT`.
    ///
    /// - Throws: `unsupported`.
    public init(_ word: String) throws(StreamError) {
        var (host, digits): (Substring, Substring?) = (word[...], nil)
        if !word.isEmpty, word.allSatisfy(\.isNumber) {
            (host, digits) = (Self.loopback[...], word[...])
        } else if word.hasPrefix("[") || word.count(where: { $0 == ":" }) == 1 {
            (host, digits) = Authority.split(word[...])
            if word.hasPrefix(":") { host = Self.loopback[...] }
        }
        let port = digits == nil ? Self.usualPort : digits.flatMap { Int($0) } ?? -1
        // A mark that joins the character before it would hide a bracket.
        guard (0...65535).contains(port), digits?.allSatisfy(\.isNumber) ?? true, !host.isEmpty,
            host.utf8.allSatisfy({ (33...126).contains($0) && !"/[]".utf8.contains($0) })
        else {
            throw StreamError(
                .unsupported, "serve at \(word)", "it is no address; write ADDRESS:PORT, ADDRESS or PORT")
        }
        self.init(host: String(host), port: port)
    }

    /// Whether only programs on this machine reach it.
    public var isLoopback: Bool {
        host == "::1" || host.lowercased() == "localhost" || PageAddress.isAddress(host) && host.hasPrefix("127.")
    }

    /// What a browser can be told: where all addresses of the machine are listened at, one of them.
    var reachable: PageAddress {
        guard ["0.0.0.0", "::"].contains(host) else { return self }
        return PageAddress(host: MachineAddress.first ?? Self.loopback, port: port)
    }

    /// Whether a text is an address of IPv4 or IPv6, and no name.
    static func isAddress(_ text: String) -> Bool {
        var address = in6_addr()
        return [AF_INET, AF_INET6].contains { unsafe inet_pton($0, text, &address) == 1 }
    }

    /// As in a URL.
    public var description: String { Authority.joined(host, port) }
}

/// The addresses of this machine's network interfaces.
enum MachineAddress {
    /// The first one of IPv4 that other machines may reach; `nil` where there is none.
    static var first: String? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return nil }
        defer { unsafe freeifaddrs(list) }
        var next = unsafe list
        while let entry = unsafe next?.pointee {
            unsafe next = entry.ifa_next
            let flags = unsafe entry.ifa_flags
            guard flags & UInt32(IFF_UP) != 0, flags & UInt32(IFF_LOOPBACK) == 0,
                let address = unsafe entry.ifa_addr, unsafe address.pointee.sa_family == sa_family_t(AF_INET)
            else { continue }
            if let text = unsafe Socket.numeric(address, socklen_t(MemoryLayout<sockaddr_in>.size)) { return text }
        }
        return nil
    }
}
