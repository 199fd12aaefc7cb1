/// Whether another system has a hand in when this one runs.
enum Virtualization {
    private static let processor = "/proc/cpuinfo"
    private static let times = "/proc/stat"
    private static let subject = Subject(
        "virtual machine",
        because: "the host may stop a virtual machine for milliseconds at any moment, and nothing in it can help that")

    static func findings(_ snapshot: Snapshot) -> [Finding?] {
        [guest(snapshot.machine), steal(snapshot.machine), snapshot.container.map(container)]
    }

    private static func guest(_ machine: Machine) -> Finding {
        let text = machine.text(processor)
        // Only x86 has them.
        guard let flags = text?.value(of: "flags")?.words else {
            return Finding(
                subject, .unseen, "Whether this is a virtual machine cannot be seen.",
                remedy: text == nil ? [] : [.command("systemd-detect-virt")], from: [processor])
        }
        guard flags.contains("hypervisor") else {
            return Finding(subject, .ok, "This is no virtual machine.", from: [processor])
        }
        let product = "/sys/class/dmi/id/product_name"
        let name = machine.text(product)?.words.joined(separator: " ")
        return Finding(
            subject, .note, "This is a virtual machine\(name.map { " (\($0))" } ?? "").",
            remedy: [.advice("play live on a machine of its own; for CI this is well enough")],
            from: [processor] + (name == nil ? [] : [product]))
    }

    /// How much of the time that this machine wanted went to others on its host.
    private static func steal(_ machine: Machine) -> Finding? {
        // `cpu`, then user, nice, system, idle, iowait, irq, softirq and steal, in ticks since the start.
        guard let ticks = machine.text(times)?.lines.first?.words.dropFirst().map({ Double($0.wholeNumber ?? 0) }),
            ticks.count >= 8,
            case let all = ticks.prefix(8).reduce(0, +), all > 0,
            case let permille = Int((ticks[7] / all * 1000).rounded()), permille > 0
        else { return nil }
        return Finding(
            subject, permille >= 10 ? .warning : .note,
            "The host has taken \(permille / 10).\(permille % 10) % of the processors' time for others since the start.",
            because: "audio threads stood still meanwhile",
            remedy: [.advice("give this machine processors of its own on its host")], from: [times])
    }

    private static func container(_ container: Container) -> Finding {
        Finding(
            Subject(
                "container",
                because: "what it may do is decided where it is started: limits, devices, shared memory, groups"),
            .note, "This is a container (\(container.name)).",
            remedy: container.steps(for: .cards, .limits, .roomInSharedMemory), from: Container.files)
    }
}
