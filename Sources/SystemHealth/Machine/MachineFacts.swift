import AudioFigures
import Glibc
import Jack
import Threads

extension HostFacts {
    /// Of this machine, as far as its kernel shows. Thread: control.
    public static func current() -> HostFacts {
        let machine = Machine(root: "")
        return HostFacts(
            cpu: machine.text("/proc/cpuinfo").flatMap(processor),
            cores: Processors.permitted, kernel: KernelPreemption.release(machine),
            preemption: KernelPreemption.model(machine),
            governor: machine.word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"))
    }

    /// The processor's name from `/proc/cpuinfo`, which each architecture words in its own way.
    package static func processor(_ text: String) -> String? {
        let pairs = text.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1).map(trimmed) }
        func value(_ key: String) -> Substring? { pairs.first { $0.count == 2 && $0[0] == key }?[1] }
        // x86 and 32-bit ARM, single-board computers, MIPS, POWER, RISC-V.
        for key in ["model name", "Model", "Hardware", "cpu model", "cpu", "uarch"] {
            if let name = value(key), !name.isEmpty { return String(name) }
        }
        // 64-bit ARM knows numbers alone.
        guard let implementer = value("CPU implementer"), let part = value("CPU part") else { return nil }
        return "implementer \(implementer), part \(part)"
    }

    /// What may take the processor from a thread in the kernel: `none`, `voluntary`, `full`, `lazy` or `rt`; `nil` where
    /// that cannot be told.
    ///
    /// - Parameters:
    ///   - realtime: `/sys/kernel/realtime`, which only real-time kernels have.
    ///   - debug: `/sys/kernel/debug/sched/preempt`: all models, and the present one in parentheses.
    ///   - version: as of `uname -v`.
    ///   - commandLine: the kernel's, where `preempt=` chooses the model.
    ///   - configuration: what the kernel was built with.
    package static func preemption(
        realtime: String?, debug: String?, version: String, commandLine: String?, configuration: String?
    ) -> String? {
        let models = ["none", "voluntary", "full", "lazy"]
        let version = version.words
        if realtime?.words.first == "1" || version.contains("PREEMPT_RT") { return "rt" }
        if let present = debug?.words.first(where: { $0.hasPrefix("(") }) {
            return String(present.dropFirst().dropLast())
        }
        if version.contains("PREEMPT") { return "full" }
        if version.contains("PREEMPT_LAZY") { return "lazy" }
        if version.contains("PREEMPT_DYNAMIC"),
            let word = commandLine?.words.last(where: { $0.hasPrefix("preempt=") }),
            let model = models.first(where: { $0 == word.dropFirst("preempt=".count) })
        {
            return model
        }
        let lines = configuration?.split(separator: "\n") ?? []
        let options = [
            "CONFIG_PREEMPT_NONE=y", "CONFIG_PREEMPT_VOLUNTARY=y", "CONFIG_PREEMPT=y", "CONFIG_PREEMPT_LAZY=y",
        ]
        return zip(models, options).first { lines.contains($0.1[...]) }?.0
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace: (Character) -> Bool = \.isWhitespace
        guard let first = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return text[first...last]
    }
}

extension SchedulingFacts {
    /// What a report says of it.
    public init(_ scheduling: Scheduling) {
        self.init(policy: scheduling.policy.rawValue, priority: scheduling.isRealtime ? scheduling.priority : 0)
    }
}
