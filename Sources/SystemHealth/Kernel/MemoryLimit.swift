/// How much memory the control group grants this program.
enum MemoryLimit {
    /// For a jackd and a client or two.
    private static let wantedMegabytes = 512

    static func finding(_ snapshot: Snapshot) -> Finding {
        let machine = snapshot.machine
        let subject = Subject(
            "memory limit", because: "beyond the limit the kernel takes memory back, or ends a program")
        let folders = ControlGroup.folders("memory", machine)
        let files = folders.flatMap { folder in
            ["max", "high", "limit_in_bytes"].map { "\(folder)/memory.\($0)" }
        }.filter(machine.exists)
        guard !folders.isEmpty else {
            return Finding(
                subject, .unseen, "Whether a control group limits the memory cannot be seen.",
                from: [ControlGroup.membership, "/sys/fs/cgroup"])
        }
        // Where there is no limit, the kernel says "max" or a number beyond all memory.
        let limits = files.compactMap { file in machine.number(file).map { (file: file, bytes: $0) } }
            .filter { $0.bytes < 1 << 50 }
        guard let least = limits.min(by: { $0.bytes < $1.bytes }) else {
            return Finding(subject, .ok, "No control group limits the memory.", from: [files.first ?? folders[0]])
        }
        let isSmall = least.bytes < wantedMegabytes << 20
        return Finding(
            subject, isSmall ? .warning : .ok,
            "The control group grants \(megabytes(least.bytes)) of memory"
                + (isSmall ? ", and JACK with a client or two takes \(wantedMegabytes) MB." : "."),
            remedy: isSmall
                ? snapshot.container?.steps(for: .memory) ?? [
                    Step(
                        "in a systemd service, below [Service]",
                        least.file.hasSuffix("high") ? "MemoryHigh=1G" : "MemoryMax=1G")
                ] : [], from: [least.file])
    }
}
