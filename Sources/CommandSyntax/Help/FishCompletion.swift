/// What fish completes, made from the syntax.
struct FishCompletion {
    let text: String

    init(_ syntaxes: [Syntax], topics: [String]) {
        var lines = [
            "# Completion of iounit in fish, made by iounit help --completion fish.",
            "function __iounit_runs",
            "    set -l words (commandline -opc)",
            "    test (count $words) -ge 2; and contains -- $words[2] $argv",
            "end",
            "function __iounit_ports",
            "    iounit ports --names $argv 2>/dev/null",
            "end",
            "complete -c iounit -f",
            "complete -c iounit -n __fish_use_subcommand -l version -d 'print the version'",
            "complete -c iounit -n __fish_use_subcommand -l help -d 'name the subcommands'",
            "complete -c iounit -n __fish_use_subcommand -a help -d 'explain a subcommand'",
        ]
        for syntax in syntaxes {
            lines.append(
                "complete -c iounit -n __fish_use_subcommand -a \(syntax.name) -d \(Self.quoted(syntax.summary))")
        }
        let names = (syntaxes.map(\.name) + topics).joined(separator: " ")
        lines.append("complete -c iounit -n '__iounit_runs help' -a \(Self.quoted(names))")
        for syntax in syntaxes {
            let start = "complete -c iounit -n '__iounit_runs \(syntax.name)'"
            if syntax.operands != nil { lines.append("\(start) -F") }
            for option in syntax.options {
                let short = option.short.map { " -s \($0)" } ?? ""
                lines.append("\(start)\(short) -l \(option.name)\(Self.value(option)) -d \(Self.quoted(option.brief))")
            }
        }
        text = lines.joined(separator: "\n")
    }

    private static func value(_ option: Option) -> String {
        // One whose value may be left out takes it behind a =, which fish completes without being told of it.
        if option.isValueOptional { return "" }
        switch option.completion {
        case .flag: return ""
        case .words(let words): return " -x -a \(quoted(words.joined(separator: " ")))"
        case .file: return " -r -F"
        case .ports(let options):
            return " -x -a \(quoted((["(__iounit_ports"] + options).joined(separator: " ") + ")"))"
        case .other: return " -x"
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
