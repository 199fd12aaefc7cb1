/// How much of each second the kernel gives to threads in real time, all together and to this control group.
enum RealtimeBudget {
    private static let subject = Subject(
        "real-time share", because: "when it is used up, all threads in real time are stopped until the next second")
    private static let runtime = "/proc/sys/kernel/sched_rt_runtime_us"
    private static let period = "/proc/sys/kernel/sched_rt_period_us"

    static func findings(_ snapshot: Snapshot) -> [Finding?] {
        [ofMachine(snapshot.machine), ofGroup(snapshot)]
    }

    private static func ofMachine(_ machine: Machine) -> Finding {
        guard let runtime = machine.number(runtime), let period = machine.number(period), period > 0 else {
            return Finding(
                subject, .unseen, "How much time the kernel gives to real time cannot be seen.",
                from: [runtime, period])
        }
        let remedy = Step.kernelSetting("kernel.sched_rt_runtime_us=\(period * 95 / 100)")
        guard runtime >= 0 else {
            return Finding(
                subject, .note, "Threads in real time may take all the time there is.",
                because: "one of them that runs wild then stops everything else, the keyboard included",
                remedy: remedy, from: [Self.runtime])
        }
        let percent = runtime * 100 / period
        return Finding(
            subject, runtime == 0 ? .problem : percent < 90 ? .warning : .ok,
            "Threads in real time may take \(percent) % of the time.",
            remedy: percent < 90 ? remedy : [], from: [Self.runtime, Self.period])
    }

    /// Kernels that ration real time by control group give a new group nothing, not even to root.
    private static func ofGroup(_ snapshot: Snapshot) -> Finding? {
        let machine = snapshot.machine
        let shares = ControlGroup.folders("cpu", machine).map { "\($0)/cpu.rt_runtime_us" }.compactMap { file in
            machine.number(file).map { (file: file, share: $0) }
        }
        guard let own = shares.first, own.share == 0 else { return nil }
        // No group may have more than the one above it, which therefore comes first.
        let without = shares.prefix { $0.share == 0 }.reversed()
        return Finding(
            subject, .problem, "This program's control group may not run in real time at all.",
            because: "the kernel refuses real-time scheduling to all in the group, to root as well",
            remedy: snapshot.container?.steps(for: .realtimeShare)
                ?? without.map { .command("echo 950000 | sudo tee \($0.file)") }, from: [own.file])
    }
}
