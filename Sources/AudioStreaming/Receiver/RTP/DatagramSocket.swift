import Glibc

/// A socket that datagrams come to, which is closed with the object.
///
/// Thread: one at a time.
final class DatagramSocket {
    let descriptor: CInt
    private var buffer = [UInt8](repeating: 0, count: 65536)

    /// Waits at an address of this machine, or takes part in a group.
    ///
    /// - Parameters:
    ///   - host: empty for all addresses.
    ///   - waits: asked ten times a second whether to go on waiting for the host's address.
    /// - Throws: `unresolved`, `network`, `resources`.
    init(host: String, port: Int, operation: String, waits: () -> Bool) throws(StreamError) {
        let address = try HostLookup(.udp, host: host.isEmpty ? nil : host, port: port, isOwn: true).addresses(
            operation: operation, waits: waits)[0]
        descriptor = address.makeSocket(.udp)
        guard descriptor >= 0 else { throw StreamError(.network, operation, networkError(errno)) }
        // What a worker that is late for half a second must not lose.
        Socket.set(SOL_SOCKET, SO_RCVBUF, 1 << 20, of: descriptor)
        let group = Self.group(address)
        if group != nil { Socket.set(SOL_SOCKET, SO_REUSEADDR, 1, of: descriptor) }
        guard address.bind(descriptor) else {
            let reason =
                switch errno {
                case EADDRINUSE: "the port \(port) is in use; choose another, or end what uses it"
                case EADDRNOTAVAIL: "\(host) is no address of this machine, where RTP is waited for"
                case EACCES: "ports below 1024 are the system's; choose another"
                case let code: networkError(code)
                }
            throw StreamError(.network, operation, reason)
        }
        if var group {
            let size = socklen_t(MemoryLayout<ip_mreq>.size)
            if unsafe setsockopt(descriptor, CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, &group, size) != 0 {
                throw StreamError(.network, operation, "the group cannot be joined: \(networkError(errno))")
            }
        }
    }

    // Where `init` fails behind the socket's making too: then all that is stored has a value.
    deinit { close(descriptor) }

    /// A group of IPv4 that is to be joined; `nil` for any other address.
    private static func group(_ address: SocketAddress) -> ip_mreq? {
        guard address.bytes.count == MemoryLayout<sockaddr_in>.size else { return nil }
        // SAFETY: as many bytes as it has.
        let old = unsafe address.bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: sockaddr_in.self) }
        guard old.sin_family == sa_family_t(AF_INET) else { return nil }
        let host = old.sin_addr
        guard UInt32(bigEndian: host.s_addr) >> 28 == 0xe else { return nil }
        return ip_mreq(imr_multiaddr: host, imr_interface: in_addr(s_addr: 0))
    }

    /// The next datagram that has come; `nil` where there is none.
    func next() -> [UInt8]? {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                // SAFETY: as many bytes as there is room for.
                unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            }
            if count >= 0 { return Array(buffer.prefix(count)) }
            // An answer to something that was sent is nothing to a receiver.
            guard errno == EINTR || errno == ECONNREFUSED else { return nil }
        }
    }
}
