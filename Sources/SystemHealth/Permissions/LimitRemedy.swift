/// What to do so that a user's limit is as high as it should be: that depends on how far it has come already.
struct LimitRemedy {
    let steps: [Step]
    let sources: [String]

    /// - Parameters:
    ///   - item: as pam_limits calls it.
    ///   - amount: what is wanted at least, in the item's own unit.
    init(_ item: String, atLeast amount: Int, _ snapshot: Snapshot) {
        let machine = snapshot.machine
        let user = snapshot.user
        let assignment = item == "rtprio" ? "LimitRTPRIO=95" : "LimitMEMLOCK=infinity"
        let service = [Step("in a systemd service, below [Service]", assignment)]
        if let container = snapshot.container {
            steps = container.steps(for: .limits)
            sources = []
            return
        }
        let permitting = LimitRule.all(machine).filter { $0.item == item && $0.permits(amount) }
        let hard = Set(permitting.filter { $0.kind == "hard" }.map(\.domain))
        // The soft limit is the one that holds, and it cannot be above the hard one.
        let rules = permitting.filter { $0.kind == "-" || $0.kind == "soft" && hard.contains($0.domain) }
        let groups = UserGroup.all(machine) ?? []
        func isMember(_ group: String) -> Bool {
            groups.contains { $0.name == group && $0.members.contains(user?.name ?? "") }
        }
        // Neither groups nor the asterisk are meant for root.
        let own = rules.filter { rule in
            if rule.domain == user?.name { return true }
            if user?.isRoot == true { return false }
            guard let group = rule.group else { return rule.domain == "*" }
            return groups.contains { $0.name == group && (user?.groups.contains($0.identifier) ?? false) }
        }
        if let rule = own.last {
            steps = [.advice("log out and in again: \(rule.place) permits it, from the next login on")] + service
            sources = [rule.place]
        } else if user?.isRoot == true {
            steps = service
            sources = [LimitRule.folder]
        } else if let rule = rules.last(where: { $0.group != nil }), let group = rule.group {
            steps =
                (isMember(group) ? [] : [.join(group, user)])
                + [.advice("log out and in again: \(rule.place) permits it to the group \(group)")]
            sources = [rule.place, UserGroup.file]
        } else {
            let permit =
                machine.exists("/var/lib/dpkg/info/jackd2.list")
                ? [Step("answer yes: it writes \(LimitRule.folder)/audio.conf", "sudo dpkg-reconfigure -p high jackd2")]
                : [
                    .command(
                        "printf '@audio - rtprio 95\\n@audio - memlock unlimited\\n' | "
                            + "sudo tee -a \(LimitRule.folder)/audio.conf")
                ]
            steps = permit + (isMember("audio") ? [] : [.join("audio", user)]) + [.logInAgain]
            sources = [LimitRule.folder]
        }
    }
}
