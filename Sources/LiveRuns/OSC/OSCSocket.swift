import AudioReports
import AudioStreaming
import CommandSyntax
import Glibc

/// A socket of UDP for messages of OSC, which is closed with the object. Only a host's name is waited for.
///
/// Thread: control.
package final class OSCSocket {
    /// To be polled for what has come.
    package let descriptor: CInt
    /// Where it is, as in `127.0.0.1:9000`.
    let place: String
    private var buffer = [UInt8](repeating: 0, count: 65536)

    /// Who sent something, and where answers go.
    package typealias Peer = SocketAddress

    /// Waits for messages at an address of this machine.
    ///
    /// - Parameter port: 0 for one that is free.
    /// - Throws: 68 for a name without an address, 69 for an address of another machine, 73 for a port that is taken, 77 for one that
    ///   this user may not have.
    init(host: String, port: Int) throws(Failure) {
        let address = try Self.peer(host: host, port: port, isOwn: true)
        let descriptor = try Self.makeSocket(address)
        guard address.bind(descriptor) else {
            let code = errno
            close(descriptor)
            let (exit, reason): (ExitCode, String) =
                switch code {
                case EADDRINUSE: (.cannotCreate, "another program has that port; choose another one")
                case EACCES, EPERM: (.noPermission, "ports below 1024 are not for every user; choose another one")
                case EADDRNOTAVAIL: (.noServer, "this machine has no such address; ip address lists those it has")
                default: (.noServer, Self.reason(code))
                }
            throw Failure(exit, "cannot wait for OSC at \(shown(host)):\(port): \(reason)")
        }
        self.descriptor = descriptor
        place = PageAddress(host: host, port: boundPort(of: descriptor) ?? port).description
    }

    /// A socket that sends to a peer elsewhere, at a port of its own.
    package init(to peer: Peer) throws(Failure) {
        descriptor = try Self.makeSocket(peer)
        place = ""
    }

    deinit { close(descriptor) }

    /// Whether what is sent to a peer comes back to this socket, which listens: its port, at an address of this machine.
    func isOwn(_ peer: Peer) -> Bool { boundPort(of: descriptor) == Int(peer.port) && peer.isLocal }

    /// The next datagram that has come, and from whom; `nil` where there is none.
    package func next() -> (bytes: [UInt8], peer: Peer)? {
        var address = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
        while true {
            var size = socklen_t(address.count)
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe address.withUnsafeMutableBytes { address in
                    // SAFETY: no more bytes than there is room for, of both.
                    unsafe recvfrom(
                        descriptor, buffer.baseAddress, buffer.count, 0,
                        address.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
                }
            }
            if count >= 0 { return (Array(buffer.prefix(count)), Peer(Array(address.prefix(Int(size))))) }
            // A peer that is gone answers so to what was sent to it.
            guard errno == EINTR || errno == ECONNREFUSED else { return nil }
        }
    }

    /// Sends a message, or drops it where the kernel does not take it now.
    ///
    /// - Returns: whether it went out.
    @discardableResult package func send(_ message: OSCMessage, to peer: Peer) -> Bool { send(message.bytes, to: peer) }

    func send(_ bytes: [UInt8], to peer: Peer) -> Bool {
        guard !bytes.isEmpty else { return false }
        let sent = unsafe bytes.withUnsafeBytes { bytes in
            unsafe peer.withPointer {
                // SAFETY: both are valid as long as the call lasts.
                unsafe sendto(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL), $0, $1)
            }
        }
        return sent == bytes.count
    }

    /// The peer at an address.
    ///
    /// - Parameter isOwn: whether it is to be an address of this machine.
    /// - Throws: 68 for a name without an address.
    package static func peer(host: String, port: Int, isOwn: Bool = false) throws(Failure) -> Peer {
        do throws(StreamError) {
            let lookup = HostLookup(.udp, host: host, port: port, isOwn: isOwn)
            let found = try lookup.addresses(operation: "find \(host)", advice: "write an address")
            // liblo, which session managers and most surfaces speak by, knows IPv4 alone, and localhost may be ::1 first.
            return found.first(where: \.isIPv4) ?? found[0]
        } catch {
            guard error.kind == .unresolved else { throw error.failure }
            throw Failure(.noHost, shown(error.reason))
        }
    }

    private static func makeSocket(_ peer: Peer) throws(Failure) -> CInt {
        let descriptor = peer.makeSocket(.udp)
        guard descriptor >= 0 else {
            throw Failure(.inputOutput, "cannot make a socket for OSC: \(reason(errno))")
        }
        return descriptor
    }

    // SAFETY: the C library's messages are constants, or the thread's own.
    private static func reason(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }
}

extension SocketAddress {
    /// Whether it is an address of this machine.
    package var isLocal: Bool {
        guard bytes.count >= 4 else { return false }
        let probe = makeSocket(.udp)
        guard probe >= 0 else { return false }
        defer { close(probe) }
        // The kernel binds to addresses of this machine alone; any port will do.
        return SocketAddress(bytes.prefix(2) + [0, 0] + bytes.dropFirst(4)).bind(probe)
    }
}
