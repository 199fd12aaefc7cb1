import AudioReports

/// A command line under a name.
package struct Preset: Equatable {
    var name: String
    package var subcommand = ""
    package var settings: [SettingsFile.Setting] = []
    /// What the subcommand is given besides options.
    var operands: [String] = []
    /// Where it begins in the file, from 1.
    var line: Int

    package init(name: String, subcommand: String = "", operands: [String] = [], line: Int) {
        (self.name, self.subcommand, self.operands, self.line) = (name, subcommand, operands, line)
    }

    static let nameRule = "a preset's name has 1 to 64 letters, digits, dots, dashes and underscores"

    /// Whether a text can be its name.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.first != "-"
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
    }

    /// What is said where there is none of a name.
    ///
    /// - Parameter names: of those that there are.
    static func missing(_ name: String, among names: [String] = []) -> Failure {
        let help = didYouMean(name, among: names) ?? "see iounit preset list"
        return Failure(.usage, "there is no preset \"\(shown(name))\"; \(help)")
    }

    /// For a shell.
    var commandLine: String {
        let options = settings.flatMap { $0.value.isEmpty ? ["--\($0.name)"] : ["--\($0.name)", $0.value] }
        let words = operands.contains { $0.hasPrefix("-") && $0 != "-" } ? ["--"] + operands : operands
        return (["iounit", subcommand] + options + words).map(shellWord).joined(separator: " ")
    }

    /// The lines of its section.
    ///
    /// - Parameter flags: the options that take no value.
    package func lines(flags: Set<String>) -> [String] {
        ["[preset \(name)]", "command = \(subcommand)"]
            + settings.map { SettingsFile.line($0.name, flags.contains($0.name) ? nil : $0.value) }
            + operands.map { SettingsFile.line("argument", $0) }
    }
}
