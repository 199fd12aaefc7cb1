import Jack

/// What servers that were killed have left behind in shared memory.
enum ServerPlaces {
    private static let places = 8
    private static let subject = Subject(
        "leftovers", because: "there is room for \(places) servers on a machine, and dead ones may hold it")
    private static let folder = SharedMemory.folder
    private static let registry = "\(folder)/jack-shm-registry"

    static func findings(_ snapshot: Snapshot) -> [Finding] {
        guard let names = snapshot.machine.names(in: folder), let processes = snapshot.processes, snapshot.seesOthers
        else {
            return [
                Finding(
                    subject, .unseen, "Whether dead JACK servers have left something cannot be seen.", from: [folder])
            ]
        }
        let found = [held(snapshot.machine, processes), database(snapshot, names)].compactMap { $0 }
        guard found.isEmpty else { return found }
        return [Finding(subject, .ok, "No dead JACK server has left anything that is in the way.", from: [registry])]
    }

    private static func held(_ machine: Machine, _ processes: [RunningProcess]) -> Finding? {
        let alive = Set(processes.filter { $0.state != "Z" }.map(\.identifier))
        let servers = ServerRegistry.servers(folder: machine.root + folder)
        let dead = servers.filter { !alive.contains(Int($0.value)) }.keys.sorted()
        guard !dead.isEmpty else { return nil }
        let isFull = dead.count == places
        return Finding(
            subject, isFull ? .problem : dead.count > places - 3 ? .warning : .note,
            "\(dead.count) of JACK's \(places) places for servers \(dead.count == 1 ? "is" : "are") held by "
                + "such as have ended (\(dead.joined(separator: ", "))).",
            because: isFull
                ? "no further server can start" : "when all \(places) are taken no further server can start",
            remedy: [Step("end all JACK servers, then", "rm \(registry)")], from: [registry])
    }

    private static func database(_ snapshot: Snapshot, _ names: [String]) -> Finding? {
        let database = "jack_db-\(snapshot.user?.identifier ?? 0)"
        guard snapshot.jackServers.isEmpty, names.contains(database) else { return nil }
        return Finding(
            subject, .note, "No JACK server runs, and the database of port properties is still there.",
            because: "if a program was killed while it held its lock, every JACK program hangs at its start",
            remedy: [.command("rm -r \(folder)/\(database)")], from: ["\(folder)/\(database)"])
    }
}
