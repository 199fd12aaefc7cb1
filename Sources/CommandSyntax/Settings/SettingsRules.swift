/// Which settings give way to others. What options have to do with each other is declared with them.
enum SettingsRules {
    typealias Setting = SettingsFile.Setting

    /// Of several layers, the later wins.
    static func merged(_ layers: [[Setting]], _ syntax: Syntax) -> [Setting] {
        layers.reduce([]) { lower, upper in without(Set(upper.map(\.name)), lower, syntax) + upper }
    }

    /// What is left where some options are given otherwise: neither these nor what gives way to them.
    static func without(_ given: Set<String>, _ settings: [Setting], _ syntax: Syntax) -> [Setting] {
        let gone = given.union(syntax.givingWay(to: given))
        return settings.filter { !gone.contains($0.name) }
    }

    /// Leaves out what has no meaning without another option: a period is that of the private server, if there is one.
    ///
    /// - Parameters:
    ///   - given: what is on the command line.
    ///   - fixed: what a preset says, which has to be right as it is.
    ///   - operands: whether there are any on the command line.
    static func withoutDependents(
        _ settings: [Setting], given: Arguments, fixed: Set<String>, operands: Bool, _ syntax: Syntax
    ) -> [Setting] {
        var kept = settings
        // One may depend on another that depends on a third.
        for _ in 0..<3 {
            let present = Arguments.present(kept.map { ($0.name, $0.value) } + given.all)
            kept.removeAll { setting in
                guard !fixed.contains(setting.name) else { return false }
                if operands, let own = syntax.optionsOfFiles { return !own.contains(setting.name) }
                let needs = syntax.option(setting.name)?.needed ?? []
                return needs.contains { !$0.isStrict && syntax.isMissed($0, present) }
            }
        }
        return kept
    }
}
