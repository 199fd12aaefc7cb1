import AudioReports
import TerminalPages

/// `iounit preset`: keeps command lines under names.
struct PresetCommand {
    let options: PresetOptions
    let subcommands: [Subcommand]

    private var syntaxes: [Syntax] { subcommands.map(\.syntax) }

    func run() throws -> ExitCode {
        guard let place = SettingsPlace() else {
            throw Failure(
                .configuration, "settings have no place: neither XDG_CONFIG_HOME nor HOME names a folder")
        }
        switch options.action {
        case .save(let name, let words):
            let preset = try preset(name, words)
            try place.update { try text($0, with: preset, place.path) }
            StandardError.complain("the preset \(name) is saved in \(place.path)")
            return .done
        case .list:
            let presets = try place.read().map { try file($0, place.path).presets } ?? []
            guard !presets.isEmpty else {
                return try StandardOutput.print(
                    "There is no preset; iounit preset save NAME -- SUBCOMMAND ... makes one.")
            }
            let width = presets.map(\.name.count).max() ?? 0
            return try StandardOutput.print(
                presets.map { "\(padded($0.name, width))  \(shown($0.commandLine))" }.joined(separator: "\n"))
        case .show(let name):
            let text = try place.read() ?? ""
            return try StandardOutput.print(shown(try known(name, in: file(text, place.path)).commandLine))
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

    /// What the words come to.
    ///
    /// - Throws: `usage` where the subcommand would not understand them, or they have a secret.
    func preset(_ name: String, _ words: [String]) throws -> Preset {
        let (first, rest) = (words[0], Array(words.dropFirst()))
        guard let subcommand = subcommands.first(where: { $0.syntax.name == first }), subcommand.syntax.takesSettings
        else {
            let names = syntaxes.filter(\.takesSettings).map(\.name)
            let near = didYouMean(first, among: names) ?? "see iounit --help"
            throw Failure(.usage, "a preset is of a subcommand, and \"\(shown(first))\" is none; \(near)")
        }
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
        var preset = Preset(name: name, subcommand: first, operands: arguments.operands, line: 1)
        preset.settings = arguments.all.enumerated().map { number, option in
            SettingsFile.Setting(name: option.name, value: option.value, line: number + 3)
        }
        return preset
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
        let flags = syntaxes.first { $0.name == preset.subcommand }?.options.filter { $0.value == nil }.map(\.name)
        let lines = preset.lines(flags: Set(flags ?? []))
        let kept = trimmed(text)
        let whole = (kept.isEmpty ? "" : kept + "\n\n") + lines.joined(separator: "\n") + "\n"
        // A value may have what a line cannot hold.
        let again = try? file(whole, path).preset(preset.name)
        guard let again, again.operands == preset.operands,
            again.settings.map(\.name) == preset.settings.map(\.name),
            again.settings.map(\.value) == preset.settings.map(\.value)
        else { throw Failure(.usage, "a value has a line break or a control character, which settings cannot hold") }
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
