/// Whose libjack this program has loaded: it finds jackd's servers, or PipeWire, and never both.
enum JackLibrary {
    static func finding(_ snapshot: Snapshot) -> Finding {
        let subject = Subject(
            "libjack", because: "jackd's library finds no PipeWire, and PipeWire's finds no jackd")
        let (version, isPipeWire) = snapshot.machine.libjack
        let sources = ["jack_get_version_string"]
        let hasServer =
            snapshot.servingJackServers.contains(where: snapshot.isOwn)
            || snapshot.registered.contains(where: \.isReachable)
        let name = isPipeWire ? "PipeWire's libjack (\(version))" : "jackd's libjack (\(version))"
        let lacksPipeWire = isPipeWire && !snapshot.hasPipeWire && snapshot.processes != nil
        if lacksPipeWire && snapshot.hasForeignPipeWire {
            return Finding(
                subject, .ok, "Programs use \(name), and a PipeWire of others answers.",
                from: sources + ["/proc", "pipewire-0"])
        }
        if lacksPipeWire {
            return Finding(
                subject, .problem, "Programs use \(name), and no PipeWire runs.",
                remedy: [
                    .command("systemctl --user start pipewire.socket"),
                    Step(
                        "or take jackd's, without pw-jack before the program", "sudo apt install libjack-jackd2-0"),
                ], from: sources + ["/proc"])
        }
        if !isPipeWire && !hasServer && snapshot.hasPipeWire {
            let isInstalled = snapshot.machine.hasProgram("pw-jack")
            return Finding(
                subject, .warning, "Programs use \(name), and only PipeWire runs: they find no server.",
                remedy: (isInstalled ? [] : [.command("sudo apt install pipewire-jack")])
                    + [Step("run programs on PipeWire with", "pw-jack PROGRAM"), .advice("or start jackd")],
                from: sources + ["/proc"] + (isInstalled ? [] : ["PATH"]))
        }
        return Finding(subject, .ok, "Programs use \(name).", from: sources)
    }
}
