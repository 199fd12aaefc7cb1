/// How the processors' frequency is chosen.
enum FrequencyGovernor {
    private static let folder = "/sys/devices/system/cpu"

    static func finding(_ snapshot: Snapshot) -> Finding {
        let machine = snapshot.machine
        let subject = Subject(
            "frequency governor",
            because:
                "audio sleeps between its periods, so that a processor that follows the load is slow when the period begins"
        )
        let processors = (machine.names(in: folder) ?? []).filter {
            $0.hasPrefix("cpu") && $0.dropFirst(3).allSatisfy(\.isNumber) && $0.count > 3
        }
        let governors = Set(processors.compactMap { machine.word("\(folder)/\($0)/cpufreq/scaling_governor") }).sorted()
        let file = "\(folder)/cpu*/cpufreq/scaling_governor"
        guard !governors.isEmpty else {
            return Finding(
                subject, .unseen,
                "How the processors' frequency is chosen cannot be seen, as in most virtual machines.", from: [file])
        }
        let facts = facts(machine)
        guard governors != ["performance"] else {
            return Finding(
                subject, .ok, "All processors run at their full frequency (performance\(facts)).", from: [file])
        }
        return Finding(
            subject, .warning,
            "The processors' frequency follows something else than sound (\(governors.joined(separator: ", "))\(facts)).",
            remedy: [
                .command("echo performance | sudo tee \(file)"),
                Step(
                    "to keep it",
                    "echo 'w \(file) - - - - performance' | sudo tee /etc/tmpfiles.d/governor.conf"),
            ], from: [file])
    }

    /// The driver, and whether there is a turbo, where that is to be seen.
    private static func facts(_ machine: Machine) -> String {
        var facts = ""
        if let driver = machine.word("\(folder)/cpu0/cpufreq/scaling_driver") { facts += ", driver \(driver)" }
        let boost =
            machine.number("\(folder)/cpufreq/boost")
            ?? machine.number("\(folder)/intel_pstate/no_turbo").map { 1 - $0 }
        if let boost { facts += ", turbo \(boost == 1 ? "on" : "off")" }
        return facts
    }
}
