import CJack
import Glibc
import Threads

/// What a server leaves in shared memory when it is killed. One that ends by itself cleans up after itself.
package enum ServerLeftovers {
    package static let folder = "/dev/shm"

    /// Removes the sockets and semaphores that bear a server's name, the memory segments that it allocated, and its
    /// place in the registry. Thread: keeper, while the process has ended but its number is not another's yet; where SIGCHLD
    /// is ignored, at once after that.
    static func remove(serverName: String, process: pid_t?) {
        if let folder = SharedFolder(folder) {
            for entry in folder.names where name(in: entry) == serverName { folder.removeOwn(entry) }
        }
        if let process, ServerRegistry.remove(process: process) { removeProperties() }
    }

    /// The database of port properties, which all servers of a user share. Each jackd removes it when it ends, because
    /// the locks in it outlive their holder: a process that is killed at the wrong moment stops every later server's start.
    ///
    /// Not while a client is opened, which would meet one half of it: seen to end the program by SIGBUS, in libdb.
    private static func removeProperties() {
        OpeningTurn.take { SharedFolder(folder)?.removeOwnFolder("jack_db-\(getuid())") }
    }

    /// Removes what is left of our servers whose maker was killed: jackd then ends by itself, but leaves the semaphores
    /// of clients that died with it, and sometimes all. `family` is what their names begin with, before the maker's
    /// process number. Thread: control.
    static func sweep(family: String) {
        let registered = ServerRegistry.servers().filter { $0.user == getuid() }
        let names = Set((SharedFolder(folder)?.names ?? []).compactMap { name(in: $0) })
            .union(registered.map(\.name))
        for name in names where name.hasPrefix(family) {
            let maker = name.dropFirst(family.count).prefix { $0.isNumber }
            let process = registered.first { $0.name == name }?.process
            guard let maker = pid_t(maker), isGone(maker), process.map(isGone) ?? true,
                // The numbers of another container's processes mean nothing here.
                !ServerSocket.answers(serverName: name, patienceMilliseconds: 100)
            else { continue }
            remove(serverName: name, process: process)
        }
    }

    /// Whether a process has ended. A zombie has ended too: in a container its parent may never wait for it.
    private static func isGone(_ process: pid_t) -> Bool {
        if kill(process, 0) != 0 && errno == ESRCH { return true }
        // The state is the first word behind the name, which is in parentheses and may hold any.
        let state = SmallFile.text("/proc/\(process)/stat")?.split(separator: ")").last?.split(separator: " ").first
        return state == "Z" || state == "X"
    }

    /// The server's name in that of a socket, `jack_NAME_USER_0`, or of a semaphore, `jack_sem.USER_NAME_CLIENT`; the
    /// user is missing where all share a server. Names of our servers hold no underscore.
    private static func name(in entry: String) -> String? {
        let owner = ServerSocket.owner
        for prefix in ["jack_sem.\(owner)", "jack_"] where entry.hasPrefix(prefix) {
            return entry.dropFirst(prefix.count).split(separator: "_").first.map(String.init)
        }
        return nil
    }
}
