import Jack

/// A JACK server that has a place in the registry in shared memory, and may be seen or not: several containers may have that
/// memory in common, and the number of a process means nothing outside of its own. What tells of a server is its socket.
struct RegisteredServer {
    let name: String
    /// Whose it is, in the numbers of its own container; `process` likewise.
    let user: Int
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
        let isShared = machine.environment["JACK_PROMISCUOUS_SERVER"] != nil
        func isHeard(_ socket: String) -> Bool? { machine.isHeard("\(folder)/\(socket)") }
        return ServerRegistry.servers(folder: machine.root + folder).sorted { $0.name < $1.name }.map { place in
            let (own, shared) = ("jack_\(place.name)_\(place.user)_0", "jack_\(place.name)_0")
            // The one that this user's programs look for.
            let wanted = isShared ? shared : Int(place.user) == user?.identifier ?? 0 ? own : nil
            return RegisteredServer(
                name: place.name, user: Int(place.user), process: Int(place.process),
                isAlive: running.contains(Int(place.process))
                    ? true : isAlive([own, shared].filter(names.contains).map(isHeard)),
                isReachable: wanted.map { names.contains($0) && isHeard($0) == true } ?? false)
        }
    }

    /// Of a server whose process cannot be seen.
    ///
    /// - Parameter heard: whether it listens at each of its sockets. One that has none is dead: it makes them at its start.
    private static func isAlive(_ heard: [Bool?]) -> Bool? {
        heard.contains(true) ? true : heard.contains(nil) ? nil : false
    }
}
