import AudioReports
import TerminalPages

/// A command line under a name.
package struct Preset: Equatable {
    var name: String
    package var subcommand = ""
    package var settings: [SettingsFile.Setting] = []
    /// What the subcommand is given besides options.
    var operands: [String] = []
    /// Where it begins in the file, from 1.
    var line: Int

    static let nameRule = "a preset's name has 1 to 64 letters, digits, dots, dashes and underscores"

    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.first != "-"
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
    }

    /// What is said where there is none of a name.
    static func missing(_ name: String, among names: [String] = []) -> Failure {
        let help = didYouMean(name, among: names) ?? "see iounit preset list"
        return Failure(.usage, "there is no preset \"\(shown(name))\"; \(help)")
    }

    /// For a shell.
    ///
    /// - Parameter syntaxes: that of its subcommand among them.
    func commandLine(_ syntaxes: [Syntax]) -> String {
        let syntax = syntaxes.first { $0.name == subcommand }
        let options = settings.flatMap { setting in
            let (word, option) = ("--\(setting.name)", syntax?.option(setting.name))
            if setting.value.isEmpty, option?.takesWord != true { return [word] }
            // Behind a blank it would be an operand, or an option.
            let isOne = option?.isValueOptional == true || setting.value.hasPrefix("-")
            return isOne ? ["\(word)=\(setting.value)"] : [word, setting.value]
        }
        let words = operands.contains { $0.hasPrefix("-") && $0 != "-" } ? ["--"] + operands : operands
        return (["iounit", subcommand] + options + words).map(shellWord).joined(separator: " ")
    }

    /// The lines of its section.
    ///
    /// - Parameter syntaxes: that of its subcommand among them.
    package func lines(_ syntaxes: [Syntax]) -> [String] {
        let syntax = syntaxes.first { $0.name == subcommand }
        return ["[preset \(name)]", "command = \(subcommand)"]
            + settings.map { SettingsFile.line($0.name, syntax?.option($0.name)?.value == nil ? nil : $0.value) }
            + operands.map { SettingsFile.line("argument", $0) }
    }
}

extension Preset {
    /// Of a command line.
    package init(name: String, subcommand: String, given: [(name: String, value: String)], operands: [String] = []) {
        let settings = given.map { SettingsFile.Setting(name: $0.name, value: $0.value, line: 0) }
        self.init(name: name, subcommand: subcommand, settings: settings, operands: operands, line: 0)
    }

    /// Whether what was read says the same: a value may have what a line cannot hold.
    package func isSame(as read: Preset?) -> Bool {
        read?.operands == operands && read?.settings.map(\.name) == settings.map(\.name)
            && read?.settings.map(\.value) == settings.map(\.value)
    }
}

struct PresetOptions {
    enum Action: Equatable {
        /// Keeps the words of a command line, of which the first is the subcommand.
        case save(name: String, words: [String])
        /// - Parameters:
        ///   - subcommand: whose presets are asked for; `nil` for all.
        ///   - isNames: whether for the names alone.
        case list(of: String?, isNames: Bool)
        case show(name: String)
        case remove(name: String)
    }

    static let syntax = Syntax(
        name: "preset", summary: "keep a command line under a name",
        groups: [
            optionGroup(
                "Options",
                .force("let save replace a preset that is there"),
                subcommand, names)
        ],
        notes: """
            iounit preset save stage -- monitor --shape tanh --drive 12 keeps that command line as stage.
            iounit monitor --preset stage runs it, and so does iounit --preset stage.
            Options behind it win, as in iounit monitor --preset stage --drive 6; arguments replace the preset's; and
            --no-bypass takes back a flag bypass.
            list shows all presets, show prints one as a command line, and remove takes one away.
            Presets are sections of the settings (iounit help settings). No secret is kept: tokens and passwords only as
            file:PATH or env:NAME.
            Exit codes: 73 for a preset that is there already, 78 for settings that cannot be understood.
            """,
        operands: "save NAME -- SUBCOMMAND... | list | show NAME | remove NAME", takesSettings: false,
        operandsOfVerbs: ["show": .presets, "remove": .presets])

