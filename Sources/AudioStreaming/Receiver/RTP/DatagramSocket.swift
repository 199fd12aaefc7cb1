import Glibc

/// A socket that datagrams come to, which is closed with the object.
///
/// Thread: one at a time.
final class DatagramSocket {
    let descriptor: CInt
    private var buffer = [UInt8](repeating: 0, count: 65536)

    /// Waits at an address of this machine, or takes part in a group.
    ///
    /// - Parameter host: empty for all addresses.
    /// - Throws: `unresolved`, `network`.
    init(host: String, port: Int, operation: String) throws(StreamError) {
        let entry = try unsafe Socket.resolve(
            .udp, host: host.isEmpty ? nil : host, port: port, isOwn: true, operation: operation)
        // SAFETY: the list is ours until here; all that is read from it is read before.
        defer { unsafe freeaddrinfo(entry) }
        descriptor = unsafe Socket.make(entry)
        guard descriptor >= 0 else { throw StreamError(.network, operation, networkError(errno)) }
        // What a worker that is late for half a second must not lose.
        Socket.set(SOL_SOCKET, SO_RCVBUF, 1 << 20, of: descriptor)
        let group = unsafe Self.group(entry.pointee.ai_addr)
        if group != nil { Socket.set(SOL_SOCKET, SO_REUSEADDR, 1, of: descriptor) }
        guard unsafe bind(descriptor, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0 else {
            let reason =
                switch errno {
                case EADDRINUSE: "the port \(port) is in use; choose another, or end what uses it"
                case EADDRNOTAVAIL: "\(host) is no address of this machine, where RTP is waited for"
                case EACCES: "ports below 1024 are the system's; choose another"
                case let code: networkError(code)
                }
            close(descriptor)
            throw StreamError(.network, operation, reason)
        }
        if var group {
            let size = socklen_t(MemoryLayout<ip_mreq>.size)
            if unsafe setsockopt(descriptor, CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, &group, size) != 0 {
                let reason = networkError(errno)
                close(descriptor)
                throw StreamError(.network, operation, "the group cannot be joined: \(reason)")
            }
        }
    }

    deinit { close(descriptor) }

    /// A group of IPv4 that is to be joined; `nil` for any other address.
    @unsafe private static func group(_ address: UnsafeMutablePointer<sockaddr>?) -> ip_mreq? {
        guard let address = unsafe address, unsafe address.pointee.sa_family == sa_family_t(AF_INET) else { return nil }
        // SAFETY: of this family it is one of these.
        let host = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr
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
