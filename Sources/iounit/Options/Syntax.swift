/// One option of a subcommand.
struct Option: Sendable {
    /// Without the dashes.
    var name: String
    /// What stands for its value in the help; `nil` for a flag.
    var value: String?
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

    var options: [Option] { groups.flatMap(\.options) }

    var help: String {
        var lines = ["iounit \(name) - \(summary)", "", "usage: iounit \(name) [options]"]
        let width = options.map { Self.left($0).count }.max() ?? 0
        for group in groups {
            lines += ["", "\(group.heading):"]
            for option in group.options {
                let left = Self.left(option)
                let indent = String(repeating: " ", count: width + 4)
                let help = Self.wrap(option.help, width: max(30, 100 - width))
                lines.append("  " + left + String(repeating: " ", count: width - left.count + 2) + help[0])
                lines += help.dropFirst().map { indent + $0 }
            }
        }
        if !notes.isEmpty { lines += ["", notes] }
        return lines.joined(separator: "\n")
    }

    private static func left(_ option: Option) -> String {
        "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
    }

    private static func wrap(_ text: String, width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
