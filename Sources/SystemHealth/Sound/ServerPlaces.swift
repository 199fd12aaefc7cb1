/// What servers that were killed have left behind in shared memory.
enum ServerPlaces {
    private static let places = 8
    private static let subject = Subject(
        "leftovers", because: "there is room for \(places) servers on a machine, and dead ones may hold it")
    private static let folder = SharedMemory.folder
    private static let registry = "\(folder)/jack-shm-registry"

    static func findings(_ snapshot: Snapshot) -> [Finding] {
        guard let names = snapshot.machine.names(in: folder), snapshot.seesOthers else {
            return [
                Finding(
                    subject, .unseen, "Whether dead JACK servers have left something cannot be seen.", from: [folder])
            ]
        }
        let found = [held(snapshot.registered), unclear(snapshot.registered), database(snapshot, names)]
            .compactMap { $0 }
        guard found.isEmpty else { return found }
        return [Finding(subject, .ok, "No dead JACK server has left anything that is in the way.", from: [registry])]
    }

    private static func held(_ servers: [RegisteredServer]) -> Finding? {
        let dead = servers.filter { $0.isAlive == false }.map(\.name)
        guard !dead.isEmpty else { return nil }
        // The registry is theirs too, and those of other containers are easily forgotten.
        let others = servers.filter { $0.isAlive != false }.map(\.name)
        let all = others.isEmpty ? "" : " (\(others.joined(separator: ", "))), in other containers too"
        let isFull = servers.count >= places
        return Finding(
            subject, isFull ? .problem : dead.count > places - 3 ? .warning : .note,
            "\(dead.count) of JACK's \(places) places for servers \(dead.count == 1 ? "is" : "are") held by "
                + "such as have ended (\(dead.joined(separator: ", "))).",
            because: isFull
                ? "no further server can start" : "when all \(places) are taken no further server can start",
            remedy: [Step("end all JACK servers\(all), then", "rm \(registry)")], from: [registry])
    }

    private static func unclear(_ servers: [RegisteredServer]) -> Finding? {
        let names = servers.filter { $0.isAlive == nil }.map(\.name)
        guard !names.isEmpty else { return nil }
        return Finding(
            subject, .unseen, "Whether some JACK servers still run cannot be seen: \(names.joined(separator: ", ")).",
            because: "neither their processes nor their sockets are within reach of this user",
            from: [registry, folder])
    }

    private static func database(_ snapshot: Snapshot, _ names: [String]) -> Finding? {
        let database = "jack_db-\(snapshot.user?.identifier ?? 0)"
        // A server of another container, which has no process here, may use it.
        let sockets = names.filter { $0.hasPrefix("jack_") && $0.hasSuffix("_0") }
        guard snapshot.jackServers.isEmpty, names.contains(database),
            sockets.allSatisfy({ snapshot.machine.isHeard("\(folder)/\($0)") == false })
        else { return nil }
        return Finding(
            subject, .note, "No JACK server runs, and the database of port properties is still there.",
            because: "if a program was killed while it held its lock, every JACK program hangs at its start",
            remedy: [.command("rm -r \(folder)/\(database)")], from: ["\(folder)/\(database)"])
    }
}
