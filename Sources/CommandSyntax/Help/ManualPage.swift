import AudioReports

/// A page of the manual, in the macros of man(7).
package struct ManualPage {
    /// As in `iounit-monitor`.
    let name: String
    /// Of the manual: 1, commands, or 7, miscellaneous.
    let section: Int
    private let summary: String
    /// Its lines below the name, which are set when they are asked for: nobody reads all pages at once.
    private let body: () -> [String]

    var file: String { "\(name).\(section)" }

    var text: String {
        let title =
            ".TH \(name.uppercased()) \(section) \(Release.date) \"iounit \(Release.version)\" \"Manual of iounit\""
        return ([title, ".SH NAME"] + Self.filled("\(name) - \(summary)") + body()).joined(separator: "\n")
    }

    /// Of a subcommand.
    init(_ syntax: Syntax) {
        self.init(name: "iounit-\(syntax.name)", section: 1, summary: syntax.summary) {
            var lines = [
                ".SH SYNOPSIS", ".B iounit \(Self.plain(syntax.name))",
                ([syntax.operands].compactMap(\.self) + ["[options]"]).map { ".I \(Self.plain($0))" }.joined(
                    separator: "\n"),
                ".SH OPTIONS",
            ]
            for group in syntax.groups {
                lines.append(".SS \(Self.plain(group.heading))")
                for option in group.options { lines += Self.item(Self.label(option), option.help) }
            }
            // Set as in the help: a list of keys or exit codes would run into one paragraph.
            if !syntax.notes.isEmpty {
                let notes = HelpText.manual.paragraphs(syntax.notes)
                lines += [".SH NOTES", ".nf"] + notes.map { Self.plain($0) } + [".fi"]
            }
            // A name that is hyphenated cannot be copied.
            return lines + [".SH SEE ALSO", ".nh", Self.related(syntax).joined(separator: ",\n")]
        }
    }

    /// Of a topic of `iounit help`, whose text is set as it stands.
    init(_ topic: Topic, _ syntaxes: [Syntax]) {
        self.init(name: "iounit-\(topic.name)", section: 7, summary: topic.summary) {
            // The first lines, up to an empty one, are the name and the summary.
            let lines = topic.text(.manual, syntaxes).split(separator: "\n", omittingEmptySubsequences: false)
                .drop { !$0.isEmpty }.drop(while: \.isEmpty)
            var page = [".SH DESCRIPTION", ".nf"]
            // The last line of a paragraph may be in capitals too.
            var isBehindEmpty = true
            for line in lines {
                // A heading turns filling on again.
                page += isBehindEmpty && Self.isHead(line) ? [".SS \(Self.plain(line))", ".nf"] : [Self.plain(line)]
                isBehindEmpty = line.isEmpty
            }
            return page + [".fi", ".SH SEE ALSO", ".BR iounit (1)"]
        }
    }

    private init(name: String, section: Int, summary: String, body: @escaping () -> [String]) {
        (self.name, self.section, self.summary, self.body) = (name, section, summary, body)
    }

    /// `iounit(1)`, which names all others.
    static func overview(_ syntaxes: [Syntax], topics: [Topic]) -> ManualPage {
        ManualPage(name: "iounit", section: 1, summary: "a low-latency audio I/O unit for JACK") {
            var lines = [".SH SYNOPSIS", ".B iounit", ".I SUBCOMMAND", ".I [options]", ".SH DESCRIPTION"]
            lines += filled(
                "Takes sound from input ports of JACK, applies gain and a waveshaper, and gives it to output ports within "
                    + "the same cycle; measures how regularly that happens; records, plays, sends, receives and converts "
                    + "sound.")
            lines.append(".SH SUBCOMMANDS")
            for syntax in syntaxes { lines += item(".BR iounit\\-\(plain(syntax.name)) (1)", syntax.summary) }
            for topic in topics { lines += item(".BR iounit\\-\(plain(topic.name)) (7)", topic.summary) }
            lines += [".SH EXIT STATUS"]
            for code in ExitCode.allCases { lines += item(".B \(code.rawValue)", code.meaning) }
            return lines + [".SH SEE ALSO", ".BR jackd (1)"]
        }
    }

    /// The topics that a subcommand's help names, or whose summary names the subcommand, and those about all of them.
    private static func related(_ syntax: Syntax) -> [String] {
        let help = (syntax.options.map(\.help) + [syntax.notes]).joined(separator: " ")
        let named = help.matches(of: /iounit\s+help\s+([a-z-]+)/).map { String($0.1) } + ["figures", "exit-codes"]
        let topics = Topic.all.filter { topic in
            let words = topic.summary.lowercased().split { !$0.isLetter }.map(String.init)
            return named.contains(topic.name) || words.contains(syntax.name)
        }
        return [".BR iounit (1)"] + topics.map { ".BR iounit\\-\(plain($0.name)) (7)" }
    }

    // How it is set.

    private static func item(_ label: String, _ text: String) -> [String] { [".TP", label] + filled(text) }

    private static func label(_ option: Option) -> String {
        let short = option.short.map { "\\-\($0), " } ?? ""
        let name = "\"\(short)\\-\\-\(escaped(option.name))\""
        guard let value = option.value.map(escaped) else { return ".B \(name)" }
        return option.isValueOptional ? ".BR \(name) \" [\\fI\(value)\\fP]\"" : ".BI \(name) \" \(value)\""
    }

    /// A heading of a topic is in capitals.
    private static func isHead(_ line: Substring) -> Bool {
        line.first?.isUppercase == true && !line.contains(where: \.isLowercase)
    }

    /// Lines of at most 80 bytes.
    private static func filled(_ text: String) -> [String] { wrapped(escaped(text), width: 72).map(guarded) }

    private static func plain(_ text: some StringProtocol) -> String { guarded(escaped(String(text))) }

    /// Text in which nothing is an escape, and a hyphen is the one that a shell takes.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    }

    /// A line that is not taken for a request.
    private static func guarded(_ line: String) -> String {
        line.first.map { ".'".contains($0) } == true ? "\\&\(line)" : line
    }
}
