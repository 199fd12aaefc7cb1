import AudioReports

package struct Option: Sendable {
    /// Without the dashes.
    package var name: String
    /// What stands for its value in the help; `nil` for a flag.
    package var value: String?
    /// Whether it may stand without its value, which then must be a number with a sign, 0 decibels, or follow a =.
    var isValueOptional = false
    /// The letter behind one dash that means the same; `nil` where there is none.
    var short: Character?
    var help: String
    /// The words that it takes; empty where it takes others.
    var choices: [String] = []
    /// Words that shells offer where it takes others too, as a list of them.
    private(set) var offered: [String] = []
    /// What it has no meaning without, and what it cannot be given beside.
    var needed: [Need] = []
    var excluded: [Exclusion] = []
    /// Beside which values and arguments it cannot be given.
    var refusals: [Refusal] = []
    /// What gives way to it in settings.
    var replaced: Set<String> = []
    /// Options that it may be taken for, and what each is.
    var mistakenFor: [(name: String, meaning: String)] = []
    /// Whether it means something with `--offline`: see `usableOffline`.
    var isUsableOffline = false
    /// Whether it sets a parameter, which has its name.
    package internal(set) var isOfParameter = false
    /// What becomes of it where options are kept.
    var keeping = Keeping.setting
    /// What it prints, of the option for that.
    private(set) var reports: [ReportKind] = []

    /// - Parameter choices: the words that it takes, where it takes no others.
    package init(
        _ name: String, short: Character? = nil, _ value: String, _ help: String, of choices: [String] = []
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.help = help
        self.choices = choices
        keeping = Keeping(placeholder: value)
    }

    package init(flag name: String, _ help: String) {
        self.name = name
        self.help = help
    }

    package init(_ name: String, optional value: String, _ help: String) {
        self.init(name, value, help)
        isValueOptional = true
    }

    /// `--help`, which every subcommand has.
    static let help = Option(flag: "help", "print this").kept(.nowhere).changed { $0.short = "h" }

    /// `--json`, which declares the report that a subcommand prints.
    package static func json(_ report: ReportKind, _ help: String = "print one JSON object at the end") -> Option {
        Option(flag: "json", "\(help) (\(report.schema))").kept(.run).usableOffline()
            .changed { $0.reports = [report] }
    }

    /// The same, of a subcommand whose verbs print reports of their own.
    package static func json(ofVerbs reports: [(verb: String, kind: ReportKind)]) -> Option {
        let list = reports.map { "of \($0.verb) (\($0.kind.schema))" }.joined(separator: ", ")
        return Option(flag: "json", "print one JSON object: \(list)").kept(.run).changed {
            $0.reports = reports.map(\.kind)
        }
    }

    /// Whether the user's settings are left out.
    package static let noConfig = Option(flag: "no-config", "leave the user's settings out (iounit help settings)")
        .kept(.nowhere)

    /// Shells offer these words, and it takes others too.
    package func offering(_ words: [String]) -> Option { changed { $0.offered = words } }

    func changed(_ change: (inout Option) -> Void) -> Option {
        var option = self
        change(&option)
        return option
    }

    /// How a command line begins it: with the name, or the letter.
    var forms: [String] { ["--\(name)"] + (short.map { ["-\($0)"] } ?? []) }

    /// Whether the word behind it is its value. One that may be left out takes no word of its own.
    var takesWord: Bool { value != nil && !isValueOptional }
}

/// Options under a heading, in the order of the help.
package typealias OptionGroup = (heading: String, options: [Option])

package func optionGroup(_ heading: String, _ options: Option...) -> OptionGroup { (heading, options) }

