/// What a shell can offer as an option's value, or behind a verb.
package enum OptionValue: Equatable, Sendable {
    /// It takes none.
    case flag
    case words([String])
    /// Words behind which more stands in the same word, as `p99=` and `p99+`.
    case keys([String])
    case file
    /// The names that `iounit ports --names` prints with these options more, of the server that the line names.
    case ports([String])
    /// The names that `iounit preset list --names` prints of the line's subcommand, and presets of the subcommand's own.
    case presets(own: [String])
    /// The names that `iounit plugin list --names` prints, and files too, as bundles are.
    case plugins(orFiles: Bool)
    /// A number or text.
    case other
}

extension [Syntax] {
    /// How a line names the server whose ports are offered: as `--server` and `-s`.
    var serverForms: [String] {
        lazy.flatMap(\.options).first { $0.name == "server" }?.forms ?? []
    }
}

extension Option {
    var completion: OptionValue {
        guard let value else { return .flag }
        if name == "preset" { return .presets(own: choices) }
        let words = choices + offered
        if !words.isEmpty {
            return words.allSatisfy { "=+".contains($0.last ?? " ") } ? .keys(words) : .words(words)
        }
        switch value {
        case "FILE", "PATH", "SOUND": return .file
        case "PATTERN", "PORT":
            // What goes into the unit comes out of another's output.
            if ["input", "return"].contains(name) { return .ports(["--outputs"]) }
            if ["output", "send"].contains(name) { return .ports(["--inputs"]) }
            return .ports([])
        case "PLUGIN,…": return .plugins(orFiles: false)
        default: return .other
        }
    }

    /// The help in a few words, for lists of options.
    var brief: String {
        let end = [";", ":", " ("].compactMap { help.firstRange(of: $0)?.lowerBound }.min() ?? help.endIndex
        let words = help[..<end].split(separator: " ")
        var text = ""
        for word in words where text.count + word.count < 60 || text.isEmpty {
            text += text.isEmpty ? word : " \(word)"
        }
        return text
    }
}
