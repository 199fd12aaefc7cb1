/// Who runs this program, and what the kernel permits to it.
struct User {
    /// What the kernel may permit beside the limits, by its bit.
    enum Capability: Int {
        case lockMemory = 14
        case schedule = 23
    }

    static let status = "/proc/self/status"

    var identifier: Int
    var name: String
    /// The numbers of the groups that this session is in.
    var groups: Set<Int>
    private var capabilities: UInt64

    /// `nil` where the kernel does not tell.
    init?(_ machine: Machine) {
        guard let status = machine.text(Self.status), let identifiers = status.value(of: "Uid")?.words,
            identifiers.count > 1, let identifier = Int(identifiers[1])
        else { return nil }
        self.identifier = identifier
        name = Self.name(of: identifier, machine) ?? machine.environment["USER"] ?? "\(identifier)"
        groups = Set(status.value(of: "Groups")?.words.compactMap { Int($0) } ?? [])
        if let group = status.value(of: "Gid")?.words.dropFirst().first.flatMap({ Int($0) }) { groups.insert(group) }
        // In a container with users of its own these mean nothing to the kernel outside, which schedules and locks.
        let isOutside = machine.text("/proc/self/uid_map").map { $0.words == ["0", "0", "4294967295"] } ?? true
        capabilities = isOutside ? status.value(of: "CapEff").flatMap { UInt64($0, radix: 16) } ?? 0 : 0
    }

    /// Of any user; `nil` where the machine's file does not name it.
    static func name(of identifier: Int, _ machine: Machine) -> String? {
        let lines = machine.text("/etc/passwd")?.lines
        let users = lines?.map { $0.split(separator: ":", omittingEmptySubsequences: false) }
        return users?.first { $0.count > 2 && Int($0[2]) == identifier }.map { String($0[0]) }
    }

    var isRoot: Bool { identifier == 0 }

    func has(_ capability: Capability) -> Bool { capabilities >> UInt64(capability.rawValue) & 1 == 1 }
}

/// A group of users, from `/etc/group`.
struct UserGroup {
    static let file = "/etc/group"

    var name: String
    var identifier: Int
    var members: [String]

    static func all(_ machine: Machine) -> [UserGroup]? {
        machine.text(file)?.lines.compactMap { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 4, let identifier = Int(fields[2]) else { return nil }
            return UserGroup(
                name: fields[0], identifier: identifier, members: fields[3].split(separator: ",").map(String.init))
        }
    }
}
