/// A limit that the kernel holds this program to.
struct ResourceLimit {
    static let file = "/proc/self/limits"

    /// What is in force; `nil` is unlimited.
    var amount: Int?

    /// - Parameter label: as the kernel has it, `Max realtime priority`.
    init?(_ label: String, _ machine: Machine) {
        guard let line = machine.text(Self.file)?.lines.first(where: { $0.hasPrefix(label) }),
            let soft = line.dropFirst(label.count).words.first
        else { return nil }
        if soft == "unlimited" { return }
        // Up to 2⁶⁴, as where a limit was set in kilobytes that are just not unlimited.
        guard let number = UInt64(soft) else { return nil }
        amount = Int(clamping: number)
    }
}
