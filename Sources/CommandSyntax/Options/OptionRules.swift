import AudioFigures

/// What options have to do with each other. Declared with the options, it is checked on each command line, and says which
/// settings give way.
extension Option {
    /// Options of which one must be there.
    struct Need: Sendable {
        var names: [String]
        /// What follows the general sentence.
        var reason: String
        /// Whether it must be so in settings too, which otherwise have the option for the runs where it means something.
        var isStrict: Bool
    }

    /// Options of which none may be there.
    struct Exclusion: Sendable {
        var names: [String]
        var reason: String
    }

    /// A rule about values and arguments.
    struct Refusal: Sendable {
        /// The options whose values they are.
        var names: [String]
        var reason: @Sendable (Arguments) -> String?
    }

    /// It means nothing without one of these, of those that the subcommand has.
    ///
    /// - Parameters:
    ///   - reason: more than the general sentence says.
    ///   - isStrict: whether settings that have it alone are wrong, in place of giving way.
    package func needs(_ names: [String], _ reason: String = "", isStrict: Bool = false) -> Option {
        changed { $0.needed.append(Need(names: names, reason: reason, isStrict: isStrict)) }
    }

    /// It cannot be given beside any of these. In settings they give way to it, and it to them.
    ///
    /// - Parameter reason: more than the general sentence says.
    package func excludes(_ names: [String], _ reason: String = "") -> Option {
        changed { $0.excluded.append(Exclusion(names: names, reason: reason)) }
    }

    /// It cannot be given beside some values of other options, or some arguments. In settings it gives way to them.
    ///
    /// - Parameters:
    ///   - names: those options.
    ///   - reason: follows its name, as in "is for files"; `nil` where it can be given, and where a value cannot be
    ///     understood, of which its own option complains.
    package func refused(
        beside names: [String] = [], _ reason: @escaping @Sendable (Arguments) -> String?
    ) -> Option {
        changed { $0.refusals.append(Refusal(names: names, reason: reason)) }
    }

    /// Why it cannot be given beside what else is there, and the options that this is about; `nil` where it can.
    func refusal(_ arguments: Arguments) -> (reason: String, options: [String])? {
        for refusal in refusals {
            if let reason = refusal.reason(arguments) { return (reason, [name] + refusal.names) }
        }
        return nil
    }

    /// The options that decide whether this one means something.
    var dependencies: [String] { needed.flatMap(\.names) + refusals.flatMap(\.names) }

    /// These give way to it in settings and presets, and may stand beside it on a command line.
    package func replaces(_ names: [String]) -> Option {
        changed { $0.replaced.formUnion(names) }
    }

    /// It means something with `--offline` too. Options that do not say so are of a server, of a clock, or of people who listen
    /// meanwhile, and are refused there.
    package func usableOffline() -> Option { changed { $0.isUsableOffline = true } }

    /// The complaint that something which it needs is missing also names other options, for who took it for one of them.
    package func mistaken(for others: [(name: String, meaning: String)]) -> Option {
        changed { $0.mistakenFor = others }
    }

    /// Values that say no more than that something is left out.
    static let idleValues: Set<String> = ["off", "never"]
}

extension Syntax {
    /// Complains of options that stand without, or beside, others.
    func check(_ arguments: Arguments) throws(Failure) {
        let present = arguments.present
        for option in options where present.contains(option.name) {
            for rule in option.excluded {
                guard let other = rule.names.first(where: present.contains) else { continue }
                throw Failure(
                    .usage,
                    "--\(option.name) and --\(other) exclude each other\(rule.reason.isEmpty ? "" : ": ")\(rule.reason)",
                    of: option.name, other)
            }
        }
        if let name = arguments.all.map(\.name).first(where: { idle($0, arguments) }) {
            guard arguments.has("offline") else {
                throw Failure(
                    .usage, "--\(name) is about JACK, and a file is read without it; leave one of them out", of: name)
            }
            throw Failure(
                .usage, "--\(name) has no effect with --offline, which needs no server: leave one of them out",
                of: name,
                "offline")
        }
        for option in options where arguments.has(option.name) {
            for need in option.needed where isMissed(need, present) {
                let names = need.names.filter { self.option($0) != nil }
                let off = names.first(where: arguments.has).map { ", which is \(arguments.value($0) ?? "off")" } ?? ""
                let list = names.map { "--\($0)" }.listed("or")
                throw Failure(
                    .usage,
                    "--\(option.name) needs \(list)\(off)\(need.reason.isEmpty ? "" : ": ")\(need.reason)\(others(option))",
                    of: option.name)
            }
            if let (reason, names) = option.refusal(arguments) {
                throw Failure(.usage, "--\(option.name) \(reason)", options: names)
            }
        }
    }

    /// The options that mean nothing beside these words. Settings do not hold for them there.
    func unusable(_ arguments: Arguments) -> Set<String> {
        idleOptions(arguments).union(options.filter { $0.refusal(arguments) != nil }.map(\.name))
    }

    /// Whether an option says nothing without a server, where there is none.
    private func idle(_ name: String, _ arguments: Arguments) -> Bool {
        if arguments.has("offline"), let own = optionsOffline { return !own.contains(name) }
        if !arguments.operands.isEmpty, let own = optionsOfFiles { return !own.contains(name) }
        return false
    }

    func isMissed(_ need: Option.Need, _ present: Set<String>) -> Bool {
        need.names.contains { option($0) != nil } && !need.names.contains(where: present.contains)
    }

    /// Sentences about the options that it may have been taken for.
    private func others(_ option: Option) -> String {
        option.mistakenFor.filter { self.option($0.name) != nil }.map { "; \($0.meaning) is --\($0.name)" }.joined()
    }

    /// What cannot stand beside options that are given.
    func excluded(by given: Set<String>) -> Set<String> {
        options.reduce(into: []) { gone, option in
            let excluded = option.excluded.flatMap(\.names)
            if given.contains(option.name) { gone.formUnion(excluded) }
            if !given.isDisjoint(with: excluded) { gone.insert(option.name) }
        }
    }

    /// What gives way in settings to options that are given otherwise.
    func givingWay(to given: Set<String>) -> Set<String> {
        var gone = excluded(by: given)
        for option in options where given.contains(option.name) { gone.formUnion(option.replaced) }
        guard let own = optionsOffline else { return gone }
        let others = Set(options.map(\.name)).subtracting(own)
        if given.contains("offline") { gone.formUnion(others) }
        if !given.isDisjoint(with: others) { gone.insert("offline") }
        return gone
    }
}
