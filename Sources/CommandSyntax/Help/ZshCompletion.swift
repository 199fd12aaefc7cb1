/// What zsh completes, made from the syntax.
struct ZshCompletion {
    let text: String

    init(_ syntaxes: [Syntax], topics: [String]) {
        let leading = LeadingOptions(syntaxes)
        let first = (leading.common.map { "--\($0.name)" } + ["--version"])
        var lines = [
            "#compdef iounit",
            "# Completion of iounit in zsh, made by iounit help --completion zsh.",
            "",
            "_iounit_ports() {",
            "    local expl",
            "    local -a names",
            "    names=(\"${(@f)$(_call_program ports iounit ports --names $1 2>/dev/null)}\")",
            "    _wanted ports expl port compadd -- ${names:#}",
            "}",
            "",
            "_iounit_plugins() {",
            "    local expl",
            "    local -a names",
            "    names=(\"${(@f)$(_call_program plugins iounit plugin list --names 2>/dev/null)}\")",
            "    _wanted plugins expl plug-in compadd -- ${names:#}",
            "}",
            "",
        ]
        lines +=
            syntaxes.flatMap(Self.operands) + [
                "_iounit() {",
                "    local -a subcommands",
                "    subcommands=(",
            ]
        lines += syntaxes.map { "        \(Self.quoted("\($0.name):\($0.summary)"))" }
        lines += [
            "        'help:explain a subcommand'",
            "    )",
            "    # Options may stand before the subcommand.",
            "    while [[ CURRENT -gt 2 && $words[2] == -* ]]; do",
            "        case $words[2] in",
            "            \(leading.withValue.sorted().joined(separator: "|"))) (( CURRENT == 3 )) && return; shift words; (( CURRENT-- )) ;;",
            "        esac",
            "        shift words",
            "        (( CURRENT-- ))",
            "    done",
            "    if (( CURRENT == 2 )); then",
            "        if [[ $words[2] == -* ]]; then",
            "            local -a options",
            "            options=(\(first.joined(separator: " ")))",
            "            _describe -o option options",
            "        else",
            "            _describe -t subcommands subcommand subcommands",
            "        fi",
            "        return",
            "    fi",
            "    local subcommand=$words[2]",
            "    local -a negations",
            "    shift words",
            "    (( CURRENT-- ))",
            "    case $subcommand in",
            "        help) _arguments \(Self.quoted("1:subcommand:(\((syntaxes.map(\.name) + topics).joined(separator: " ")))")) ;;",
        ]
        for syntax in syntaxes {
            // What takes a flag of the settings back is offered only to those who look for it.
            let negations = syntax.negatable.map { Self.quoted("*--no-\($0.name)[take back \($0.name)]") }
            lines.append("        \(syntax.name))")
            if !negations.isEmpty {
                lines.append("            [[ $PREFIX == --no* ]] && negations=(\(negations.joined(separator: " ")))")
            }
            lines.append("            _arguments -s $negations \\")
            lines += syntax.options.flatMap(Self.specs).map { "            \(Self.quoted($0)) \\" }
            if !syntax.verbs.isEmpty {
                lines.append("            \(Self.quoted("1:action:(\(syntax.verbs.joined(separator: " ")))")) \\")
            }
            let action = syntax.operandsOfVerbs.isEmpty ? "_files" : " _iounit_operands_\(syntax.name)"
            let operands = syntax.operands.map { "*:\(Self.escaped($0)):\(action)" }
            // Without operands there is nothing but options.
            lines.append("            \(Self.quoted(operands ?? "*: :_message 'no more words'")) ;;")
        }
        lines += ["    esac", "}", "", "_iounit \"$@\""]
        text = lines.joined(separator: "\n")
    }

    /// A function that offers what may stand behind the verbs of a subcommand.
    private static func operands(_ syntax: Syntax) -> [String] {
        guard !syntax.operandsOfVerbs.isEmpty else { return [] }
        let cases = syntax.operandsOfVerbs.sorted { $0.key < $1.key }.map { verb, value in
            "        \(verb)) \(value == .plugins(orFiles: true) ? "_iounit_plugins; _files" : action(value)) ;;"
        }
        return ["_iounit_operands_\(syntax.name)() {", "    case $words[2] in"] + cases
            + ["        *) _files ;;", "    esac", "}", ""]
    }

    /// Arguments of `_arguments`, of which the second is for the short form; an option may be given again.
    private static func specs(_ option: Option) -> [String] {
        let label = "[\(escaped(option.brief))]"
        let short = option.short.map { "*-\($0)" }
        guard let value = option.value.map(escaped) else {
            return ["*--\(option.name)\(label)"] + (short.map { ["\($0)\(label)"] } ?? [])
        }
        let rest = "\(label)\(option.isValueOptional ? "::" : ":")\(value):\(action(option.completion))"
        return ["*--\(option.name)=\(option.isValueOptional ? "-" : "")\(rest)"]
            + (short.map { ["\($0)+\(rest)"] } ?? [])
    }

    private static func action(_ value: OptionValue) -> String {
        switch value {
        // A colon would end it: --voice takes webrtc:off.
        case .words(let words): return "(\(escaped(words.joined(separator: " "))))"
        case .file: return "_files"
        // Behind a blank the words are a call as they stand.
        case .ports(let options): return ([" _iounit_ports"] + options).joined(separator: " ")
        case .plugins: return " _iounit_plugins"
        case .flag, .other: return " "
        }
    }

    private static func escaped(_ text: String) -> String {
        ["\\", "[", "]", ":"].reduce(text) { $0.replacing($1, with: "\\\($1)") }
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