    private static let subcommand = Option("of", "SUBCOMMAND", "of list, only the presets of this subcommand")
    private static let names = Option(flag: "names", "of list, print the names alone, a line each")

    let action: Action
    let replaces: Bool

    init(_ words: [String]) throws(Failure) {
        let arguments = try Self.arguments(words)
        replaces = arguments.replaces
        let verb = try arguments.verb(usual: "list")
        var operands = arguments.operands.dropFirst()
        try arguments.require(verb == "save" || !replaces, "--force is for preset save")
        if verb == "list" {
            try arguments.require(operands.isEmpty, "preset list takes no name")
            action = .list(of: arguments.word(of: Self.subcommand), isNames: arguments.has(Self.names))
            return
        }
        for option in [Self.subcommand, Self.names] {
            try arguments.permit(option, if: false, "is for preset list")
        }
        guard let name = operands.popFirst() else {
            throw arguments.usage("preset \(verb) needs a name, as in iounit preset \(verb) stage")
        }
        try arguments.require(Preset.isName(name), Preset.nameRule)
        switch verb {
        case "save":
            try arguments.require(
                !operands.isEmpty,
                "preset save needs a command line: iounit preset save \(name) -- monitor --shape tanh")
            action = .save(name: name, words: Array(operands))
        default:
            try arguments.require(operands.isEmpty, "preset \(verb) takes one name")
            action = verb == "show" ? .show(name: name) : .remove(name: name)
        }
    }

    /// Says where the dashes are missing that part the preset's words from our own.
    private static func arguments(_ words: [String]) throws(Failure) -> Arguments {
        if words.first == "save", !words.contains("--"), let word = words.first(where: { $0.hasPrefix("-") }),
            !["--force", "--help"].contains(word)
        {
            throw Failure(
                .usage,
                "\(shown(word)) is of the preset: write -- before the subcommand, as in "
                    + "iounit preset save stage -- monitor --shape tanh")
        }
        return try Arguments(words, syntax)
    }
}

struct PresetCommand {
    let options: PresetOptions
    let subcommands: [Subcommand]

    private var syntaxes: [Syntax] { subcommands.map(\.syntax) }

    func run() throws -> ExitCode {
        guard let place = SettingsPlace(isOptional: false) else {
            throw Failure(
                .configuration, "settings have no place: neither XDG_CONFIG_HOME nor HOME names a folder")
        }
        switch options.action {
        case .save(let name, let words):
            let preset = try preset(name, words)
            try place.update { try text($0, with: preset, place.path) }
            StandardError.complain("the preset \(name) is saved in \(place.path)")
            return .done
        case .list(let subcommand, let isNames):
            if let subcommand { _ = try owner(subcommand) }
            let all = try place.read().map { try file($0, place.path).presets } ?? []
            let presets = subcommand.map { name in all.filter { $0.subcommand == name } } ?? all
            if isNames {
                return presets.isEmpty
                    ? .done : try StandardOutput.print(presets.map(\.name).joined(separator: "\n"))
            }
            guard !presets.isEmpty else {
                let whose = subcommand.map { " of iounit \(shown($0))" } ?? ""
                return try StandardOutput.print(
                    "There is no preset\(whose); iounit preset save NAME -- SUBCOMMAND ... makes one.")
            }
            let width = presets.map(\.name.count).max() ?? 0
            return try StandardOutput.print(
                presets.map { "\(padded($0.name, width))  \($0.commandLine(syntaxes))" }.joined(separator: "\n"))
        case .show(let name):
            let text = try place.read() ?? ""
            return try StandardOutput.print(try known(name, in: file(text, place.path)).commandLine(syntaxes))
        case .remove(let name):
            try place.update { text in
                let preset = try known(name, in: file(text, place.path))
                return Self.without(preset, text)
            }
            StandardError.complain("the preset \(name) is removed from \(place.path)")
            return .done
        }
    }

