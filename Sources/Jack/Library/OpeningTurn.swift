import Glibc

/// A user's turn to open a client: one process after the other.
///
/// libjack names the socket on which a client is called back after the client and the user, and not after the server.
/// Of two processes that open the same name on two servers at the same time, one would take the other's away, and be
/// told that its server does not answer.
enum OpeningTurn {
    /// A program that holds its turn for longer, as one that opens a client on a stopped server, is not waited for.
    private static let patienceMilliseconds = 2000

    /// Waits for the turn, and keeps it for the operation.
    ///
    /// It is a lock on the folder of those sockets, which leaves nothing behind however the process ends. Where that
    /// cannot be locked there is nobody to wait for.
    static func take<Result>(for operation: () -> Result) -> Result {
        let folder = unsafe open(ServerLeftovers.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if folder >= 0 { close(folder) } }
        for _ in 0..<patienceMilliseconds {
            if flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK { break }
            usleep(1000)
        }
        return operation()
    }
}
