import AudioReports

/// The words of a command line, with what the user's settings and a preset add to it. What is on the command line wins over
/// the preset, and the preset over the settings.
package struct Settings {
    /// For the subcommand's options.
    package private(set) var words: [String]
    /// Of each option that comes from the file, the line.
    private var lines: [String: Int] = [:]
    private var file: SettingsFile?

    /// - Parameters:
    ///   - words: behind the subcommand.
    ///   - load: the file, or `nil` where there is none.
    /// - Throws: `usage`, `config`.
    package init(_ words: [String], _ syntax: Syntax, load: () throws -> SettingsFile?) throws {
        let (kept, negated) = Self.negations(words, syntax)
        self.words = kept
        guard syntax.takesSettings else { return }
        let given = try Arguments(kept, syntax, isWhole: false)
        if given.has(.noConfig) {
            if let name = given.value("preset"), name != syntax.ownPreset {
                throw Failure(.usage, "--preset \(shown(name)) is in the settings, which --no-config leaves out")
            }
            return
        }
        let file = try load()
        let name = given.value("preset").flatMap { $0 == syntax.ownPreset ? nil : $0 }
        let preset = try name.map { try Self.preset($0, syntax, file) }
        guard let file else { return }
        self.file = file

        // A preset of the subcommand's own says itself what it is.
        let said = Set(given.all.map(\.name).filter { $0 != "preset" || name == nil })
        var settings = SettingsRules.merged(
            [file.everywhere(for: syntax), file.subcommands[syntax.name] ?? []], syntax)
        let chosen = SettingsRules.without(said, preset?.settings ?? [], syntax)
        settings = SettingsRules.merged([settings, chosen], syntax)
        settings = SettingsRules.without(said, settings, syntax).filter { !negated.contains($0.name) }
        let operands = given.operands.isEmpty ? preset?.operands ?? [] : given.operands
        let own = given.all.filter { $0.name != "preset" || $0.value == syntax.ownPreset }
        func whole(_ settings: [SettingsFile.Setting]) -> [String] {
            let options = settings.map { Self.word($0.name, $0.value, syntax) }
            let last = own.map { Self.word($0.name, $0.value, syntax) }
            return options + last + (operands.isEmpty ? [] : ["--"] + operands)
        }
        let fixed = SettingsRules.fixed(
            chosen, given: said.union(negated), operands: !given.operands.isEmpty, syntax)
        let unusable = syntax.unusable(try Arguments(whole(settings), syntax, isWhole: false)).subtracting(fixed)
        settings.removeAll { unusable.contains($0.name) }
        settings = SettingsRules.withoutDependents(
            settings, given: given, fixed: fixed, operands: !operands.isEmpty, syntax)
        for setting in settings { lines[setting.name] = setting.line }
        self.words = whole(settings)
    }

    /// What a failure is where an option from the file is to blame for it.
    package func blamed(_ failure: Failure) -> Failure {
        guard let file, failure.code == .usage else { return failure }
        guard let line = failure.options.compactMap({ lines[$0] }).first else { return failure }
        return file.failure(line, failure.message)
    }

    private static func preset(_ name: String, _ syntax: Syntax, _ file: SettingsFile?) throws(Failure) -> Preset {
        guard let preset = file?.preset(name) else {
            let names = (file?.presets.map(\.name) ?? []) + (syntax.ownPreset.map { [$0] } ?? [])
            throw Preset.missing(name, among: names)
        }
        guard preset.subcommand == syntax.name else {
            throw Failure(
                .usage, "the preset \(name) is of iounit \(preset.subcommand), not of iounit \(syntax.name)")
        }
        return preset
    }

    private static func word(_ name: String, _ value: String, _ syntax: Syntax) -> String {
        syntax.option(name)?.value == nil ? "--\(name)" : "--\(name)=\(value)"
    }

    /// `--no-X` takes back a flag X of the settings, or one before it, where it is no option by itself.
    package static func negations(_ words: [String], _ syntax: Syntax) -> (words: [String], negated: Set<String>) {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var kept: [String] = []
        var negated: Set<String> = []
        for (index, word) in words.enumerated() {
            if index < end, word.hasPrefix("--no-"), syntax.option(String(word.dropFirst(2))) == nil,
                let option = syntax.option(String(word.dropFirst(5))), option.value == nil, option.name != "help"
            {
                negated.insert(option.name)
                kept.removeAll { $0 == "--\(option.name)" }
            } else {
                kept.append(word)
            }
        }
        return (kept, negated)
    }
}

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

    /// The options of a preset that have to be right as they are: all but those that depend on what the command line says
    /// otherwise.
    ///
    /// - Parameters:
    ///   - chosen: what is left of the preset.
    ///   - given: what is on the command line, or taken back there.
    ///   - operands: whether there are any on the command line.
    static func fixed(_ chosen: [Setting], given: Set<String>, operands: Bool, _ syntax: Syntax) -> Set<String> {
        var fixed = Set(chosen.map(\.name))
        if operands, let own = syntax.optionsOfFiles { fixed.formIntersection(own) }
        var changed = given.union(syntax.givingWay(to: given))
        // One may depend on another that depends on a third.
        for _ in 0..<3 {
            let dependents = fixed.filter { !changed.isDisjoint(with: syntax.option($0)?.dependencies ?? []) }
            fixed.subtract(dependents)
            changed.formUnion(dependents)
        }
        return fixed
    }

    /// Leaves out what has no meaning without another option: a period is that of the private server, if there is one.
    ///
    /// - Parameters:
    ///   - given: what is on the command line.
    ///   - fixed: the options of a preset that have to be right as they are.
    ///   - operands: whether there are any.
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
