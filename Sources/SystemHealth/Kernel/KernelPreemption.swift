import AudioFigures

/// What may take a processor from the kernel while it works for another program.
enum KernelPreemption {
    private static let realtime = "/sys/kernel/realtime"
    private static let debug = "/sys/kernel/debug/sched/preempt"
    private static let version = "/proc/sys/kernel/version"
    private static let commandLine = "/proc/cmdline"

    /// The kernel's.
    static func release(_ machine: Machine) -> String? { machine.word("/proc/sys/kernel/osrelease") }

    /// What the kernel was built with.
    private static func configuration(_ machine: Machine) -> String? { release(machine).map { "/boot/config-\($0)" } }

    /// As `HostFacts.preemption` has it.
    static func model(_ machine: Machine) -> String? {
        HostFacts.preemption(
            realtime: machine.text(realtime), debug: machine.text(debug), version: machine.text(version) ?? "",
            commandLine: machine.text(commandLine), configuration: configuration(machine).flatMap(machine.text))
    }

    static func finding(_ snapshot: Snapshot) -> Finding {
        let machine = snapshot.machine
        let subject = Subject(
            "kernel preemption",
            because: "a kernel that does not let itself be interrupted keeps audio threads waiting for milliseconds")
        let sources = [realtime, debug, version, commandLine] + [configuration(machine)].compactMap { $0 }
        // What can be chosen at the start of the kernel, if it was built so.
        let choose =
            machine.text(version)?.words.contains("PREEMPT_DYNAMIC") ?? false
            ? Step.kernelOption("preempt=full")
            : [
                .command("sudo apt install linux-image-rt-$(dpkg --print-architecture)"),
                .advice("restart the machine"),
            ]
        switch model(machine) {
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
