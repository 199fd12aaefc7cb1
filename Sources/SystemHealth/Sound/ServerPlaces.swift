import Jack

/// What servers that were killed have left behind in shared memory.
enum ServerPlaces {
    private static let places = 8

    static func findings(_ snapshot: Snapshot) -> [Finding] {
        let machine = snapshot.machine
        let subject = Subject(
            "leftovers", because: "there is room for \(places) servers on a machine, and dead ones may hold it")
        let folder = SharedMemory.folder
        guard let names = machine.names(in: folder), let processes = snapshot.processes, snapshot.seesOthers else {
            return [
                Finding(
                    subject, .unseen, "Whether dead JACK servers have left something cannot be seen.", from: [folder])
            ]
        }
        let alive = Set(processes.filter { $0.state != "Z" }.map(\.identifier))
        let servers = ServerRegistry.servers(folder: machine.root + folder)
        let dead = servers.filter { !alive.contains(Int($0.value)) }.keys.sorted()
        let registry = "\(folder)/jack-shm-registry"
        var findings: [Finding] = []
        if !dead.isEmpty {
            let isFull = dead.count == places
            findings.append(
                Finding(
                    subject, isFull ? .problem : dead.count > places - 3 ? .warning : .note,
                    "\(dead.count) of JACK's \(places) places for servers \(dead.count == 1 ? "is" : "are") held by "
                        + "such as have ended (\(dead.joined(separator: ", "))).",
                    because: isFull
                        ? "no further server can start" : "when all \(places) are taken no further server can start",
                    remedy: [Step("end all JACK servers, then", "rm \(registry)")], from: [registry]))
        }
        let database = "jack_db-\(snapshot.user?.identifier ?? 0)"
        if snapshot.jackServers.isEmpty && names.contains(database) {
            findings.append(
                Finding(
                    subject, .note, "No JACK server runs, and the database of port properties is still there.",
                    because: "if a program was killed while it held its lock, every JACK program hangs at its start",
                    remedy: [.command("rm -r \(folder)/\(database)")], from: ["\(folder)/\(database)"]))
        }
        return findings.isEmpty
            ? [
                Finding(subject, .ok, "No dead JACK server has left anything that is in the way.", from: [registry])
            ] : findings
    }
}
