import AudioReports

/// What may stand at a place of a command line.
package struct Offer: Sendable {
    var words: [(name: String, meaning: String)] = []
    /// Words of the program, which prints more of that, one a line.
    var command: [String] = []
    var hasFiles = false
    /// What stands for it where it is a number or text.
    var placeholder: String?

    static let presets = Offer(command: ["preset", "list", "--names"])

    /// - Parameter orFiles: whether files too, as bundles are.
    package static func plugins(orFiles: Bool) -> Offer {
        Offer(command: ["plugin", "list", "--names"], hasFiles: orFiles)
    }
}

/// What the last of some words can be, which is being written.
///
/// The answer's first line is how many of its characters stand before what is offered, as those of `--shape=`. Each other
/// line is a word that may stand there, with its meaning behind a tabulator; or `:files` for files, `:open` where more is
/// written behind a word without a blank, `:value X` where a shell can tell what is needed. The shell picks what begins
/// with what is there.
struct Completion {
    private let syntaxes: [Syntax]
    private let word: String
    /// Of the subcommand; without a name before there is one.
    private let syntax: Syntax
    /// The options that are offered there.
    private let known: [Option]
    private var given: [(name: String, value: String)] = []
    private var operands: [String] = []
    /// The option whose value the word is.
    private var option: Option?

    /// - Parameter words: behind `iounit`.
    init(_ words: [String], _ syntaxes: [Syntax]) {
        self.syntaxes = syntaxes
        word = words.last ?? ""
        let leading = LeadingOptions(syntaxes)
        let before = Array(words.dropLast())
        var rest = ((try? leading.moved(before)) ?? before)[...]
        let name = rest.first?.hasPrefix("-") == false ? rest.removeFirst() : ""
        let unknown = Syntax(name: name, summary: "", groups: [], notes: "", takesSettings: false)
        syntax =
            switch name {
            case "": leading.syntax
            case "help": Self.help(syntaxes)
            default: syntaxes.first { $0.name == name } ?? unknown
            }
        let version = Option(flag: "version", "print the version").changed { $0.short = "V" }
        // Of those that few subcommands have it is known what they take.
        known = name.isEmpty ? leading.common + [version] : syntax.options
        while let word = rest.popFirst() {
            if let (option, value) = syntax.parts(of: word) {
                if value == nil, option.takesWord, rest.isEmpty { self.option = option }
                given.append((option.name, value ?? (option.takesWord ? rest.popFirst() : nil) ?? ""))
            } else if !word.hasPrefix("-") {
                operands.append(word)
            }
        }
    }

    private static func help(_ syntaxes: [Syntax]) -> Syntax {
        let pages = InstalledHelp(syntaxes).pages.map(\.file)
        let options = optionGroup(
            "What is installed",
            Option("man", "PAGE", "name the manual pages, or print one", of: pages),
            Option(
                "schema", "KIND", "name the reports, or print the schema of one", of: syntaxes.reports.map(\.kind.name)),
            Option(
                "completion", "SHELL", "print the completion of a shell", of: CompletionScript.allCases.map(\.rawValue))
        )
        return Syntax(name: "help", summary: "explain a subcommand", groups: [options], notes: "", takesSettings: false)
    }

    private var offer: Offer {
        if let option { return values(of: option) }
        if let (option, value) = syntax.parts(of: word), value != nil { return values(of: option) }
        if word.hasPrefix("-") { return Offer(words: options) }
        if operands.isEmpty, !subjects.isEmpty { return Offer(words: subjects) }
        return syntax.operands == nil ? Offer() : syntax.operandsOfVerbs[operands.first ?? ""] ?? Offer(hasFiles: true)
    }

    /// What the first word is behind the subcommand, or the subcommand itself; empty where there is no choice of few.
    private var subjects: [(name: String, meaning: String)] {
        let subcommands = syntaxes.map { (name: $0.name, meaning: $0.summary) }
        switch syntax.name {
        case "":
            return subcommands + [
                ("help", "explain a subcommand"), ("--help", "print this"), ("--version", "print the version"),
            ]
        case "help": return subcommands + Topic.all.map { (name: $0.name, meaning: $0.summary) }
        default: return syntax.verbs.map { (name: $0, meaning: "") }
        }
    }

    /// Without those that mean nothing beside the ones before.
    private var options: [(name: String, meaning: String)] {
        let present = Arguments.present(given)
        let gone = syntax.excluded(by: present)
        let free = known.filter { !gone.contains($0.name) && ($0.value != nil || !present.contains($0.name)) }
        // What takes a flag of the settings back is offered only to those who look for it.
        let negations = word.hasPrefix("--no") ? syntax.negatable : []
        return free.flatMap { option in option.forms.map { (name: $0, meaning: option.brief) } }
            + negations.map { (name: "--no-\($0.name)", meaning: "take back \($0.name)") }
    }

    private func values(of option: Option) -> Offer {
        guard let placeholder = option.value else { return Offer() }
        let words = (option.choices + option.offered).map { (name: $0, meaning: "") }
        if option.name == "preset" {
            let ofOne = syntax.takesSettings ? ["--of", syntax.name] : []
            return Offer(words: words, command: Offer.presets.command + ofOne)
        }
        if !words.isEmpty { return Offer(words: words) }
        switch placeholder {
        case "FILE", "PATH", "SOUND": return Offer(hasFiles: true)
        case "PATTERN", "PORT":
            // What goes into the unit comes out of another's output.
            let directions = [
                "input": "--outputs", "return": "--outputs", "far": "--outputs", "output": "--inputs",
                "send": "--inputs",
            ]
            let server = given.last { $0.name == "server" }.map { ["--server", $0.value] } ?? []
            return Offer(command: ["ports", "--names"] + [directions[option.name]].compactMap(\.self) + server)
        // One that presets can be of.
        case "SUBCOMMAND": return Offer(words: syntaxes.filter(\.takesSettings).map { ($0.name, $0.summary) })
        case "PLUGIN,…": return .plugins(orFiles: false)
        default: return Offer(placeholder: placeholder)
        }
    }

    /// - Returns: the answer, and words of the program, which prints more of it.
    func answer(_ shell: CompletionScript) -> (lines: [String], command: [String]) {
        let offer = offer
        let value = option == nil ? syntax.parts(of: word)?.value : nil
        var lines = ["\(value.map { word.count - $0.count } ?? 0)"]
        if offer.hasFiles { lines.append(":files") }
        let isOpen = !offer.words.isEmpty && offer.words.allSatisfy { "=+".contains($0.name.last ?? " ") }
        if isOpen, shell != .fish { lines.append(":open") }
        if let placeholder = offer.placeholder, shell == .zsh { lines.append(":value \(placeholder)") }
        for (name, meaning) in offer.words {
            lines.append(meaning.isEmpty || shell == .bash ? name : "\(name)\t\(meaning)")
            // Behind a = fish puts no blank, and behind a + none where there is more to choose from.
            if shell == .fish, name.hasSuffix("+") { lines.append("\(name)0%") }
        }
        return (lines, offer.command)
    }
}

extension Option {
    /// The help in a few words, for lists of options.
    fileprivate var brief: String {
        let end = [";", ":", " ("].compactMap { help.firstRange(of: $0)?.lowerBound }.min() ?? help.endIndex
        let words = help[..<end].split(separator: " ")
        var text = ""
        for word in words where text.count + word.count < 60 || text.isEmpty {
            text += text.isEmpty ? word : " \(word)"
        }
        return text
    }
}
