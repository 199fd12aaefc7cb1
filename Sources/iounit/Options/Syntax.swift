import AudioReports

/// One option of a subcommand.
struct Option: Sendable {
    /// Without the dashes.
    var name: String
    /// What stands for its value in the help; `nil` for a flag.
    var value: String?
    /// Whether it may stand without its value, which then must be a number with a sign, or follow a =.
    var isValueOptional = false
    var help: String

    init(_ name: String, _ value: String, _ help: String) {
        self.name = name
        self.value = value
        self.help = help
    }

    init(flag name: String, _ help: String) {
        self.name = name
        self.help = help
    }

    init(_ name: String, optional value: String, _ help: String) {
        self.init(name, value, help)
        isValueOptional = true
    }
}

/// What a subcommand understands, and how its help explains it.
struct Syntax: Sendable {
    var name: String
    /// One line.
    var summary: String
    /// Options under headings, in the order of the help.
    var groups: [(heading: String, options: [Option])]
    /// What stands below the options.
    var notes: String
    /// What is named without an option, as in `IN… OUT`; `nil` where there is none of that.
    var operands: String?

    var options: [Option] { groups.flatMap(\.options) }

    var help: String {
        let usage = ["usage: iounit", name, operands, "[options]"].compactMap(\.self).joined(separator: " ")
        var lines = ["iounit \(name) - \(summary)", "", usage]
        let width = options.map { Self.left($0).count }.max() ?? 0
        for group in groups {
            lines += ["", "\(group.heading):"]
            for option in group.options {
                let help = wrapped(option.help, width: max(30, 100 - width))
                lines += labelled("  " + Self.left(option), help, indent: width + 4)
            }
        }
        if !notes.isEmpty { lines += ["", notes] }
        return lines.joined(separator: "\n")
    }

    private static func left(_ option: Option) -> String {
        "--\(option.name)" + (option.value.map { option.isValueOptional ? " [\($0)]" : " \($0)" } ?? "")
    }
}
