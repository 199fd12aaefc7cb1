/// A program other than jackd that takes sound cards for itself.
enum SoundServer {
    private static let subject = Subject(
        "other sound servers", because: "a card has one user at a time: JACK does not get what another program holds")

    static func findings(_ snapshot: Snapshot) -> [Finding] {
        guard snapshot.processes != nil else {
            return [Finding(subject, .unseen, "Which programs run cannot be seen.", from: ["/proc"])]
        }
        let held = snapshot.cards.flatMap { card in card.uses.map { (card: card, use: $0) } }
        let servers = snapshot.jackServers.map(\.identifier)
        let isServed = !snapshot.servingJackServers.isEmpty
        var findings: [Finding] = []
        var holders: Set<Int> = []
        for (card, use) in held {
            guard let owner = use.owner, !servers.contains(owner), holders.insert(owner).inserted else { continue }
            let program = snapshot.processes?.first { $0.identifier == owner }
            // PipeWire is itself what JACK's programs run on, where no jackd does.
            let isJack = program?.name == "pipewire" && !isServed
            let name = program?.name ?? "another program"
            findings.append(
                Finding(
                    subject, isJack ? .ok : .warning,
                    "\(name) (process \(owner)) has the card \(card.identifier) open.",
                    because: isJack ? "PipeWire serves JACK's programs itself, and needs the card" : nil,
                    remedy: isJack ? [] : remedy(name, owner), from: ["\(use.place)/status"]))
        }
        for program in snapshot.running("pulseaudio", "pipewire") where !holders.contains(program.identifier) {
            let isRival = program.name == "pulseaudio" || isServed
            findings.append(
                Finding(
                    subject, isRival ? .note : .ok,
                    "\(program.name) (process \(program.identifier)) runs, and has no card open now.",
                    because: "it may take a card at any moment, as soon as a program of the desktop plays",
                    remedy: isRival ? remedy(program.name, program.identifier) : [],
                    from: ["/proc/\(program.identifier)/stat"]))
        }
        for card in snapshot.cards where card.uses.contains(where: { $0.owner == nil }) {
            findings.append(
                Finding(
                    subject, .unseen, "Which program has the card \(card.identifier) open cannot be seen.",
                    from: card.uses.filter { $0.owner == nil }.map { "\($0.place)/status" }))
        }
        guard findings.isEmpty else { return findings }
        return [
            Finding(
                subject, snapshot.seesOthers ? .ok : .unseen,
                snapshot.seesOthers
                    ? "No other sound server runs."
                    : "No other sound server of this user runs; other users' programs cannot be seen.",
                from: ["/proc", "/proc/asound"])
        ]
    }

    private static func remedy(_ name: String, _ process: Int) -> [Step] {
        switch name {
        case "pulseaudio": [.command("systemctl --user stop pulseaudio.socket pulseaudio.service")]
        case "pipewire":
            [
                .command("systemctl --user stop pipewire.socket pipewire.service"),
                Step("or stop jackd, and run JACK programs on PipeWire with", "pw-jack PROGRAM"),
            ]
        default: [Step("give it another card, or end it", "kill \(process)")]
        }
    }
}
