struct ZshCompletion {
    let text: String

    init(_ syntaxes: [Syntax], topics: [String]) {
        let leading = LeadingOptions(syntaxes)
        let first = (leading.common.map { "--\($0.name)" } + ["--version"])
        let server = syntaxes.serverForms
        let help = [
            "--man[name the manual pages, or print one]", "--schema[name the reports, or print the schema of one]",
            "--completion[print the completion of a shell]:shell:(bash zsh fish)",
            "1:subcommand:(\((syntaxes.map(\.name) + topics).joined(separator: " ")))",
        ]
        let joinedServer = server.map { $0.hasPrefix("--") ? "\($0)=*" : "\($0)?*" }
        var lines = [
            "#compdef iounit",
            "# Completion of iounit in zsh, made by iounit help --completion zsh.",
            "",
            "# Of the server that the line names.",
            "_iounit_ports() {",
            "    local expl word server awaits",
            "    local -a names",
            "    for word in $before; do",
            "        if [[ -n $awaits ]]; then",
            "            server=${(Q)word}",
            "            awaits=",
            "            continue",
            "        fi",
            "        case $word in",
            "            \(server.joined(separator: "|"))) awaits=value ;;",
            "            \(joinedServer.joined(separator: "|"))) server=${(Q)${${word#--*=}#-[^-]}#=} ;;",
            "        esac",
            "    done",
            "    # What is called is evaluated once more.",
            "    names=(\"${(@f)$(_call_program ports iounit ports --names $1 ${server:+--server ${(q)server}} 2>/dev/null)}\")",
            "    _wanted ports expl port compadd -- ${names:#}",
            "}",
            "",
            "# Those of the line's subcommand; all of them after preset, and before a subcommand.",
            "_iounit_presets() {",
            "    local expl of",
            "    local -a names",
            "    [[ -n $subcommand && $subcommand != preset ]] && of=\"--of $subcommand\"",
            "    names=(\"$@\" \"${(@f)$(_call_program presets iounit preset list --names $of 2>/dev/null)}\")",
            "    _wanted presets expl preset compadd -- ${names:#}",
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
            syntaxes.flatMap(Self.operands) + Self.leading(leading.common) + [
                "_iounit() {",
                "    local subcommand=",
                "    local -a before=(\"${(@)words[2,CURRENT-1]}\")",
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
            "            \(leading.withValue.sorted().joined(separator: "|")))",
            "                if (( CURRENT == 3 )); then",
            "                    _iounit_leading $words[2]",
            "                    return",
            "                fi",
            "                shift words",
            "                (( CURRENT-- )) ;;",
            "        esac",
            "        shift words",
            "        (( CURRENT-- ))",
            "    done",
            "    if (( CURRENT == 2 )); then",
            "        if [[ $PREFIX == --*=* ]]; then",
            "            local option=${PREFIX%%=*}",
            "            compset -P 1 '*='",
            "            _iounit_leading $option",
            "        elif [[ $words[2] == -* ]]; then",
            "            local -a options",
            "            options=(\(first.joined(separator: " ")))",
            "            _describe -o option options",
            "        else",
            "            _describe -t subcommands subcommand subcommands",
            "        fi",
            "        return",
            "    fi",
            "    subcommand=$words[2]",
            "    local -a negations",
            "    shift words",
            "    (( CURRENT-- ))",
            "    case $subcommand in",
            "        help) _arguments \(help.map(Self.quoted).joined(separator: " ")) ;;",
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

    /// A function that offers the value of an option that stands before the subcommand.
    private static func leading(_ options: [Option]) -> [String] {
        let cases = options.filter(\.takesWord).compactMap { option -> String? in
            let action =
                switch option.completion {
                case .words(let words): "compadd -- \(words.joined(separator: " "))"
                case .flag, .other: ""
                default: String(action(option.completion).drop { $0 == " " })
                }
            return action.isEmpty ? nil : "        \(option.forms.joined(separator: "|"))) \(action) ;;"
        }
        return ["_iounit_leading() {", "    case $1 in"] + cases + ["    esac", "}", ""]
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
        case .keys(let words): return " compadd -S \"\" -- \(escaped(words.joined(separator: " ")))"
        case .file: return "_files"
        // Behind a blank the words are a call as they stand.
        case .ports(let options): return ([" _iounit_ports"] + options).joined(separator: " ")
        case .presets(let own): return ([" _iounit_presets"] + own).joined(separator: " ")
        case .plugins: return " _iounit_plugins"
        case .flag, .other: return " "
        }
    }

    private static func escaped(_ text: String) -> String {
        ["\\", "[", "]", ":"].reduce(text) { $0.replacing($1, with: "\\\($1)") }
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
