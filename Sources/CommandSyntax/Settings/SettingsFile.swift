import AudioReports

/// What a file of settings says: options with their values, for every subcommand, for one, or under the name of a preset.
///
/// A line is a comment (`# …`), a section's head (`[monitor]`, `[preset NAME]`), or an option without its dashes, with its
/// value behind a =.
package struct SettingsFile {
    /// An option and its value.
    package struct Setting: Equatable {
        /// Without the dashes.
        var name: String
        /// Empty of a flag.
        package var value: String
        /// Where it stands, from 1.
        package var line: Int
    }

    /// Before the first section.
    private(set) var everywhere: [Setting] = []
    /// What stands in the help for the value of each of them, by its line. Options of one name mean the same where that is
    /// the same.
    private var placeholders: [Int: String] = [:]
    private(set) var subcommands: [String: [Setting]] = [:]
    /// In the order of the file.
    private(set) var presets: [Preset] = []
    /// As in messages.
    package let path: String

    static let largestBytes = 1 << 20

    private enum Section {
        case everywhere
        case subcommand(String)
        case preset(Int)
    }

    /// - Parameters:
    ///   - path: for messages.
    ///   - syntaxes: of all subcommands.
    /// - Throws: `config`, with the line.
    package init(_ text: String, path: String, syntaxes: [Syntax]) throws(Failure) {
        self.path = path
        var section = Section.everywhere
        var seen: Set<String> = []
        for (index, raw) in Self.lines(text).enumerated() {
            let line = trimmed(raw)
            let number = index + 1
            if Self.isIdle(line) { continue }
            if line.hasPrefix("[") {
                try seal(section, syntaxes)
                section = try head(line, number, syntaxes, &seen)
            } else {
                try add(line, number, to: section, syntaxes)
            }
        }
        try seal(section, syntaxes)
    }

    /// The lines before the first section whose option a subcommand has with the same meaning.
    func everywhere(for syntax: Syntax) -> [Setting] {
        everywhere.filter { setting in
            syntax.option(setting.name).map { $0.value == placeholders[setting.line] } ?? false
        }
    }

    package func preset(_ name: String) -> Preset? { presets.first { $0.name == name } }

    /// A file with the options of a preset as those of its subcommand, and nothing else: they give way to the command line
    /// with all that depends on them.
    package func settings(of preset: Preset) -> SettingsFile {
        var file = self
        (file.everywhere, file.presets) = ([], [])
        file.subcommands = [preset.subcommand: preset.settings]
        return file
    }

    package func failure(_ line: Int, _ message: String) -> Failure {
        Failure(.configuration, "\(shown(path)):\(line): \(message)")
    }

    private mutating func head(
        _ line: String, _ number: Int, _ syntaxes: [Syntax], _ seen: inout Set<String>
    ) throws(Failure) -> Section {
        guard line.hasSuffix("]") else { throw failure(number, "a section's head ends with ], as in [monitor]") }
        let words = line.dropFirst().dropLast().split(separator: " ").map(String.init)
        guard seen.insert(words.joined(separator: " ")).inserted else {
            throw failure(number, "there is a section \(shown(line)) above; put both into one")
        }
        if words.count == 2, words[0] == "preset" {
            guard Preset.isName(words[1]) else { throw failure(number, Preset.nameRule) }
            presets.append(Preset(name: words[1], line: number))
            return .preset(presets.count - 1)
        }
        guard words.count == 1, let syntax = syntaxes.first(where: { $0.name == words[0] }), syntax.takesSettings else {
            let names = syntaxes.filter(\.takesSettings).map(\.name)
            let near = words.first.flatMap { nearest(to: $0, among: names) }.map { "; did you mean [\($0)]?" }
            throw failure(
                number, "a section is [SUBCOMMAND] or [preset NAME], not \(shown(line))\(near ?? "")")
        }
        subcommands[syntax.name] = []
        return .subcommand(syntax.name)
    }

    private mutating func add(
        _ line: String, _ number: Int, to section: Section, _ syntaxes: [Syntax]
    ) throws(Failure) {
        // By scalars: = and a combining mark behind it are one character.
        let parts = line.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { trimmed(String($0)) }
        let name = parts[0]
        let value = parts.count == 2 ? Self.unquoted(parts[1]) : nil
        guard !(value ?? "").utf8.contains(0) else { throw failure(number, "a value has no NUL in it") }
        switch section {
        case .everywhere:
            let all = syntaxes.filter(\.takesSettings)
            let holders = all.filter { $0.option(name) != nil }
            // It may be a flag in one subcommand, and have a value in another.
            let likely = holders.first { ($0.option(name)?.value == nil) == (value == nil) } ?? holders.first
            guard let syntax = likely else {
                throw unknown(name, number, among: all.flatMap(\.options).map(\.name), of: "no subcommand has")
            }
            everywhere.append(try setting(name, value, number, syntax))
            placeholders[number] = syntax.option(name)?.value
        case .subcommand(let subcommand):
            guard let syntax = syntaxes.first(where: { $0.name == subcommand }) else { return }
            let own = try setting(name, value, number, syntax)
            subcommands[subcommand]?.append(own)
        case .preset(let index):
            if name == "command" {
                let names = syntaxes.filter(\.takesSettings).map(\.name)
                guard let value, names.contains(value) else {
                    let near = didYouMean(value, among: names).map { "; \($0)" } ?? ""
                    throw failure(number, "command is the name of a subcommand, as in command = monitor\(near)")
                }
                guard presets[index].subcommand.isEmpty else { throw failure(number, "a preset has one command") }
                presets[index].subcommand = value
            } else if name == "argument" {
                guard let value, !value.isEmpty else {
                    throw failure(number, "an argument needs a value, as in argument = take.wav")
                }
                presets[index].operands.append(value)
            } else {
                guard let syntax = syntaxes.first(where: { $0.name == presets[index].subcommand }) else {
                    throw failure(number, "a preset begins with its subcommand, as in command = monitor")
                }
                let own = try setting(name, value, number, syntax)
                presets[index].settings.append(own)
            }
        }
    }

    private func setting(_ name: String, _ value: String?, _ number: Int, _ syntax: Syntax) throws(Failure) -> Setting {
        guard let option = syntax.option(name), option.isSetting else {
            let names = syntax.options.filter(\.isSetting).map(\.name)
            throw unknown(name, number, among: names, of: "iounit \(syntax.name) has no")
        }
        if let placeholder = option.value {
            guard value != nil || option.isValueOptional else {
                throw failure(number, "\(name) needs a value, as in \(name) = \(placeholder)")
            }
        } else if value != nil {
            throw failure(number, "\(name) takes no value")
        }
        if let value, let secret = Secrets.reason(option, value) { throw failure(number, secret) }
        return Setting(name: name, value: value ?? "", line: number)
    }

    private func unknown(_ name: String, _ number: Int, among names: [String], of whom: String) -> Failure {
        let bare = name.hasPrefix("--") ? String(name.dropFirst(2)) : name
        let near =
            names.contains(bare) ? bare : Synonyms.option(bare, among: names) ?? nearest(to: bare, among: names)
        let said = bare == name ? "" : ", which is written without dashes"
        return failure(
            number, "\(whom) option \"\(shown(name))\"\(said)" + (near.map { "; did you mean \($0)?" } ?? ""))
    }

    /// A preset without a subcommand, and operands that its subcommand does not take, are errors.
    private func seal(_ section: Section, _ syntaxes: [Syntax]) throws(Failure) {
        guard case .preset(let index) = section else { return }
        let preset = presets[index]
        guard let syntax = syntaxes.first(where: { $0.name == preset.subcommand }) else {
            throw failure(preset.line, "the preset \(preset.name) needs a subcommand: command = monitor")
        }
        if syntax.operands == nil, !preset.operands.isEmpty {
            throw failure(preset.line, "iounit \(syntax.name) takes options and no argument")
        }
    }

    /// Of a text with any kind of line ends; a carriage return stays at the end of its line. The mark with which editors of
    /// Windows begin a text in UTF-8 is left out.
    package static func lines(_ text: String) -> [String] {
        // By bytes: of characters, a line feed and what is before or behind it can be one.
        let mark = "\u{feff}".utf8
        let bytes = text.utf8.starts(with: mark) ? text.utf8.dropFirst(mark.count) : text.utf8[...]
        return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a line says nothing.
    package static func isIdle(_ line: String) -> Bool {
        let line = trimmed(line)
        return line.isEmpty || line.hasPrefix("#")
    }

    /// Blanks at the ends of a value are kept within quotes.
    private static func unquoted(_ value: String) -> String {
        let scalars = value.unicodeScalars
        guard scalars.count >= 2, scalars.first == "\"", scalars.last == "\"" else { return value }
        return String(scalars.dropFirst().dropLast())
    }

    /// As a line that is read as the same.
    static func line(_ name: String, _ value: String?) -> String {
        guard let value else { return name }
        let isPlain = trimmed(value) == value && !value.isEmpty && value.unicodeScalars.first != "\""
        return "\(name) = \(isPlain ? value : "\"\(value)\"")"
    }
}
