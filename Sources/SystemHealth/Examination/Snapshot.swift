/// What several findings go by, read once.
struct Snapshot {
    let machine: Machine
    /// `nil` where the kernel does not tell.
    let user: User?
    /// `nil` where none is to be seen.
    let processes: [RunningProcess]?
    let cards: [SoundCard]
    /// The JACK servers that have a place in this shared memory, dead ones and those of other containers among them.
    let registered: [RegisteredServer]
    /// The one that this is; `nil` where it is none.
    let container: Container?

    init(_ machine: Machine) {
        self.machine = machine
        user = User(machine)
        processes = RunningProcess.all(machine)
        cards = SoundCard.all(machine)
        registered = RegisteredServer.all(machine, user: user, processes: processes)
        container = Container(machine)
    }

    /// Whether other users' programs are to be seen: an administrator may hide them, and then the first is missing.
    var seesOthers: Bool { processes?.contains { $0.identifier == 1 } ?? false }

    /// Those programs of a name that have not ended.
    func running(_ names: String...) -> [RunningProcess] {
        (processes ?? []).filter { names.contains($0.name) && $0.state != "Z" && $0.state != "X" }
    }

    /// The JACK servers, whosever they are.
    var jackServers: [RunningProcess] { running("jackd", "jackdmp", "jackdbus") }

    /// Whether a PipeWire of this user runs.
    var hasPipeWire: Bool { running("pipewire").contains(where: isOwn) }

    /// Whether a program is this user's; where the kernel does not tell, it is taken for one.
    func isOwn(_ process: RunningProcess) -> Bool { process.user == nil || process.user == user?.identifier }

    /// As a sentence names a user by number.
    func userName(_ identifier: Int?) -> String {
        guard let identifier else { return "another user" }
        return User.name(of: identifier, machine) ?? "user \(identifier)"
    }
}
