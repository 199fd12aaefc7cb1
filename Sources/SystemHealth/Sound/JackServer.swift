/// A jackd that runs, and what its words say. It is not joined: that would change the graph of those who play on it.
struct JackServer {
    private static let subject = Subject("JACK server", because: "all JACK programs run to its clock")
    private static let hang = "its clients hang, and so does each program that joins it"

    let process: RunningProcess
    let name: String
    let words: JackServerWords

    init(_ process: RunningProcess, registered: [RegisteredServer]) {
        self.process = process
        words = JackServerWords(process.arguments.dropFirst())
        let told = words.name ?? "default"
        // A server of another container may have the same number.
        let names = registered.filter { $0.process == process.identifier }.map(\.name)
        name = names.contains(told) ? told : names.first ?? told
    }

    static func findings(_ snapshot: Snapshot) -> [Finding] {
        guard snapshot.processes != nil else {
            return [Finding(subject, .unseen, "Whether a JACK server runs cannot be seen.", from: ["/proc"])]
        }
        let running = snapshot.jackServers.map { JackServer($0, registered: snapshot.registered) }
        let servers = running.filter { snapshot.isOwn($0.process) }
        let foreign = running.filter { !snapshot.isOwn($0.process) }.map { ofAnother($0, snapshot) }
        let hidden = snapshot.registered.filter { place in
            place.isReachable
                && !running.contains { $0.name == place.name && ($0.process.user ?? place.user) == place.user }
        }
        return (servers.isEmpty && hidden.isEmpty ? [absent(snapshot)] : servers.flatMap { $0.findings(snapshot) })
            + hidden.map { ofAnotherContainer($0.name, snapshot) } + foreign
    }

    /// With which this one has its shared memory in common.
    private static func ofAnotherContainer(_ name: String, _ snapshot: Snapshot) -> Finding {
        let sources = [SharedMemory.folder, "/proc"]
        let place = "its process is not seen here: it runs in another container, or by a name that is none of jackd's"
        guard !snapshot.machine.answers(name) else {
            return Finding(subject, .ok, "The JACK server \(name) answers; \(place).", from: sources)
        }
        return Finding(
            subject, .problem, "The JACK server \(name) does not answer, and \(place).", because: hang,
            remedy: [.advice("if it stays so, start it again where it was started")], from: sources)
    }

    /// Of another user. Only a shared server has a socket without its user's number.
    private static func ofAnother(_ server: JackServer, _ snapshot: Snapshot) -> Finding {
        let process = server.process
        let title = "\(process.name) of \(snapshot.userName(process.user)) (process \(process.identifier)) runs"
        let sources = ["/proc/\(process.identifier)/status", SharedMemory.folder]
        let isShared = snapshot.machine.exists("\(SharedMemory.folder)/jack_\(server.name)_0")
        return Finding(
            subject, .note,
            "\(title), and \(isShared ? "is shared with a group" : "lets only programs of that user in").",
            because: "a server and its clients are one user's, unless all of them are started to share it",
            remedy: [
                Step(
                    isShared
                        ? "be a member of its group, and start programs with"
                        : "to share it, start it and the programs with a group that both users are in",
                    "JACK_PROMISCUOUS_SERVER=\(isShared ? "GROUP" : "audio")")
            ], from: sources)
    }

    private static func absent(_ snapshot: Snapshot) -> Finding {
        if snapshot.hasPipeWire {
            return Finding(
                subject, .ok, "No jackd runs; PipeWire does, and serves the JACK programs that use its libjack.",
                from: ["/proc"])
        }
        let start =
            snapshot.cards.first.map { "jackd -d alsa -d hw:\($0.identifier) -r 48000 -p 64" }
            ?? "jackd -d dummy -r 48000 -p 64"
        let isInstalled = snapshot.machine.hasProgram("jackd")
        return Finding(
            subject, .note, isInstalled ? "No JACK server of this user runs." : "jackd is not installed.",
            remedy: (isInstalled ? [] : [.command("sudo apt install jackd2")]) + [.command(start)],
            from: isInstalled ? ["/proc"] : ["PATH"])
    }

