import Glibc
import Threads

/// What comes of knocking at the socket of a server of this machine. Nothing of libjack is used for it.
package enum Knock: Sendable {
    /// Nobody listens there.
    case absent
    /// Somebody listens, and did not answer in time: a server that is starting, or that stands still.
    case silent
    case answered

    /// Whether a process listens at a socket, in whatever container it runs; `nil` where that cannot be told, as of a socket
    /// that does not let this user in. Nothing is said and nothing waited for. Thread: any but audio.
    package static func isHeard(at path: String) -> Bool? {
        let (connection, failure) = connect(to: path)
        if connection >= 0 { close(connection) }
        switch failure {
        // The backlog of a stopped server may be full.
        case 0, EAGAIN: return true
        // A socket whose process has ended refuses.
        case ECONNREFUSED, ENOENT: return false
        default: return nil
        }
    }

    /// A connection to the socket, or −1 and why there is none.
    private static func connect(to place: String) -> (connection: CInt, failure: CInt) {
        let path = Array(place.utf8)
        var address = sockaddr_un()
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return (-1, ENAMETOOLONG) }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }

        // Non-blocking: the backlog of a stopped server may be full, and a blocking connect would wait without end.
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let connection = socket(AF_UNIX, kind, 0)
        guard connection >= 0 else { return (-1, errno) }
        let connected = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected != 0 else { return (connection, 0) }
        let failure = errno
        close(connection)
        return (-1, failure)
    }

    /// Knocks. Thread: any but audio.
    ///
    /// - Parameters:
    ///   - greeting: what is said; where it is empty, that there is nothing to say. The server answers the one with bytes,
    ///     the other by hanging up.
    ///   - patienceMilliseconds: how long to wait for the answer.
    static func answer(at path: String, saying greeting: [UInt8] = [], patienceMilliseconds: CInt) -> Knock {
        let (connection, failure) = connect(to: path)
        guard connection >= 0 else {
            // Without a descriptor to be had, nothing is known of the server.
            return [EAGAIN, EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(failure) ? .silent : .absent
        }
        defer { close(connection) }
        if greeting.isEmpty {
            guard shutdown(connection, CInt(SHUT_WR)) == 0 else { return .absent }
        } else {
            // Without SIGPIPE.
            let sent = unsafe send(connection, greeting, greeting.count, CInt(MSG_NOSIGNAL))
            guard sent == greeting.count else { return .absent }
        }
        let deadline = MonotonicClock.nanoseconds() + UInt64(max(0, patienceMilliseconds)) * 1_000_000
        while !InputWait.wait(for: [connection], untilNanoseconds: deadline) {
            // A signal, as of Ctrl-C or of another size of the terminal, ends the wait, and tells nothing of the server.
            guard errno == EINTR, MonotonicClock.nanoseconds() < deadline else { return .silent }
        }
        var byte: UInt8 = 0
        let count = unsafe read(connection, &byte, 1)
        // An error where it never accepted us.
        return (greeting.isEmpty ? count == 0 : count > 0) ? .answered : .absent
    }
}