    private func file(_ text: String, _ path: String) throws(Failure) -> SettingsFile {
        try SettingsFile(text, path: path, syntaxes: syntaxes)
    }

    private func known(_ name: String, in file: SettingsFile) throws(Failure) -> Preset {
        if let preset = file.preset(name) { return preset }
        throw Preset.missing(name, among: file.presets.map(\.name))
    }

    /// The subcommand of this name, which presets can be of.
    private func owner(_ name: String) throws(Failure) -> Subcommand {
        if let subcommand = subcommands.first(where: { $0.syntax.name == name }), subcommand.syntax.takesSettings {
            return subcommand
        }
        let near = didYouMean(name, among: syntaxes.filter(\.takesSettings).map(\.name)) ?? "see iounit --help"
        throw Failure(.usage, "a preset is of a subcommand, and \"\(shown(name))\" is none; \(near)")
    }

    /// What the words come to.
    ///
    /// - Throws: `usage` where the subcommand would not understand them, or they have a secret.
    func preset(_ name: String, _ words: [String]) throws -> Preset {
        let (first, rest) = (words[0], Array(words.dropFirst()))
        let subcommand = try owner(first)
        let syntax = subcommand.syntax
        guard name != syntax.ownPreset else {
            throw Failure(.usage, "iounit \(first) has a preset \(name) of its own; take another name")
        }
        let arguments = try Arguments(rest, syntax, isWhole: false)
        for (name, value) in arguments.all {
            guard let option = syntax.option(name), option.isSetting else {
                throw Failure(.usage, "--\(name) cannot be kept in a preset: leave it out")
            }
            if let reason = Secrets.reason(option, value) { throw Failure(.usage, "--\(name): \(reason)") }
        }
        for operand in arguments.operands {
            guard !operand.isEmpty else { throw Failure(.usage, "an argument is empty: leave it out") }
            if let reason = Secrets.reason(address: operand) { throw Failure(.usage, reason) }
        }
        do {
            _ = try subcommand.read(rest)
        } catch {
            // What a preset leaves out may be said with it: the files to be played, say.
            let failure = Failure.from(error)
            let isOfOption = failure.options.contains(where: arguments.has)
            if isOfOption || !arguments.operands.isEmpty || syntax.operands == nil { throw failure }
        }
        return Preset(name: name, subcommand: first, given: arguments.all, operands: arguments.operands)
    }

    /// The text of the settings with a preset more.
    private func text(_ text: String, with preset: Preset, _ path: String) throws(Failure) -> String {
        let before = try file(text, path)
        var text = text
        if let old = before.preset(preset.name) {
            guard options.replaces else {
                throw Failure(.cannotCreate, "there is a preset \(preset.name) already; --force replaces it")
            }
            text = Self.without(old, text)
        }
        let kept = trimmed(text)
        let whole = (kept.isEmpty ? "" : kept + "\n\n") + preset.lines(syntaxes).joined(separator: "\n") + "\n"
        guard preset.isSame(as: try? file(whole, path).preset(preset.name)) else {
            throw Failure(.usage, "a value has a line break or a control character, which settings cannot hold")
        }
        return whole
    }

    /// A text without the section of a preset. Comments before the next section are that one's.
    static func without(_ preset: Preset, _ text: String) -> String {
        var lines = SettingsFile.lines(text)
        let start = preset.line - 1
        var end = start + 1
        while end < lines.count, !trimmed(lines[end]).hasPrefix("[") { end += 1 }
        if end < lines.count {
            while end > start + 1, SettingsFile.isIdle(lines[end - 1]) { end -= 1 }
        }
        lines.removeSubrange(start..<end)
        if start == 0 { lines = Array(lines.drop { trimmed($0).isEmpty }) }
        return lines.joined(separator: "\n")
    }
}
