import Glibc
import Threads

/// Waits for a JACK server to come up. Costs no processor time while there is none.
///
/// The server's socket appears in a folder, of which the kernel tells: jackd's in shared memory, PipeWire's in the user's
/// runtime folder. Whether there is a server behind it is asked now and then, the less often the longer it is away.
package final class ServerArrival {
    private static let shortestPause = 20
    private static let longestPause = 1000
    /// How long a server may take to let a knocking client in.
    private static let patienceMilliseconds: CInt = 100

    private let serverName: String
    private let watch: CInt
    private var pause = ServerArrival.shortestPause

    /// - Parameter server: which; `nil` for the default one.
    package init(server: String?) {
        serverName = LibJack.place(of: server)
        watch = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        // Where the kernel has no more watches to give, there are the pauses.
        let folder = LibJack.isPipeWire ? PipeWireSocket.folder : ServerLeftovers.folder
        if watch >= 0 { _ = unsafe inotify_add_watch(watch, folder, UInt32(IN_CREATE | IN_MOVED_TO)) }
    }

    deinit { if watch >= 0 { close(watch) } }

    /// Whether the server can be asked for a client now.
    package var knock: Knock {
        LibJack.isPipeWire
            ? PipeWireSocket.knock(patienceMilliseconds: Self.patienceMilliseconds)
            : ServerSocket.knock(serverName: serverName, patienceMilliseconds: Self.patienceMilliseconds)
    }

    /// Waits until it is worth while to look again, or until the pipe wakes it. Thread: worker.
    ///
    /// - Parameter milliseconds: how long at most.
    package func wait(_ pipe: WakePipe, atMost milliseconds: Int) {
        pipe.wait(milliseconds: min(pause, milliseconds), orFor: watch >= 0 ? watch : nil)
        // A server that has just made something there is on its way.
        pause = drain() ? Self.shortestPause : min(pause * 2, Self.longestPause)
    }

    /// Takes note of what the kernel has told; returns whether it was anything.
    private func drain() -> Bool {
        guard watch >= 0 else { return false }
        var events = [UInt8](repeating: 0, count: 4096)
        var isNews = false
        while unsafe events.withUnsafeMutableBytes({ unsafe read(watch, $0.baseAddress, $0.count) }) > 0 {
            isNews = true
        }
        return isNews
    }
}