    private var title: String { "\(process.name) (process \(process.identifier), server \(name))" }
    private var sources: [String] {
        ["/proc/\(process.identifier)/cmdline", "/proc/\(process.identifier)/task/*/stat"]
    }

    private func findings(_ snapshot: Snapshot) -> [Finding] {
        if let silence = silence(snapshot) { return [silence] }
        let answer = Finding(Self.subject, .ok, "\(title) answers: \(facts(snapshot)).", from: sources)
        guard process.realtimePriority == 0 else { return [answer] }
        let advice =
            words.refusesRealtime ? "start it without -r" : "put the real-time priority right, then start it again"
        return [
            answer,
            Finding(
                Self.subject, .warning,
                "\(title) does not run in real time\(words.refusesRealtime ? ", as it was told" : "").",
                because: "its clients then do not either, and any program makes the sound late",
                remedy: [.advice(advice)], from: sources),
        ]
    }

    /// Why nobody gets an answer from it; `nil` where it answers.
    private func silence(_ snapshot: Snapshot) -> Finding? {
        if process.state == "T" || process.state == "t" {
            return Finding(
                Self.subject, .problem, "\(title) is stopped.", because: Self.hang,
                remedy: [.command("kill -CONT \(process.identifier)")], from: ["/proc/\(process.identifier)/stat"])
        }
        let (own, shared) = (
            "jack_\(name)_\(process.user ?? snapshot.user?.identifier ?? 0)_0", "jack_\(name)_0"
        )
        let wantsShared = snapshot.machine.environment["JACK_PROMISCUOUS_SERVER"] != nil
        let (socket, other) = wantsShared ? (shared, own) : (own, shared)
        let sockets = snapshot.machine.names(in: SharedMemory.folder) ?? [socket]
        if !sockets.contains(socket), sockets.contains(other) {
            return Finding(
                Self.subject, .warning,
                wantsShared
                    ? "\(title) is not shared with a group, and JACK_PROMISCUOUS_SERVER is set here."
                    : "\(title) is shared with a group, and JACK_PROMISCUOUS_SERVER is not set here.",
                because: "a program and its server must both be started with it, or both without",
                remedy: [
                    wantsShared
                        ? .command("unset JACK_PROMISCUOUS_SERVER")
                        : Step("start programs with", "JACK_PROMISCUOUS_SERVER=GROUP")
                ], from: sources + ["\(SharedMemory.folder)/\(other)"])
        }
        guard sockets.contains(socket) else {
            let isIdle = process.name == "jackdbus"
            return Finding(
                Self.subject, .note,
                isIdle
                    ? "\(title) runs, and has not been started as a server."
                    : "\(title) is out of reach: it has no socket in this \(SharedMemory.folder).",
                because: isIdle ? nil : "it is only starting, or runs in a container with shared memory of its own",
                remedy: isIdle ? [.command("jack_control start")] : [], from: sources + [SharedMemory.folder])
        }
        guard !snapshot.machine.answers(name) else { return nil }
        return Finding(
            Self.subject, .problem, "\(title) does not answer.", because: Self.hang,
            remedy: [Step("if it stays so", "kill -KILL \(process.identifier)"), .advice("start it again")],
            from: sources + ["\(SharedMemory.folder)/\(socket)"])
    }

    private func facts(_ snapshot: Snapshot) -> String {
        var facts = [words.driver.map { "driver \($0)" } ?? "driver not on its command line"]
        // What the card runs at counts more than the words at the start: the period may have been changed since.
        let use = snapshot.cards.flatMap(\.uses).first { $0.owner == process.identifier && $0.rate != nil }
        if let period = use?.period ?? words.period { facts.append("\(period) frames") }
        if let rate = use?.rate ?? words.rate { facts.append("\(rate) Hz") }
        if use == nil && (words.period != nil || words.rate != nil) { facts[facts.count - 1] += " when it was started" }
        if process.name != "jackdbus" { facts.append(words.isSync ? "sync mode" : "async mode") }
        if process.realtimePriority > 0 { facts.append("real-time priority \(process.realtimePriority)") }
        if let load = process.load {
            let permille = Int((load * 1000).rounded())
            facts.append("\(permille / 10).\(permille % 10) % of a processor since its start")
        }
        return facts.joined(separator: ", ")
    }
}
