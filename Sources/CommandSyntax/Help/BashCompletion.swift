import AudioReports

/// What bash completes, made from the syntax. Works with bash-completion and without.
struct BashCompletion {
    let text: String

    init(_ syntaxes: [Syntax], topics: [String]) {
        let names = syntaxes.map(\.name)
        let leading = LeadingOptions(syntaxes)
        let first = leading.common.map { "--\($0.name)" } + ["--version"]
        var cases: [(value: OptionValue, patterns: [String])] = []
        // Before a subcommand its name is empty.
        for (name, options) in syntaxes.map({ ($0.name, $0.options) }) + [("", leading.common)] {
            for option in options where option.takesWord {
                let pattern = option.forms.map { "'\(name) \($0)'" }.joined(separator: " | ")
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
            Self.parsing + Self.offering(serverForms: syntaxes.serverForms) + """


                _iounit() {
                    COMPREPLY=()
                    # What bash breaks at = and : is read as one word: a port's name has a colon.
                    local whole broken quote option= value options= negations= verbs= operands=
                    local -a before
                    __iounit_read "${COMP_LINE:0:COMP_POINT}"
                    value=$whole
                    # Options may stand before the subcommand.
                    local -i index=1
                    while [[ ${before[index]-} == -* ]]; do
                        case ${before[index]} in
                            \(leading.withValue.sorted().joined(separator: " | "))) index+=2 ;;
                            *) index+=1 ;;
                        esac
                    done
                    local subcommand=${before[index]-}
                    if [[ $whole == --*=* ]]; then
                        option=${whole%%=*}
                        value=${whole#*=}
                    elif [[ ${#before[@]} -gt index+1 || ${#before[@]} -lt index ]]; then
                        option=${before[${#before[@]} - 1]}
                    fi
                    case "$subcommand $option" in
                \(values.joined(separator: "\n"))
                    esac
                    if [[ ! $subcommand ]]; then
                        # The value of an option before it can be anything else.
                        if [[ $option ]]; then return; fi
                        if [[ $index -gt 1 || $whole == -* ]]; then
                            __iounit_words \((names + first).joined(separator: " "))
                        else
                            __iounit_words \((names + ["help", "--help", "--version"]).joined(separator: " "))
                        fi
                        return
                    fi
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
        case .keys(let words):
            "compopt -o nospace 2> /dev/null; __iounit_words \(words.joined(separator: " ")); return"
        case .file: "__iounit_files; return"
        case .ports(let options): "__iounit_ports\(options.map { " \($0)" }.joined()); return"
        case .presets(let own): "__iounit_presets\(own.map { " \($0)" }.joined()); return"
        case .plugins(let orFiles): "__iounit_plugins\(orFiles ? "; __iounit_files" : ""); return"
        case .flag, .other: "return"
        }
    }

    private static let parsing = #"""
        # Completion of iounit in bash, made by iounit help --completion bash.

        # Reads a line as the shell does, evaluating nothing: the words before, the whole word that is being written, its
        # part that readline keeps (it replaces what is behind a quote, or behind the last = or : that it breaks at), and
        # the quote that is open.
        __iounit_read() {
            local line=$1 character next
            local -i at begun=0
            before=() whole= broken= quote=
            for ((at = 0; at < ${#line}; at++)); do
                character=${line:at:1}
                next=${line:at+1:1}
                if [[ $quote && $character == "$quote" ]]; then
                    quote=
                    broken=$whole
                elif [[ $character == \\ && ($quote == '' || $quote == \" && $next == [\"\\\$\`]) ]]; then
                    whole+=$next
                    begun=1 at+=1
                elif [[ $quote ]]; then
                    whole+=$character
                elif [[ $character == [\'\"] ]]; then
                    quote=$character begun=1
                    broken=$whole
                elif [[ $character == [[:space:]] ]]; then
                    if ((begun)); then before+=("$whole"); fi
                    whole= broken= begun=0
                else
                    whole+=$character begun=1
                    if [[ $character == [=:] && $COMP_WORDBREAKS == *"$character"* ]]; then broken=$whole; fi
                fi
            done
        }

        # A word as it is written behind an open quote, or without one.
        __iounit_quote() {
            case $quote in
                \') word=${word//\'/"'\''"} ;;
                \")
                    word=${word//\\/'\\'}
                    word=${word//\"/'\"'}
                    word=${word//\$/'\$'}
                    word=${word//\`/'\`'} ;;
                *) if [[ $word == *[^[:alnum:]_:./+=-]* ]]; then printf -v word %q "$word"; fi ;;
            esac
        }


        """#

    private static func offering(serverForms: [String]) -> String {
        let joined = serverForms.map { $0.hasPrefix("--") ? "\($0)=*" : "\($0)?*" }.joined(separator: " | ")
        return #"""
            # Offers what begins with the value. Nothing in it is evaluated: another program chose the names of the ports.
            __iounit_offer() {
                local word
                while IFS= read -r word; do
                    if [[ ! $word || $word != "$value"* ]]; then continue; fi
                    word=${whole%"$value"}$word
                    word=${word#"$broken"}
                    __iounit_quote
                    COMPREPLY+=("$word")
                done
            }

            __iounit_words() { __iounit_offer < <(printf '%s\n' "$@"); }

            # Of the server that the words before name.
            __iounit_ports() {
                local word server= awaits=
                for word in "${before[@]}"; do
                    if [[ $awaits ]]; then
                        server=$word awaits=
                        continue
                    fi
                    case $word in
                        \#(serverForms.joined(separator: " | "))) awaits=value ;;
                        \#(joined))
                            server=${word#--*=}
                            server=${server#-[^-]}
                            server=${server#=} ;;
                    esac
                done
                if [[ $server ]]; then set -- "$@" --server "$server"; fi
                __iounit_offer < <(iounit ports --names "$@" 2> /dev/null)
            }

            # Those of the line's subcommand; all of them behind preset, and before a subcommand.
            __iounit_presets() {
                local -a which=(--names)
                if [[ $subcommand && $subcommand != preset ]]; then which+=(--of "$subcommand"); fi
                __iounit_offer < <(printf '%s\n' "$@"; iounit preset list "${which[@]}" 2> /dev/null)
            }

            __iounit_plugins() { __iounit_offer < <(iounit plugin list --names 2> /dev/null); }

            __iounit_files() {
                local file=${COMP_WORDS[COMP_CWORD]} found
                if [[ $file == = ]]; then file=; fi
                compopt -o filenames 2> /dev/null
                while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "$file")
            }
            """#
    }
}
