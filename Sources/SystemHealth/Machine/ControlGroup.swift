/// The control group that this program is in.
enum ControlGroup {
    static let membership = "/proc/self/cgroup"

    /// The folders that tell of a controller, the group's own first, then those above it. In a container the upper part
    /// of the path is not to be seen.
    static func folders(_ controller: String, _ machine: Machine) -> [String] {
        let lines = machine.text(membership)?.lines ?? []
        for line in lines {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 3, fields[1].split(separator: ",").contains(controller[...]) else { continue }
            // The folder is called after all controllers in it, or there is a link for each.
            return [fields[1], controller].lazy.map {
                upwards("/sys/fs/cgroup/\($0)", fields[2]).filter(machine.exists)
            }.first { !$0.isEmpty } ?? []
        }
        guard let unified = lines.first(where: { $0.hasPrefix("0::") }) else { return [] }
        // Beside groups of the first version they have a folder of their own.
        let base = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"].first(where: machine.exists)
        return upwards(base ?? "", String(unified.dropFirst(3))).filter(machine.exists)
    }

    private static func upwards(_ base: String, _ path: String) -> [String] {
        let parts = path.split(separator: "/")
        return (0...parts.count).reversed().map { count in
            ([base[...]] + parts.prefix(count)).joined(separator: "/")
        }
    }
}
