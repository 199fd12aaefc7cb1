import CThreads
import Glibc
import Threads

/// Sockets that wait for connections at an address, closed with the object.
///
/// Thread: one at a time.
final class ListeningSocket {
    let descriptor: CInt
    /// Where it listens: the port that was free, where 0 was asked for.
    let port: Int
    /// A file that is given up for a moment where there may be no more, so that a connection can be taken and closed: else it would be
    /// told of again at once, without end.
    private var spare = ListeningSocket.openSpare()

    private init(descriptor: CInt, port: Int) {
        self.descriptor = descriptor
        self.port = port
    }
    deinit {
        close(descriptor)
        if spare >= 0 { close(spare) }
    }

    private static func openSpare() -> CInt { unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }

    /// Begins to listen at the first address of a host that this machine has.
    ///
    /// - Parameters:
    ///   - operation: what errors say was being done.
    ///   - choice: how another port is chosen, as in "choose another with --port".
    ///   - waits: asked ten times a second whether to go on waiting for the host's address.
    /// - Throws: `unresolved`, `resources`; `occupied`, `permission`, `network` naming what to do.
    static func open(
        _ address: PageAddress, operation: String, choice: String, waits: () -> Bool = { true }
    ) throws(StreamError) -> ListeningSocket {
        let found = try HostLookup(.tcp, host: address.host, port: address.port, isOwn: true).addresses(
            operation: operation, advice: "write an address of this machine", waits: waits)
        return try open(found, port: address.port, operation: operation, choice: choice)
    }

    /// - Parameter addresses: of the host, at least one.
    static func open(
        _ addresses: [SocketAddress], port: Int, operation: String, choice: String
    ) throws(StreamError) -> ListeningSocket {
        var code = EADDRNOTAVAIL
        for address in addresses {
            let descriptor = address.makeSocket(.tcp)
            if descriptor >= 0 {
                // A port that was served a moment ago is free all the same.
                Socket.set(SOL_SOCKET, SO_REUSEADDR, 1, of: descriptor)
                if address.bind(descriptor), listen(descriptor, 1024) == 0 {
                    return ListeningSocket(descriptor: descriptor, port: boundPort(of: descriptor) ?? port)
                }
            }
            code = errno
            if descriptor >= 0 { close(descriptor) }
            // Where another program listens at the port it is the one that is found by that name.
            guard absentAddress.contains(code) else { break }
        }
        let kind: StreamError.Kind =
            switch code {
            case EADDRINUSE: .occupied
            case EACCES, EPERM: .permission
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: .resources
            default: .network
            }
        throw StreamError(kind, operation, reason(code, port: port, choice))
    }

    /// Why a port cannot be listened at, and what to do.
    static func reason(_ code: CInt, port: Int, _ choice: String) -> String {
        switch code {
        case EADDRINUSE: "another program listens at that port; \(choice)"
        case EACCES, EPERM:
            "ports below 1024 are not for every user; \(choice), from 1024 on, or let the superuser free this one for all by "
                + "sysctl net.ipv4.ip_unprivileged_port_start=\(port)"
        case EADDRNOTAVAIL, EAFNOSUPPORT: "this machine has no such address; ip address lists those it has"
        // SAFETY: the C library's messages are constants, or the thread's own.
        default: unsafe String(cString: strerror(code))
        }
    }

    /// Whether a connection waits.
    var isAwaited: Bool { InputWait.wait(for: [descriptor], untilNanoseconds: 0) }

    /// The next connection that waits; `nil` where there is none.
    ///
    /// What waits in the kernel for a listener that does not read is kept small, and a connection that nobody answers on
    /// ends by itself.
    func accept() -> CInt? {
        let descriptor = cthreads_accept(descriptor)
        guard descriptor >= 0 else {
            if errno == EMFILE || errno == ENFILE { refuse() }
            return nil
        }
        let tcp = CInt(IPPROTO_TCP)
        Socket.set(tcp, TCP_NODELAY, 1, of: descriptor)
        Socket.set(tcp, TCP_NOTSENT_LOWAT, 16 << 10, of: descriptor)
        Socket.set(tcp, TCP_USER_TIMEOUT, 90_000, of: descriptor)
        Socket.set(SOL_SOCKET, SO_SNDBUF, 64 << 10, of: descriptor)
        Socket.noticeLoss(of: descriptor, afterSeconds: 30, askingEverySeconds: 10)
        return descriptor
    }

    /// Closes the connection that waits, for want of a file for it.
    private func refuse() {
        if spare >= 0 { close(spare) }
        let refused = cthreads_accept(descriptor)
        if refused >= 0 { close(refused) }
        spare = Self.openSpare()
        // Somebody else was faster: it is tried again, and not all the time.
        if refused < 0 { MonotonicClock.sleep(milliseconds: 10) }
    }
}
