struct FishCompletion {
    let text: String

    init(_ syntaxes: [Syntax], topics: [String]) {
        let leading = LeadingOptions(syntaxes)
        let server = syntaxes.serverForms
        // --server=NAME, -sNAME and -s=NAME.
        let joinedServer =
            "^(" + server.map { $0.hasPrefix("--") ? "\($0)=" : "\($0)=?(?=.)" }.joined(separator: "|") + ")"
        var lines = [
            "# Completion of iounit in fish, made by iounit help --completion fish.",
            "# The subcommand, before which options may stand.",
            "function __iounit_subcommand",
            "    set -l words (commandline -opc)[2..]",
            "    while string match -q -- '-*' $words[1]",
            "        contains -- $words[1] \(leading.withValue.sorted().joined(separator: " ")); and set -e words[1]",
            "        set -e words[1]",
            "    end",
            "    echo $words[1]",
            "end",
            "function __iounit_runs",
            "    contains -- (__iounit_subcommand) $argv",
            "end",
            "function __iounit_begins",
            "    test -z (__iounit_subcommand)",
            "end",
            "# Whether the first word after the subcommand is being written.",
            "function __iounit_acts",
            "    set -l words (commandline -opc)",
            "    __iounit_runs $argv; and test \"$words[-1]\" = (__iounit_subcommand)",
            "end",
            "# Whether a subcommand's verb stands before what is being written.",
            "function __iounit_does",
            "    __iounit_runs $argv[1]; and not __iounit_acts $argv[1]; and contains -- $argv[2] (commandline -opc)",
            "end",
            "# What takes a flag of the settings back is offered only to those who look for it.",
            "function __iounit_takes_back",
            "    __iounit_runs $argv; and string match -q -- '--no*' (commandline -ct)",
            "end",
            "# Of the server that the line names.",
            "function __iounit_ports",
            "    set -l server",
            "    set -l awaits",
            "    for word in (commandline -opc)[2..]",
            "        if set -q awaits[1]",
            "            set server $word",
            "            set -e awaits[1]",
            "        else if contains -- $word \(server.joined(separator: " "))",
            "            set awaits value",
            "        else if string match -qr -- '\(joinedServer)' $word",
            "            set server (string replace -r -- '\(joinedServer)' '' $word)",
            "        end",
            "    end",
            "    test -n \"$server\"; and set -a argv --server $server",
            "    iounit ports --names $argv 2>/dev/null",
            "end",
            "# Those of the line's subcommand; all of them after preset, and before a subcommand.",
            "function __iounit_presets",
            "    string join \\n -- $argv",
            "    set -l of (__iounit_subcommand)",
            "    if test -z \"$of\" -o \"$of\" = preset",
            "        iounit preset list --names 2>/dev/null",
            "    else",
            "        iounit preset list --names --of $of 2>/dev/null",
            "    end",
            "end",
            "function __iounit_plugins",
            "    iounit plugin list --names 2>/dev/null",
            "end",
            "complete -c iounit -f",
            "complete -c iounit -n __iounit_begins -l version -s V -d 'print the version'",
            "complete -c iounit -n __iounit_begins -a help -d 'explain a subcommand'",
            "complete -c iounit -n '__iounit_runs help' -l man -d 'name the manual pages, or print one'",
            "complete -c iounit -n '__iounit_runs help' -l schema -d 'name the reports, or print the schema of one'",
            "complete -c iounit -n '__iounit_runs help' -l completion -x -a 'bash zsh fish' -d 'print the completion of a shell'",
        ]
        lines += leading.common.map { Self.line($0, when: "__iounit_begins") }
        for syntax in syntaxes {
            lines.append(
                "complete -c iounit -n __iounit_begins -a \(syntax.name) -d \(Self.quoted(syntax.summary))")
        }
        let names = (syntaxes.map(\.name) + topics).joined(separator: " ")
        lines.append("complete -c iounit -n '__iounit_runs help' -a \(Self.quoted(names))")
        for syntax in syntaxes {
            let start = "complete -c iounit -n '__iounit_runs \(syntax.name)'"
            if syntax.verbs.isEmpty {
                if syntax.operands != nil { lines.append("\(start) -F") }
            } else {
                let verbs = syntax.verbs.joined(separator: " ")
                lines.append("complete -c iounit -n '__iounit_acts \(syntax.name)' -a \(Self.quoted(verbs))")
                let known = syntax.operandsOfVerbs.sorted { $0.key < $1.key }
                let others = known.map { "; and not __iounit_does \(syntax.name) \($0.key)" }.joined()
                lines.append(
                    "complete -c iounit -n '__iounit_runs \(syntax.name); and not __iounit_acts \(syntax.name)\(others)' -F"
                )
                for (verb, value) in known {
                    lines.append(
                        "complete -c iounit -n '__iounit_does \(syntax.name) \(verb)'"
                            + Self.value(value, isOption: false))
                }
            }
            for option in syntax.negatable {
                lines.append(
                    "complete -c iounit -n '__iounit_takes_back \(syntax.name)' -l no-\(option.name)"
                        + " -d 'take back \(option.name)'")
            }
            for option in syntax.options {
                lines.append(Self.line(option, when: "__iounit_runs \(syntax.name)"))
            }
        }
        text = lines.joined(separator: "\n")
    }

    private static func line(_ option: Option, when condition: String) -> String {
        let short = option.short.map { " -s \($0)" } ?? ""
        return
            "complete -c iounit -n '\(condition)'\(short) -l \(option.name)\(value(option)) -d \(quoted(option.brief))"
    }

    private static func value(_ option: Option) -> String {
        // One whose value may be left out takes it behind a =, which fish completes without being told of it.
        option.isValueOptional ? "" : value(option.completion, isOption: true)
    }

    /// - Parameter isOption: whether it is an option's, which needs it, and takes nothing else.
    private static func value(_ value: OptionValue, isOption: Bool) -> String {
        switch value {
        case .flag: return ""
        case .words(let words): return " -x -a \(quoted(words.joined(separator: " ")))"
        case .keys(let words):
            // Behind a = fish puts no blank, and behind a + none where there is more to choose from.
            let offered = words.flatMap { $0.hasSuffix("+") ? [$0, "\($0)0%"] : [$0] }
            return " -x -a \(quoted(offered.joined(separator: " ")))"
        case .file: return " -r -F"
        case .ports(let options):
            return " -x -a \(quoted((["(__iounit_ports"] + options).joined(separator: " ") + ")"))"
        case .presets(let own):
            return " -x -a \(quoted((["(__iounit_presets"] + own).joined(separator: " ") + ")"))"
        case .plugins(let orFiles):
            return (orFiles ? " -F" : isOption ? " -x" : "") + " -a '(__iounit_plugins)'"
        case .other: return " -x"
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
