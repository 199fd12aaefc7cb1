import AudioReports

/// What bash completes, made from the syntax. Works with bash-completion and without.
struct BashCompletion {
    let text: String

    init(_ syntaxes: [Syntax], topics: [String]) {
        let names = syntaxes.map(\.name)
        let leading = LeadingOptions(syntaxes)
        let first = leading.common.map { "--\($0.name)" } + ["--version"]
        var cases: [(value: OptionValue, patterns: [String])] = []
        for syntax in syntaxes {
            for option in syntax.options where option.takesWord {
                let pattern = option.forms.map { "'\(syntax.name) \($0)'" }.joined(separator: " | ")
                if let index = cases.firstIndex(where: { $0.value == option.completion }) {
                    cases[index].patterns.append(pattern)
                } else {
                    cases.append((option.completion, [pattern]))
                }
            }
        }
        let values = cases.map { entry in
            "        \(entry.patterns.joined(separator: " | \\\n        ")))\n            \(Self.call(entry.value)) ;;"
        }
        let operands = syntaxes.flatMap { syntax in
            syntax.operandsOfVerbs.sorted { $0.key < $1.key }.map { verb, value in
                "            '\(syntax.name) \(verb)') \(Self.call(value)) ;;"
            }
        }
        let options = syntaxes.map { syntax in
            let words = syntax.options.map { "--\($0.name)" }.joined(separator: " ")
            let negations = syntax.negatable.map { "--no-\($0.name)" }.joined(separator: " ")
            return "        \(syntax.name)) options='\(words)'; negations='\(negations)'; verbs='"
                + syntax.verbs.joined(separator: " ") + "'; operands=\(syntax.operands == nil ? "''" : "files") ;;"
        }
        text =
            Self.functions + """


                _iounit() {
                    COMPREPLY=()
                    # What bash breaks at = and : is put together again: a port's name has a colon.
                    local line=${COMP_LINE:0:COMP_POINT} whole option= value options= negations= verbs= operands=
                    whole=${line##*[[:space:]]}
                    value=$whole
                    local -a before
                    read -r -a before <<< "${line%"$whole"}"
                    # Options may stand before the subcommand.
                    local -i index=1
                    while [[ ${before[index]-} == -* ]]; do
                        case ${before[index]} in
                            \(leading.withValue.sorted().joined(separator: " | "))) index+=2 ;;
                            *) index+=1 ;;
                        esac
                    done
                    local subcommand=${before[index]-}
                    if [[ $index -eq ${#before[@]} ]]; then
                        if [[ $index -gt 1 || $whole == -* ]]; then
                            __iounit_words \((names + first).joined(separator: " "))
                        else
                            __iounit_words \((names + ["help", "--help", "--version"]).joined(separator: " "))
                        fi
                        return
                    fi
                    [[ $subcommand ]] || return
                    if [[ $whole == --*=* ]]; then
                        option=${whole%%=*}
                        value=${whole#*=}
                    elif [[ ${#before[@]} -gt index+1 ]]; then
                        option=${before[${#before[@]} - 1]}
                    fi
                    case "$subcommand $option" in
                \(values.joined(separator: "\n"))
                    esac
                    case $subcommand in
                        help)
                            case $option in
                                --completion) __iounit_words bash zsh fish ;;
                                --schema) __iounit_words \(syntaxes.reports.map(\.kind.name).joined(separator: " ")) ;;
                                *) __iounit_words \((names + topics + Self.helpOptions).joined(separator: " ")) ;;
                            esac
                            return ;;
                \(options.joined(separator: "\n"))
                    esac
                    if [[ $whole == --no* ]]; then
                        # What takes a flag of the settings back is offered only to those who look for it.
                        __iounit_words $options $negations
                    elif [[ $whole == -* ]]; then
                        __iounit_words $options
                    elif [[ $verbs && ${#before[@]} -eq index+1 ]]; then
                        __iounit_words $verbs
                    elif [[ $operands ]]; then
                        case "$subcommand ${before[index + 1]-}" in
                \(operands.joined(separator: "\n"))
                        esac
                        __iounit_files
                    fi
                }

                complete -F _iounit iounit
                """
    }

    /// Of `iounit help`.
    private static let helpOptions = ["--man", "--schema", "--completion"]

    private static func call(_ value: OptionValue) -> String {
        switch value {
        case .words(let words): "__iounit_words \(words.joined(separator: " ")); return"
        case .file: "__iounit_files; return"
        case .ports(let options): "__iounit_ports\(options.map { " \($0)" }.joined()); return"
        case .plugins(let orFiles): "__iounit_plugins\(orFiles ? "; __iounit_files" : ""); return"
        case .flag, .other: "return"
        }
    }

    private static let functions = """
        # Completion of iounit in bash, made by iounit help --completion bash.

        # Offers what begins with the value. Nothing in it is evaluated: another program chose the names of the ports.
        __iounit_offer() {
            local word prefix= kept=
            # Bash replaces only what is behind the last = or : that it breaks at.
            if [[ $COMP_WORDBREAKS == *:* && $value == *:* ]]; then prefix=${value%"${value##*:}"}; fi
            if [[ $COMP_WORDBREAKS != *=* && $whole == --*=* ]]; then kept=${whole%%=*}=; fi
            while IFS= read -r word; do
                if [[ $word == "$value"* && $word ]]; then
                    word=${word#"$prefix"}
                    if [[ $word == *[^[:alnum:]_:./+=-]* ]]; then printf -v word %q "$word"; fi
                    COMPREPLY+=("$kept$word")
                fi
            done
        }

        __iounit_words() { __iounit_offer < <(printf '%s\\n' "$@"); }

        # Of the server that the words before name.
        __iounit_ports() {
            local index
            for ((index = 0; index + 1 < ${#before[@]}; index++)); do
                if [[ ${before[index]} == --server ]]; then set -- "$@" --server "${before[index + 1]}"; fi
            done
            __iounit_offer < <(iounit ports --names "$@" 2> /dev/null)
        }

        __iounit_plugins() { __iounit_offer < <(iounit plugin list --names 2> /dev/null); }

        __iounit_files() {
            local file=${COMP_WORDS[COMP_CWORD]} found
            if [[ $file == = ]]; then file=; fi
            compopt -o filenames 2> /dev/null
            while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "$file")
        }
        """
}
