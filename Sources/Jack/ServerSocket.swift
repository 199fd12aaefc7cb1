import CJack
import Glibc

/// The socket on which a jackd of this user listens for clients.
package enum ServerSocket {
    /// What jackd calls its things in shared memory: with the user's number in it, unless all users share a server.
    static var owner: String { unsafe getenv("JACK_PROMISCUOUS_SERVER") == nil ? "\(getuid())_" : "" }

    private static func path(serverName: String) -> String {
        "\(ServerLeftovers.folder)/jack_\(serverName)_\(owner)0"
    }

    /// Which start of a server this is: each makes a socket of its own.
    struct Identity: Sendable, Equatable {
        var file: UInt64
        var seconds: Int
        var nanoseconds: Int
    }

    /// The identity of the server whose socket is there, or `nil` where none is, or cannot be seen.
    static func identity(serverName: String) -> Identity? {
        var facts = stat()
        guard unsafe lstat(path(serverName: serverName), &facts) == 0 else { return nil }
        return Identity(
            file: UInt64(facts.st_ino), seconds: facts.st_ctim.tv_sec, nanoseconds: facts.st_ctim.tv_nsec)
    }

    /// What comes of knocking at a server's door.
    enum Reply: Sendable {
        case letIn
        /// There is no server.
        case refused
        /// Nothing within the time: the server stands still, or is busy with its own end.
        case silence
    }

    package static func answers(serverName: String, patienceMilliseconds: CInt) -> Bool {
        knock(serverName: serverName, patienceMilliseconds: patienceMilliseconds) == .letIn
    }

    /// Knocks: whether the server lets us in, and notices that we leave again, within a time.
    ///
    /// That takes a server that has started completely, and nothing of libjack, which knows one server at a time.
    /// Thread: control.
    static func knock(serverName: String, patienceMilliseconds: CInt) -> Reply {
        let path = Array(path(serverName: serverName).utf8)
        var address = sockaddr_un()
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return .refused }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }

        // A connect that waits would wait for room in the queue of a server that is stopped.
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let connection = socket(AF_UNIX, kind, 0)
        guard connection >= 0 else { return .silence }
        defer { close(connection) }
        let connected = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // The queue of one that is stopped may be full.
        guard connected == 0 else { return errno == EAGAIN ? .silence : .refused }
        guard shutdown(connection, CInt(SHUT_WR)) == 0 else { return .refused }
        var wait = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&wait, 1, patienceMilliseconds) == 1 else { return .silence }
        var byte: UInt8 = 0
        // The end of what it says; an error where it never accepted us.
        return unsafe read(connection, &byte, 1) == 0 ? .letIn : .refused
    }
}
