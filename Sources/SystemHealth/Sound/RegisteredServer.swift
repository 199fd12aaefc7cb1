import Jack

/// A JACK server that has a place in the registry in shared memory, and may be seen or not: several containers may have that
/// memory in common, and the number of a process means nothing outside of its own. What tells of a server is its socket.
struct RegisteredServer {
    let name: String
    /// In the numbers of its own container.
    let process: Int
    /// Whether it runs; `nil` where that cannot be told.
    let isAlive: Bool?
    /// Whether it listens at the socket that this user's programs look for.
    let isReachable: Bool

    /// In the order of their names.
    static func all(_ machine: Machine, user: User?, processes: [RunningProcess]?) -> [RegisteredServer] {
        let folder = SharedMemory.folder
        let names = machine.names(in: folder) ?? []
        let running = Set((processes ?? []).filter { $0.state != "Z" && $0.state != "X" }.map(\.identifier))
        return ServerRegistry.servers(folder: machine.root + folder).sorted { $0.key < $1.key }.map { name, process in
            func isHeard(_ socket: String) -> Bool? { machine.isHeard("\(folder)/\(socket)") }
            let own = socket(of: name, machine, user)
            return RegisteredServer(
                name: name, process: Int(process),
                isAlive: running.contains(Int(process))
                    ? true : isAlive(names.filter { isSocket($0, of: name) }.map(isHeard)),
                isReachable: names.contains(own) && isHeard(own) == true)
        }
    }

    /// Of a server whose process cannot be seen.
    ///
    /// - Parameter heard: whether it listens at each of its sockets. One that has none is dead: it makes them at its start.
    private static func isAlive(_ heard: [Bool?]) -> Bool? {
        heard.contains(true) ? true : heard.contains(nil) ? nil : false
    }

    /// What jackd calls the socket that this user's programs look for.
    private static func socket(of server: String, _ machine: Machine, _ user: User?) -> String {
        let isShared = machine.environment["JACK_PROMISCUOUS_SERVER"] != nil
        return "jack_\(server)_" + (isShared ? "" : "\(user?.identifier ?? 0)_") + "0"
    }

    /// Whether a file is a server's socket, whosever: `jack_NAME_USER_0`, or `jack_NAME_0` where it is shared with a group.
    private static func isSocket(_ file: String, of server: String) -> Bool {
        let start = "jack_\(server)_"
        guard file.hasPrefix(start) else { return false }
        let parts = file.dropFirst(start.count).split(separator: "_", omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.last == "0" && parts.allSatisfy { $0.wholeNumber != nil }
    }
}
