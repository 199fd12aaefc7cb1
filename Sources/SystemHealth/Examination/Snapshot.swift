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

    private static let pipeWireSocketOfAllUsers = "/run/pipewire/pipewire-0"

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

    /// Those of them that serve clients. A jackdbus does so only between `jack_control start` and `stop`, and has a place
    /// in the registry only then.
    var servingJackServers: [RunningProcess] {
        jackServers.filter { process in
            process.name != "jackdbus"
                || registered.contains { $0.process == process.identifier && $0.user == process.user ?? $0.user }
        }
    }

    /// Whether a PipeWire of this user runs.
    var hasPipeWire: Bool { running("pipewire").contains(where: isOwn) }

    /// Whether a PipeWire answers that is no process of this user here: one outside of the container, or one for all users.
    /// It is asked only where such a one may run.
    var hasForeignPipeWire: Bool {
        guard container != nil || !seesOthers || !running("pipewire").isEmpty else { return false }
        // The user's own socket is left alone where the user's systemd may listen at it: a connection starts PipeWire.
        let mayStartOwn = running("systemd").contains { isOwn($0) && $0.arguments.contains("--user") }
        return mayStartOwn ? machine.isHeard(Self.pipeWireSocketOfAllUsers) == true : machine.pipeWireAnswers()
    }

    /// Whether a program is this user's; where the kernel does not tell, it is taken for one.
    func isOwn(_ process: RunningProcess) -> Bool { process.user == nil || process.user == user?.identifier }

    /// As a sentence names a user by number.
    func userName(_ identifier: Int?) -> String {
        guard let identifier else { return "another user" }
        return User.name(of: identifier, machine) ?? "user \(identifier)"
    }
}
