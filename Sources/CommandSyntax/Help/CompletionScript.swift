/// What a shell reads to complete lines of `iounit`: it asks `iounit complete SHELL -- WORD…`, as `Completion` answers it. The
/// program is the one that the line begins with, or the one of PATH. Nothing of an answer is evaluated: other programs chose
/// the names of the ports.
enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    var text: String {
        switch self {
        case .bash: Self.readingOfBash + Self.askingOfBash
        case .zsh: Self.ofZsh
        case .fish: Self.ofFish
        }
    }

    private static let readingOfBash = #"""
        # Completion of iounit in bash: the program says what may stand where. Works with bash-completion and without.

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

    private static let askingOfBash = #"""
        _iounit() {
            local whole broken quote program value word
            local at=0
            local -a before
            COMPREPLY=()
            __iounit_read "${COMP_LINE:0:COMP_POINT}"
            program=${before[0]}
            if [[ $program == '~/'* ]]; then program=$HOME${program:1}; fi
            if [[ $program != */* || ! -f $program || ! -x $program ]]; then program=iounit; fi
            {
                read -r at
                case $at in '' | *[!0-9]*) return ;; esac
                value=${whole:at}
                while IFS= read -r word; do
                    case $word in
                        :files)
                            compopt -o filenames 2> /dev/null
                            word=${COMP_WORDS[COMP_CWORD]}
                            while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "${word#=}") ;;
                        :open) compopt -o nospace 2> /dev/null ;;
                        "$value"*)
                            word=${whole:0:at}$word
                            word=${word#"$broken"}
                            __iounit_quote
                            COMPREPLY+=("$word") ;;
                    esac
                done
            } < <("$program" complete bash -- "${before[@]:1}" "$whole" 2> /dev/null)
        }

        complete -F _iounit iounit
        """#

    private static let ofZsh = #"""
        #compdef iounit
        # Completion of iounit in zsh: the program says what may stand where.
        local program=${(Q)words[1]} line
        local -a lines found open
        [[ $program == '~/'* ]] && program=$HOME${program#\~}
        [[ $program == */* && -f $program && -x $program ]] || program=iounit
        lines=("${(@f)$("$program" complete zsh -- "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
        (( $#lines > 1 )) || return
        compset -p $lines[1]
        for line in "${(@)lines[2,-1]}"; do
            case $line in
                :files) _files ;;
                :open) open=(-S '') ;;
                ':value '*) _message -e "${line#:value }" ;;
                *) found+=("${${line//(#m)[:\\]/\\$MATCH}/$'\t'/:}") ;;
            esac
        done
        (( $#found )) && _describe -t words word found "$open[@]"
        (( compstate[nmatches] ))
        """#

    private static let ofFish = #"""
        # Completion of iounit in fish: the program says what may stand where.
        function __iounit_offers
            set -l words (commandline -opc)
            set -l word (commandline -ct)
            set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
            string match -q '*/*' -- "$program"; and test -f "$program" -a -x "$program"
            or set program (command -s iounit); or return
            set -l lines ($program complete fish -- $words[2..] "$word" 2>/dev/null)
            set -q lines[2]; or return
            set -l before (string sub -l $lines[1] -- "$word")
            for line in $lines[2..]
                if test "$line" = :files
                    # As fish completes what follows a command that it does not know.
                    complete -C "'' "(string sub -s (math 1 + $lines[1]) -- "$word") | string replace -r '^' -- "$before"
                else
                    printf '%s\n' "$before$line"
                end
            end
        end
        complete -c iounit -f -a '(__iounit_offers)'
        """#
}
