import AudioFigures

/// What may take a processor from the kernel while it works for another program.
enum KernelPreemption {
    private static let realtime = "/sys/kernel/realtime"
    private static let debug = "/sys/kernel/debug/sched/preempt"
    private static let version = "/proc/sys/kernel/version"
    private static let commandLine = "/proc/cmdline"

    static func finding(_ snapshot: Snapshot) -> Finding {
        let machine = snapshot.machine
        let subject = Subject(
            "kernel preemption",
            because: "a kernel that does not let itself be interrupted keeps audio threads waiting for milliseconds")
        let version = machine.text(version) ?? ""
        let configuration = machine.word("/proc/sys/kernel/osrelease").map { "/boot/config-\($0)" }
        let sources = [realtime, debug, Self.version, commandLine] + [configuration].compactMap { $0 }
        let model = HostFacts.preemption(
            realtime: machine.text(realtime), debug: machine.text(debug), version: version,
            commandLine: machine.text(commandLine), configuration: configuration.flatMap(machine.text))
        // What can be chosen at the start of the kernel, if it was built so.
        let choose =
            version.words.contains("PREEMPT_DYNAMIC")
            ? Step.kernelOption("preempt=full")
            : [
                .command("sudo apt install linux-image-rt-$(dpkg --print-architecture)"),
                .advice("restart the machine"),
            ]
        switch model {
        case "rt":
            return Finding(subject, .ok, "This is a real-time kernel (PREEMPT_RT).", from: sources)
        case "full":
            return Finding(subject, .ok, "The kernel is preemptible (full).", from: sources)
        case .some(let model):
            return Finding(
                subject, model == "none" ? .warning : .note, "The kernel's preemption is \(model), not full.",
                remedy: choose, from: sources)
        case nil:
            return Finding(
                subject, .unseen, "Whether the kernel is preemptible cannot be seen.",
                remedy: [Step("see which model stands in parentheses", "sudo cat \(debug)")], from: sources)
        }
    }
}
