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
