import AudioReports

/// Options that stand before the subcommand, as in `iounit --server stage ports`. The subcommand gets them as its own.
struct LeadingOptions {
    /// Those that take the word behind them as their value, with their dashes.
    let withValue: Set<String>
    /// All others.
    private let alone: Set<String>
    /// Those that at least half of the subcommands have, in the order of the help.
    let common: [Option]
    /// Of the subcommands, and of their options.
    private let names: [String]
    private let optionNames: [String]

    init(_ syntaxes: [Syntax]) {
        var withValue: Set<String> = []
        var alone: Set<String> = []
        let all = syntaxes.flatMap(\.options)
        for option in all {
            if option.takesWord { withValue.formUnion(option.forms) } else { alone.formUnion(option.forms) }
        }
        alone.formUnion(syntaxes.flatMap(\.negatable).map { "--no-\($0.name)" })
        (self.withValue, self.alone) = (withValue, alone)
        let counts = Dictionary(all.map { ($0.name, 1) }, uniquingKeysWith: +)
        var seen: Set<String> = []
        common = all.filter { 2 * (counts[$0.name] ?? 0) >= syntaxes.count && seen.insert($0.name).inserted }
        names = syntaxes.map(\.name)
        optionNames = all.map(\.name)
    }

    /// The words with the subcommand before its options. They stay as they are where a preset says the subcommand, and the
    /// first word behind them is the name of none: then it is an argument.
    ///
    /// - Throws: `usage` for an option that there is none of, or that takes a value in one subcommand and not in another.
    func moved(_ words: [String]) throws(Failure) -> [String] {
        var rest = words[...]
        var options: [String] = []
        // The standard input is an argument, and behind -- are only arguments.
        while let word = rest.first, word.hasPrefix("-"), word != "-", word != "--" {
            let name = try form(word)
            guard !withValue.contains(name) || !alone.contains(name) else {
                throw Failure(.usage, "\(shown(name)) goes after the subcommand: iounit SUBCOMMAND \(shown(name))")
            }
            options.append(rest.removeFirst())
            if withValue.contains(name), name == word, let value = rest.popFirst() { options.append(value) }
        }
        if let first = rest.first, !names.contains(first), Self.presetPlace(words) != nil { return words }
        return rest.prefix(1) + options + rest.dropFirst()
    }

    /// What a word begins with that is an option: `--server` of `--server=stage`, `-s` of `-sstage`.
    private func form(_ word: String) throws(Failure) -> String {
        let whole = String(word.prefix { $0 != "=" })
        let form = word.hasPrefix("--") ? whole : String(word.prefix(2))
        // As `Arguments` has it: the name of a long option behind one dash is none.
        let isLong = withValue.contains("-\(whole)") || alone.contains("-\(whole)")
        if withValue.contains(form) || alone.contains(form), form == whole || !isLong { return form }
        // Some words are both: who wrote dashes meant the option.
        let near = nearest(to: String(whole.drop { $0 == "-" }), among: optionNames + names)
        let meant = near.map { optionNames.contains($0) ? "--\($0)" : $0 }
        throw Failure(
            .usage, "there is no option \(shown(whole)); \(meant.map { "did you mean \($0)?" } ?? "see iounit --help")")
    }

    /// Where `--preset` stands.
    static func presetPlace(_ words: [String]) -> Int? {
        words.prefix { $0 != "--" }.firstIndex { $0 == "--preset" || $0.hasPrefix("--preset=") }
    }
}
