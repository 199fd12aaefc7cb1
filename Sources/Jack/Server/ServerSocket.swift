import Glibc
import Threads

/// The socket on which a jackd of this user listens for clients.
package enum ServerSocket {
    /// What jackd calls its things in shared memory: with the user's number in it, unless all users share a server.
    static var owner: String { Environment["JACK_PROMISCUOUS_SERVER"] == nil ? "\(getuid())_" : "" }

    private static func path(serverName: String) -> String {
        "\(ServerLeftovers.folder)/jack_\(serverName)_\(owner)0"
    }

    /// Which start of a server this is: each makes a socket of its own.
    package struct Identity: Sendable, Equatable {
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

    /// Knocks: whether the server lets us in, and notices that we leave again, within a time.
    ///
    /// That takes a server that has started completely. Thread: control.
    package static func knock(serverName: String, patienceMilliseconds: CInt) -> Knock {
        Knock.answer(at: path(serverName: serverName), patienceMilliseconds: patienceMilliseconds)
    }

    /// Whether that was answered.
    package static func answers(serverName: String, patienceMilliseconds: CInt) -> Bool {
        knock(serverName: serverName, patienceMilliseconds: patienceMilliseconds) == .answered
    }
}
