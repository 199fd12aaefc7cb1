/// What to do so that a user's limit is as high as it should be: that depends on how far it has come already.
enum LimitRemedy {
    /// - Parameters:
    ///   - item: as pam_limits calls it.
    ///   - amount: what is wanted at least, in the item's own unit.
    static func of(
        _ item: String, atLeast amount: Int, _ snapshot: Snapshot
    ) -> (steps: [Step], sources: [String]) {
        let machine = snapshot.machine
        let user = snapshot.user
        let assignment = item == "rtprio" ? "LimitRTPRIO=95" : "LimitMEMLOCK=infinity"
        let service = [Step("in a systemd service, below [Service]", assignment)]
        if let container = snapshot.container { return (container.steps(for: .limits), []) }
        let permitting = LimitRule.all(machine).filter { $0.item == item && $0.permits(amount) }
        let hard = Set(permitting.filter { $0.kind == "hard" }.map(\.domain))
        // The soft limit is the one that holds, and it cannot be above the hard one.
        let rules = permitting.filter { $0.kind == "-" || $0.kind == "soft" && hard.contains($0.domain) }
        let groups = UserGroup.all(machine) ?? []
        func join(_ group: String) -> [Step] {
            let isMember = groups.contains { $0.name == group && $0.members.contains(user?.name ?? "") }
            return isMember ? [] : [.join(group, user)]
        }
        // Neither groups nor the asterisk are meant for root.
        let own = rules.filter { rule in
            if rule.domain == user?.name { return true }
            if user?.isRoot == true { return false }
            guard let group = rule.group else { return rule.domain == "*" }
            return groups.contains { $0.name == group && (user?.groups.contains($0.identifier) ?? false) }
        }
        if let rule = own.last {
            let login = Step.advice("log out and in again: \(rule.place) permits it, from the next login on")
            return ([login] + service, [rule.place])
        }
        if user?.isRoot == true { return (service, [LimitRule.folder]) }
        if let rule = rules.last(where: { $0.group != nil }), let group = rule.group {
            let login = Step.advice("log out and in again: \(rule.place) permits it to the group \(group)")
            return (join(group) + [login], [rule.place, UserGroup.file])
        }
        let permit =
            machine.exists("/var/lib/dpkg/info/jackd2.list")
            ? Step("answer yes: it writes \(LimitRule.folder)/audio.conf", "sudo dpkg-reconfigure -p high jackd2")
            : .command(
                "printf '@audio - rtprio 95\\n@audio - memlock unlimited\\n' | "
                    + "sudo tee -a \(LimitRule.folder)/audio.conf")
        return ([permit] + join("audio") + [.logInAgain], [LimitRule.folder])
    }
}
