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
    /// - Throws: `unresolved`, `occupied`, `network`, `resources`.
    init(host: String, port: Int, operation: String, waits: () -> Bool) throws(StreamError) {
        let addresses = try HostLookup(.udp, host: host.isEmpty ? nil : host, port: port, isOwn: true).addresses(
            operation: operation, waits: waits)
        let (descriptor, address, code) = Self.bind(addresses, isForAll: host.isEmpty)
        self.descriptor = descriptor
        guard code == 0 else {
            let reason =
                switch code {
                case EADDRINUSE: "the port \(port) is in use; choose another, or end what uses it"
                case EADDRNOTAVAIL, EAFNOSUPPORT: "\(host) is no address of this machine, where RTP is waited for"
                case EINVAL where address.isGroup: "\(host) is a group of one network: name that, as in [ff12::1%eth0]"
                case EACCES: "ports below 1024 are the system's; choose another"
                default: networkError(code)
                }
            throw StreamError(code == EADDRINUSE ? .occupied : .network, operation, reason)
        }
        guard !address.isGroup || join(address) else {
            let reason =
                errno == ENODEV
                ? "no network of this machine leads to it; name one after an IPv6 group, as in [ff15::1%eth0]"
                : networkError(errno)
            throw StreamError(.network, operation, "the group cannot be joined: \(reason)")
        }
    }

    /// Waits at the first of a host's addresses that this machine has: for all addresses at one of IPv6, which hears IPv4 too, where
    /// this machine has both.
    ///
    /// - Returns: the error's number too, or 0.
    static func bind(
        _ addresses: [SocketAddress], isForAll: Bool
    ) -> (descriptor: CInt, address: SocketAddress, code: CInt) {
        var (descriptor, address, code): (CInt, SocketAddress, CInt) = (-1, addresses[0], EADDRNOTAVAIL)
        let ordered = isForAll ? addresses.sorted { $0.ofIPv6 != nil && $1.ofIPv6 == nil } : addresses
        for next in ordered {
            if descriptor >= 0 { close(descriptor) }
            address = next
            descriptor = address.makeSocket(.udp)
            if descriptor >= 0 {
                if isForAll, address.ofIPv6 != nil { Socket.set(CInt(IPPROTO_IPV6), IPV6_V6ONLY, 0, of: descriptor) }
                // What a worker that is late for half a second must not lose.
                Socket.set(SOL_SOCKET, SO_RCVBUF, 1 << 20, of: descriptor)
                if address.isGroup { Socket.set(SOL_SOCKET, SO_REUSEADDR, 1, of: descriptor) }
                if address.bind(descriptor) { return (descriptor, address, 0) }
            }
            code = errno
            guard absentAddress.contains(code) else { break }
        }
        return (descriptor, address, code)
    }

    // Where `init` fails behind the socket's making too: then all that is stored has a value.
    deinit { close(descriptor) }

    /// Takes part in a group: of IPv4 where the kernel leads it, of IPv6 on the network behind its percent sign or likewise.
    private func join(_ address: SocketAddress) -> Bool {
        if let new = address.ofIPv6 {
            var group = ipv6_mreq(ipv6mr_multiaddr: new.sin6_addr, ipv6mr_interface: new.sin6_scope_id)
            let size = socklen_t(MemoryLayout<ipv6_mreq>.size)
            return unsafe setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_ADD_MEMBERSHIP, &group, size) == 0
        }
        guard let old = address.ofIPv4 else { return false }
        var group = ip_mreq(imr_multiaddr: old.sin_addr, imr_interface: in_addr(s_addr: 0))
        let size = socklen_t(MemoryLayout<ip_mreq>.size)
        return unsafe setsockopt(descriptor, CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, &group, size) == 0
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
