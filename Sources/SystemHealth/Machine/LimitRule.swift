/// A line of `/etc/security/limits.conf` or of a file beside it: what pam_limits sets when a user logs in.
struct LimitRule {
    static let folder = "/etc/security/limits.d"

    /// A user, `@group` or `*`.
    var domain: String
    /// `soft`, `hard`, or `-` for both.
    var kind: String
    /// As `rtprio` or `memlock`.
    var item: String
    var value: String
    /// The file and the line's number, as `/etc/security/limits.d/audio.conf:3`.
    var place: String

    /// All that is written, in the order in which it is obeyed.
    static func all(_ machine: Machine) -> [LimitRule] {
        let more = (machine.names(in: folder) ?? []).filter { $0.hasSuffix(".conf") }.map { "\(folder)/\($0)" }
        return (["/etc/security/limits.conf"] + more).flatMap { rules(machine, $0) }
    }

    private static func rules(_ machine: Machine, _ file: String) -> [LimitRule] {
        let lines = machine.text(file)?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        return lines.enumerated().compactMap { index, line in
            let words = line.prefix { $0 != "#" }.words
            guard words.count == 4 else { return nil }
            return LimitRule(
                domain: words[0], kind: words[1], item: words[2], value: words[3], place: "\(file):\(index + 1)")
        }
    }

    /// Whether it permits so much, in the item's own unit.
    func permits(_ amount: Int) -> Bool {
        ["unlimited", "infinity", "-1"].contains(value) || (Int(value).map { $0 >= amount } ?? false)
    }

    /// The group it is for, if it is for one.
    var group: String? { domain.hasPrefix("@") ? String(domain.dropFirst()) : nil }
}

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
