/// How long PipeWire's period is, where PipeWire runs.
enum PipeWireQuantum {
    private static let subject = Subject(
        "PipeWire's quantum", because: "it is the period of programs on PipeWire's JACK that do not ask for another")
    private static let question = ["pw-metadata", "-n", "settings"]
    private static let standard = 1024
    /// Beyond it the delay is heard: 5.3 ms at 48 kHz, and as much again on the other way.
    private static let tolerable = 256

    static func finding(_ snapshot: Snapshot) -> Finding? {
        // Asked only then: the question itself would start it.
        guard snapshot.hasPipeWire else { return nil }
        let known = asked(snapshot.machine) ?? written(snapshot.machine)
        let isServed = !snapshot.servingJackServers.isEmpty
        let isLong = known?.frames ?? standard > tolerable
        return Finding(
            subject, isLong ? (isServed ? .note : .warning) : .ok,
            known.map { "PipeWire's quantum is \($0.frames) frames\($0.isForced ? ", by force" : "")." }
                ?? "PipeWire's quantum is written nowhere, so that it is the standard of \(standard) frames.",
            remedy: isLong
                ? [
                    Step("until it ends", "pw-metadata -n settings 0 clock.force-quantum 64"),
                    Step("or for one program", "PIPEWIRE_QUANTUM=64/48000 pw-jack PROGRAM"),
                    Step(
                        "to keep it, write into ~/.config/pipewire/pipewire.conf.d/quantum.conf",
                        "context.properties = { default.clock.quantum = 64 }"),
                ] : [], from: [known?.source ?? "/usr/share/pipewire/pipewire.conf"])
    }

    private typealias Known = (frames: Int, isForced: Bool, source: String)

    /// From lines such as `update: id:0 key:'clock.quantum' value:'1024' type:''`.
    private static func asked(_ machine: Machine) -> Known? {
        guard let answer = machine.ask(question) else { return nil }
        func value(_ key: String) -> Int? {
            let line = answer.lines.first { $0.contains("key:'\(key)'") }
            return line?.firstMatch(of: /value:'(.*?)'/).flatMap { Int($0.1) }
        }
        let source = question.joined(separator: " ")
        if let forced = value("clock.force-quantum"), forced > 0 { return (forced, true, source) }
        return value("clock.quantum").map { ($0, false, source) }
    }

    /// From its files; the last word counts.
    private static func written(_ machine: Machine) -> Known? {
        let home = machine.environment["XDG_CONFIG_HOME"] ?? machine.environment["HOME"].map { "\($0)/.config" }
        let folders = ["/usr/share", "/etc"] + [home].compactMap { $0 }
        // Of the main files the last one replaces the others; the files beside them are added, in this order.
        let main = folders.map { "\($0)/pipewire/pipewire.conf" }.last(where: machine.exists)
        let more = folders.flatMap { folder in
            (machine.names(in: "\(folder)/pipewire/pipewire.conf.d") ?? []).filter { $0.hasSuffix(".conf") }
                .map { "\(folder)/pipewire/pipewire.conf.d/\($0)" }
        }
        var known: Known?
        for file in [main].compactMap({ $0 }) + more {
            for line in machine.text(file)?.lines ?? [] {
                let words = line.prefix { $0 != "#" }.split { $0.isWhitespace || "={}".contains($0) }.map(String.init)
                guard let place = words.firstIndex(of: "default.clock.quantum"), place + 1 < words.count,
                    let frames = Int(words[place + 1])
                else { continue }
                known = (frames, false, file)
            }
        }
        return known
    }
}