/// What a subcommand understands, and how its help explains it.
package struct Syntax: Sendable {
    package let name: String
    /// One line.
    let summary: String
    /// Options under headings, in the order of the help.
    package let groups: [OptionGroup]
    /// What stands below the options. Lines that begin with a blank are a table's; the others are wrapped.
    let notes: String
    /// What is named without an option, as in `IN… OUT`; `nil` where there is none of that.
    let operands: String?
    /// Whether the user's settings hold for it, and presets can be of it.
    let takesSettings: Bool
    /// The options that mean something where a file is named; `nil` where all do.
    let optionsOfFiles: Set<String>?
    /// The options that mean something with `--offline`; `nil` where there is none.
    let optionsOffline: Set<String>?
    /// The options that a command line has no use for, beside what they declare. Settings do not hold for it there.
    let idleOptions: @Sendable (Arguments) -> Set<String>
    /// What shells offer behind some verbs; files behind the others.
    let operandsOfVerbs: [String: Offer]

    /// - Parameter groups: the last ends with `--help`, and that of the settings follows.
    package init(
        name: String, summary: String, groups: [OptionGroup], notes: String, operands: String? = nil,
        takesSettings: Bool = true, optionsOfFiles: Set<String>? = nil, operandsOfVerbs: [String: Offer] = [:],
        idleOptions: @escaping @Sendable (Arguments) -> Set<String> = { _ in [] }
    ) {
        self.name = name
        self.summary = summary
        var groups = groups
        if let last = groups.indices.last { groups[last].options.append(.help) }
        if takesSettings { groups.append(Self.settings(beside: groups)) }
        self.groups = groups
        options = groups.flatMap(\.options)
        // What a report holds is explained in one place.
        let fields = options.contains { !$0.reports.isEmpty } ? ["Fields of the JSON: iounit help figures."] : []
        self.notes = ([notes].filter { !$0.isEmpty } + fields).joined(separator: "\n")
        self.operands = operands
        self.takesSettings = takesSettings
        // What is no setting has a meaning in any case.
        let others = Set(options.filter { !$0.isSetting }.map(\.name))
        self.optionsOfFiles = optionsOfFiles?.union(others)
        let offline = Set(options.filter(\.isUsableOffline).map(\.name))
        optionsOffline = offline.contains("offline") ? offline.union(others) : nil
        self.operandsOfVerbs = operandsOfVerbs
        self.idleOptions = idleOptions
    }

    private static func settings(beside groups: [OptionGroup]) -> OptionGroup {
        let preset = Option("preset", "NAME", "begin with the options of a preset (iounit preset)").kept(.nowhere)
        let hasOwn = groups.contains { $0.options.contains { $0.name == preset.name } }
        return ("Settings", hasOwn ? [.noConfig] : [preset, .noConfig])
    }

    /// Of all groups.
    package let options: [Option]

    /// What the first operand may be, where it is one of a few words: each begins a form of the operands.
    var verbs: [String] {
        let forms = operands?.split(separator: " | ") ?? []
        return forms.count > 1 ? forms.map { String($0.prefix { $0 != " " }) } : []
    }

    /// A preset that the subcommand has itself.
    var ownPreset: String? { option("preset")?.choices.first }

    /// The flags that a `--no-FLAG` can take back. Of one that says no itself that is understood, but nobody looks for it.
    var negatable: [Option] {
        takesSettings
            ? options.filter {
                $0.value == nil && $0.isSetting && !$0.name.hasPrefix("no-")
                    && option("no-\($0.name)") == nil
            } : []
    }

    package func option(_ name: String) -> Option? { options.first { $0.name == name } }

    /// Whether a word is an option of one letter, and nothing behind it.
    func isShort(_ word: String) -> Bool {
        word.count == 2 && word.first == "-" && options.contains { $0.short == word.last }
    }

    /// The option that a word begins, and what stands in the same word; `nil` where there is none.
    func parts(of word: String) -> (option: Option, value: String?)? {
        // By scalars: = and a combining mark behind it are one character.
        let parts = word.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { String($0) }
        let value = parts.count == 2 ? parts[1] : nil
        if word.hasPrefix("--") { return option(String(parts[0].dropFirst(2))).map { ($0, value) } }
        // The name of a long option behind one dash is no short option with a value: -server is no server called erver.
        let name = parts[0].dropFirst()
        guard word.first == "-", let letter = name.first, name.count == 1 || option(String(name)) == nil,
            let option = options.first(where: { $0.short == letter })
        else { return nil }
        return (option, name.count == 1 ? value : String(word.dropFirst(2)))
    }

    /// What `--json` prints, each verb its own; empty where there is no such option.
    package var reports: [ReportKind] { option("json")?.reports ?? [] }

    func help(_ text: HelpText) -> String {
        let usage = ["usage: iounit", name, operands, "[options]"].compactMap(\.self).joined(separator: " ")
        var lines = text.wrapped("iounit \(name) - \(summary)") + [""] + text.wrapped(usage, hanging: 7)
        for group in groups {
            lines += ["", "\(group.heading):"]
            lines += text.table(group.options.map { (Self.left($0), $0.help) })
        }
        if !notes.isEmpty { lines += [""] + text.paragraphs(notes) }
        return lines.joined(separator: "\n")
    }

    private static func left(_ option: Option) -> String {
        (option.short.map { "-\($0), " } ?? "    ") + "--\(option.name)"
            + (option.value.map { option.isValueOptional ? " [\($0)]" : " \($0)" } ?? "")
    }
}

extension [Syntax] {
    /// What their `--json` prints, each kind once, with the subcommands that print it.
    package var reports: [(kind: ReportKind, subcommands: [String])] {
        reduce(into: []) { reports, syntax in
            for kind in syntax.reports {
                if let index = reports.firstIndex(where: { $0.kind.name == kind.name }) {
                    reports[index].subcommands.append(syntax.name)
                } else {
                    reports.append((kind, [syntax.name]))
                }
            }
        }
    }
}
