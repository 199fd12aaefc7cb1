/// A line of `/proc/interrupts` on which a sound card calls, or the USB controller that may speak for one.
struct InterruptLine {
    private static let file = "/proc/interrupts"
    private static let subject = Subject(
        "card's interrupt",
        because: "a card asks for each period with an interrupt, and whatever delays that delays the sound")

    var number: Int
    /// Who shares it, as the drivers call themselves.
    var users: [String]

    /// Those of sound cards.
    private static func all(_ snapshot: Snapshot, _ text: String) -> [InterruptLine] {
        let marks = ["snd"] + (snapshot.cards.contains(where: \.isUSB) ? ["xhci", "ehci", "ohci", "uhci", "dwc"] : [])
        return text.lines.compactMap { line in
            let pair = line.split(separator: ":", maxSplits: 1)
            guard pair.count == 2, let number = Int(pair[0].words.joined()) else { return nil }
            // Counts, controller and its line come first; users are named behind them, with commas between.
            let users = pair[1].split(separator: ",").compactMap { $0.words.last }
            guard users.contains(where: { user in marks.contains { user.hasPrefix($0) } }) else { return nil }
            return InterruptLine(number: number, users: users)
        }
    }

    static func findings(_ snapshot: Snapshot) -> [Finding?] {
        guard !snapshot.cards.isEmpty else { return [] }
        guard let text = snapshot.machine.text(file), case let found = all(snapshot, text), !found.isEmpty else {
            return [Finding(subject, .unseen, "The interrupts of the sound cards cannot be seen.", from: [file])]
        }
        return found.flatMap { [$0.thread(snapshot), $0.sharing] }
    }

    private var place: String { "\(Self.file) (\(number))" }

    private var sharing: Finding? {
        guard users.count > 1 else { return nil }
        return Finding(
            Self.subject, .warning, "Interrupt \(number) is shared by \(users.joined(separator: ", ")).",
            because: "the card's turn comes when the others have had theirs",
            remedy: [.advice("plug the card or the other device into another slot or port")], from: [place])
    }

    /// Where interrupts are threads of the kernel, the card's must come before JACK's.
    private func thread(_ snapshot: Snapshot) -> Finding {
        guard let thread = snapshot.processes?.first(where: { $0.name.hasPrefix("irq/\(number)-") }) else {
            guard snapshot.machine.showsKernelThreads else {
                return Finding(
                    Self.subject, .unseen,
                    "Whether interrupt \(number) (\(users.joined(separator: ", "))) is a thread cannot be seen.",
                    from: ["/proc"])
            }
            return Finding(
                Self.subject, .note,
                "Interrupt \(number) (\(users.joined(separator: ", "))) is no thread: it comes before all programs, "
                    + "and so do those of disk and network.",
                remedy: Step.kernelOption("threadirqs"), from: [place, "/proc/cmdline"])
        }
        let highest = (snapshot.jackServers + snapshot.running("pipewire")).map(\.realtimePriority).max() ?? 0
        let isBelow = thread.realtimePriority <= highest
        return Finding(
            Self.subject, isBelow ? .warning : .ok,
            "Interrupt \(number) (\(users.joined(separator: ", "))) is a thread of priority \(thread.realtimePriority)"
                + (isBelow ? ", not above the sound server's \(highest)." : "."),
            remedy: isBelow
                ? [Step("until the next start", "sudo chrt --fifo --pid \(min(98, highest + 10)) \(thread.identifier)")]
                : [],
            from: [place, "/proc/\(thread.identifier)/stat"])
    }
}
