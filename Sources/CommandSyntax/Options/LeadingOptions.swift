import AudioReports

/// Options that stand before the subcommand, as in `iounit --server stage ports`. The subcommand gets them as its own.
struct LeadingOptions {
    /// Of the options of all subcommands.
    let syntax: Syntax
    /// Those that at least half of the subcommands have, in the order of the help.
    let common: [Option]
    /// What takes a flag back.
    private let negations: Set<String>
    /// Of the subcommands.
    private let names: [String]

    init(_ syntaxes: [Syntax]) {
        let all = syntaxes.flatMap(\.options)
        syntax = Syntax(name: "", summary: "", groups: [("", all)], notes: "", takesSettings: false)
        let counts = Dictionary(all.map { ($0.name, 1) }, uniquingKeysWith: +)
        var seen: Set<String> = []
        common = all.filter { 2 * (counts[$0.name] ?? 0) >= syntaxes.count && seen.insert($0.name).inserted }
        negations = Set(syntaxes.flatMap(\.negatable).map { "--no-\($0.name)" })
        names = syntaxes.map(\.name)
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
            options.append(rest.removeFirst())
            if negations.contains(word) { continue }
            let form = String(word.prefix { $0 != "=" })
            guard let (option, value) = syntax.parts(of: word) else { throw unknown(form) }
            guard syntax.options.allSatisfy({ $0.name != option.name || $0.takesWord == option.takesWord }) else {
                throw Failure(.usage, "\(shown(form)) goes after the subcommand: iounit SUBCOMMAND \(shown(form))")
            }
            guard option.value != nil, value == nil, let next = rest.first else { continue }
            if option.takesWord {
                options.append(rest.removeFirst())
            } else if next.first == "-", next.dropFirst().first?.isNumber == true {
                options[options.count - 1] = "--\(option.name)=\(rest.removeFirst())"
            }
        }
        if let first = rest.first, !names.contains(first), Self.presetPlace(words) != nil { return words }
        return rest.prefix(1) + options + rest.dropFirst()
    }

    private func unknown(_ form: String) -> Failure {
        // Some words are both: who wrote dashes meant the option.
        let optionNames = syntax.options.map(\.name)
        let near = nearest(to: String(form.drop { $0 == "-" }), among: optionNames + names)
        let meant = near.map { optionNames.contains($0) ? "--\($0)" : $0 }
        return Failure(
            .usage, "there is no option \(shown(form)); \(meant.map { "did you mean \($0)?" } ?? "see iounit --help")")
    }

    /// Where `--preset` stands.
    static func presetPlace(_ words: [String]) -> Int? {
        words.prefix { $0 != "--" }.firstIndex { $0 == "--preset" || $0.hasPrefix("--preset=") }
    }
}
