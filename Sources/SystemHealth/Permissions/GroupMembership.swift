/// Whether the user is in the groups to which sound is permitted.
enum GroupMembership {
    /// Debian's and other distributions' names for them.
    private static let names = ["audio", "realtime", "jackuser"]

    static func findings(_ snapshot: Snapshot) -> [Finding] {
        let subject = Subject(
            "groups",
            because: "real-time limits, and on a machine without a desktop the sound cards, are permitted to groups")
        let sources = [UserGroup.file, User.status]
        guard let user = snapshot.user, let all = UserGroup.all(snapshot.machine) else {
            return [Finding(subject, .unseen, "The user's groups cannot be seen.", from: sources)]
        }
        if user.isRoot {
            return [
                Finding(
                    subject, .note, "This is root, who may do more than the one who will play.",
                    because: "limits, groups and servers are those of the user who runs this",
                    remedy: [.advice("run it as the user who will play")], from: [User.status])
            ]
        }
        let ruled = Set(LimitRule.all(snapshot.machine).filter { $0.item == "rtprio" }.compactMap(\.group))
        let present = all.filter { $0.name == "audio" || names.contains($0.name) && ruled.contains($0.name) }
        guard !present.isEmpty else {
            return [Finding(subject, .note, "There is no group audio on this machine.", from: sources)]
        }
        return present.map { group in
            if user.groups.contains(group.identifier) {
                return Finding(subject, .ok, "\(user.name) is in the group \(group.name).", from: sources)
            }
            if group.members.contains(user.name) {
                return Finding(
                    subject, .warning, "\(user.name) was put into the group \(group.name), but after this login.",
                    remedy: [.logInAgain], from: sources)
            }
            return Finding(
                subject, ruled.contains(group.name) ? .warning : .note,
                "\(user.name) is not in the group \(group.name).", remedy: [.join(group.name, user), .logInAgain],
                from: sources)
        }
    }
}
