import AudioDSP
import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@testable import CommandSyntax
@testable import iounit

@Suite("The manual and the completions that are installed")
struct InstalledHelpTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Writes what the built command prints.
    private func write(_ name: String, _ words: String...) throws -> String {
        let run = try CommandRun(["help"] + words)
        try #require(try run.end() == 0, "\(run.err)")
        try run.out.write(toFile: folder(name), atomically: true, encoding: .utf8)
        return folder(name)
    }

    private func oneLine(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    @Test func `there is a page of the program, of each subcommand and of each topic`() throws {
        let run = try CommandRun.run("help", "--man")
        let wanted =
            ["iounit.1"] + Command.subcommands.map(\.syntax).map { "iounit-\($0.name).1" }
            + Topic.all.map { "iounit-\($0.name).7" }
        #expect(run.code == 0 && run.out.split(separator: "\n").map(String.init) == wanted)
        let page = try CommandRun.run("help", "--man", "iounit.1").out
        for syntax in Command.subcommands.map(\.syntax) {
            #expect(page.contains("\n.BR iounit\\-\(syntax.name) (1)\n\(syntax.summary.prefix(6))"))
        }
        for code in ExitCode.allCases { #expect(page.contains("\n.B \(code.rawValue)\n")) }
        #expect(page.hasPrefix(".TH IOUNIT 1 \(Release.date) \"iounit \(Release.version)\""))
    }

    @Test(arguments: [
        ["--man", "iounit-none.1"], ["--man", "a", "b"], ["--completion", "tcsh"], ["--completion"], ["--no"],
    ])
    func `what is none of that is refused`(words: [String]) throws {
        let run = try CommandRun(["help"] + words)
        #expect(try run.end() == 64 && run.out.isEmpty && run.err.contains("--man"))
    }

    @Test func `neither man nor mandoc has anything to say against a page`() throws {
        let paths = try InstalledHelp(Command.subcommands.map(\.syntax)).pages.map {
            try write($0.file, "--man", $0.file)
        }
        let lint = try CommandRun.tool("mandoc", ["-Tlint", "-Wwarning"] + paths)
        #expect(lint.code == 0 && lint.out.isEmpty && lint.err.isEmpty, "\(lint.out)\(lint.err)")
        let man = try CommandRun.tool("env", ["LC_ALL=C.UTF-8", "man", "--warnings", "--local-file"] + paths)
        #expect(man.code == 0 && man.err.isEmpty, "\(man.err)")
        #expect(man.out.count { $0 == "\n" } > 100 * paths.count, "each page is there")
    }

    /// As it is read: of two programs' settings, and without the breaks of lines.
    @Test func `each page says what the help says`() throws {
        for syntax in Command.subcommands.map(\.syntax) {
            let path = try write("page", "--man", "iounit-\(syntax.name).1")
            let run = try CommandRun.tool("mandoc", "-Tutf8", "-Owidth=1000", path)
            var page = String.UnicodeScalarView()
            for scalar in run.out.unicodeScalars {
                // Bold is a character over itself.
                if scalar == "\u{8}" { page.removeLast() } else { page.append(scalar) }
            }
            let words = oneLine(String(page))
            for option in syntax.options {
                let value = option.value.map { option.isValueOptional ? " [\($0)]" : " \($0)" } ?? ""
                #expect(
                    words.contains(" --\(option.name)\(value) \(oneLine(option.help))"),
                    "\(option.name)")
            }
            for line in syntax.notes.split(separator: "\n") {
                #expect(words.contains(oneLine(String(line))), "\(line)")
            }
            #expect(words.contains("\(syntax.name) - \(syntax.summary)"))
        }
    }

    @Test func `a word that an option takes is in its help`() {
        for syntax in Command.subcommands.map(\.syntax) {
            for option in syntax.options {
                for word in option.choices {
                    #expect(option.help.contains(word), "\(syntax.name) --\(option.name) \(word)")
                }
            }
        }
    }

    @Test func `zsh and fish can read theirs`() throws {
        let zsh = try CommandRun.tool("zsh", "-n", try write("_iounit", "--completion", "zsh"))
        #expect(zsh.code == 0 && zsh.err.isEmpty, "\(zsh.err)")
        let fish = try CommandRun.tool("fish", "--no-execute", try write("iounit.fish", "--completion", "fish"))
        #expect(fish.code == 0 && fish.err.isEmpty, "\(fish.err)")
    }

    /// fish can be asked what it would offer.
    @Test func `fish offers options and their words`() throws {
        let script = try write("iounit.fish", "--completion", "fish")
        func offers(_ line: String) throws -> [String] {
            let run = try CommandRun.tool(
                "env", "HOME=\(folder(""))", "fish", "--no-config", "-c", "source \(script); complete -C '\(line)'")
            #expect(run.code == 0, "\(run.err)")
            return run.out.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        }
        #expect(Set(try offers("iounit mon")) == ["monitor"])
        #expect(Set(try offers("iounit --server stage mon")) == ["monitor"])
        #expect(Set(try offers("iounit --dum")) == ["--dummy"])
        #expect(Set(try offers("iounit monitor --shape ")) == Set(Shape.allCases.map(\.name)))
        let options = Set(
            Command.subcommands.map(\.syntax).first { $0.name == "ports" }?.options.map { "--\($0.name)" } ?? [])
        #expect(Set(try offers("iounit ports --")) == options)
        #expect(Set(try offers("iounit preset ")) == ["save", "list", "show", "remove"])
        #expect(!(try offers("iounit preset show s")).contains("save"))
        #expect(Set(try offers("iounit monitor --no-by")) == ["--no-bypass"])
        #expect(!(try offers("iounit monitor --")).contains("--no-bypass"))
    }

    /// A folder of plug-ins with one in it.
    private func plugins() throws -> TemporaryFolder { try ProbeBundle.folder() }

    @Test func `fish offers plug-ins by their short names, behind the verbs that take them too`() throws {
        let path = try write("iounit.fish", "--completion", "fish")
        let bundle = try plugins()
        let program = URL(fileURLWithPath: CommandRun.program).deletingLastPathComponent().path
        func offers(_ line: String) throws -> [String] {
            let run = try CommandRun.tool(
                "env", "-C", folder(""), "PATH=\(program):/usr/bin:/bin", "LV2_PATH=\(bundle.path)", "fish",
                "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", path, line)
            #expect(run.code == 0 && run.err.isEmpty, "\(run.err)")
            return run.out.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) }
        }
        for line in ["monitor", "serve", "record", "play", "send", "convert"].map({ "iounit \($0) --plugin " }) {
            #expect(try offers(line) == ["probe/probe"], "\(line)")
        }
        #expect(try offers("iounit plugin info ") == ["probe/probe"])
        #expect(try offers("iounit plugin check pro") == ["probe/probe"])
        #expect(try offers("iounit plugin ") == ["check", "info", "list"])
        #expect(try offers("iounit plugin list pro").isEmpty)
    }

    @Test func `zsh offers plug-ins by their short names, behind the verbs that take them too`() throws {
        let bundle = try plugins()
        let program = URL(fileURLWithPath: CommandRun.program).deletingLastPathComponent().path
        try zshOffers(
            [
                ("iounit monitor --plugin pro", "be/probe"), ("iounit plugin info pro", "info probe/probe"),
                ("iounit plugin check pro", "check probe/probe"),
            ], "PATH=\(program):/usr/bin:/bin", "LV2_PATH=\(bundle.path)")
    }

    @Test func `zsh offers the actions of preset, and takes a flag back`() throws {
        try zshOffers([
            ("iounit preset s", "save"), ("iounit preset rem", "remove"), ("iounit monitor --no-byp", "--no-bypass"),
        ])
    }

    @Test func `zsh offers words with a colon in them`() throws {
        try zshOffers([
            ("iounit monitor --voice speex:", "speex:off"), ("iounit record --voice=webrtc:", "webrtc:off"),
        ])
    }

    /// zsh shows what it offers on a terminal alone: what is typed there, and what comes behind a tabulator.
    private func zshOffers(_ lines: [(typed: String, offered: String)], _ variables: String...) throws {
        _ = try write("_iounit", "--completion", "zsh")
        let script = #"""
            zmodload zsh/zpty
            zpty shell zsh -f -i
            ask() {
                local text
                zpty -w -n shell $'\C-u'"$1"$'\t'
                zpty -r -m shell text "*$2*" && print -r -- "$2"
            }
            zpty -w shell 'PS1=; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; print rea""dy'
            zpty -r -m shell text '*ready*'
            for line offered in "$@"; do ask "$line" "$offered"; done
            zpty -d shell
            """#
        let words = lines.flatMap { [$0.typed, $0.offered] }
        let run = try CommandRun.tool(
            "env",
            ["-C", folder(""), "TERM=dumb"] + variables + ["timeout", "60", "zsh", "-f", "-c", script, "zsh"] + words)
        let offered = lines.map { $0.offered + "\n" }.joined()
        #expect(run.code == 0 && run.out == offered, "\(run.out)\(run.err)")
    }
}

/// Asks a real bash what the function would offer.
@Suite("Completion in bash", .privateServer())
struct BashCompletionTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let run = try CommandRun.run("help", "--completion", "bash")
        try run.out.write(toFile: folder("iounit.bash"), atomically: true, encoding: .utf8)
    }

    /// - Parameter breaks: what bash breaks words at beside blanks.
    private func offers(_ line: String, breaks: String = "=:", plugins: String = "/nowhere") throws -> [String] {
        let script = """
            source "$1"
            COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDBREAKS=$' \\t\\n'$3
            # As readline does it: each character that words are broken at is a word of its own.
            split=$COMP_LINE
            for ((index = 0; index < ${#3}; index++)); do split=${split//"${3:index:1}"/ ${3:index:1} }; done
            read -r -a COMP_WORDS <<< "$split"
            if [[ $COMP_LINE == *' ' ]]; then COMP_WORDS+=(''); fi
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            complete -p iounit > /dev/null || exit 9
            _iounit
            for word in "${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done
            """
        let program = URL(fileURLWithPath: CommandRun.program).deletingLastPathComponent().path
        let run = try CommandRun(
            [
                "-C", folder(""), "PATH=\(program):/usr/bin:/bin", "LV2_PATH=\(plugins)", "bash", "--norc", "-c",
                script, "bash",
                folder("iounit.bash"), line, breaks,
            ],
            program: "/usr/bin/env")
        #expect(try run.end() == 0)
        #expect(run.err.isEmpty, "\(run.err)")
        return run.out.split(separator: "\n").map(String.init)
    }

    @Test func `offers the subcommands, and what begins with what is there`() throws {
        #expect(
            Set(try offers("iounit "))
                == Set(Command.subcommands.map(\.syntax).map(\.name) + ["help", "--help", "--version"]))
        #expect(try offers("iounit rec") == ["record", "receive"])
        #expect(try offers("iounit help fig") == ["figures"])
    }

    @Test func `offers each option of each subcommand, and no other`() throws {
        for syntax in Command.subcommands.map(\.syntax) {
            #expect(try offers("iounit \(syntax.name) --") == syntax.options.map { "--\($0.name)" }, "\(syntax.name)")
        }
        #expect(try offers("iounit monitor --dummy --anti") == ["--antialias"])
        // Before the subcommand too.
        let first = try offers("iounit --")
        for option in ["--server", "--dummy", "--json", "--preset", "--no-config", "--help", "--version"] {
            #expect(first.contains(option), "\(first)")
        }
        #expect(try offers("iounit --server stage -c 2 rec") == ["record", "receive"])
        #expect(try offers("iounit --server stage monitor --anti") == ["--antialias"])
        #expect(try offers("iounit --server stage monitor --shape as") == ["asymmetric"])
        #expect(try offers("iounit help --completion ") == ["bash", "zsh", "fish"])
        #expect(try offers("iounit help --sch") == ["--schema"])
        #expect(try offers("iounit monitor --no-by") == ["--no-bypass"])
        #expect(try offers("iounit monitor --no-connect") == ["--no-connect"])
        #expect(Set(try offers("iounit tune --no-")).isSuperset(of: ["--no-connect", "--no-config", "--no-json"]))
        #expect(try offers("iounit preset ") == ["save", "list", "show", "remove"])
        #expect(try offers("iounit preset sh") == ["show"])
        #expect(try offers("iounit preset show s") == [])
    }

    @Test func `offers the words that an option takes, behind a blank and behind an equals sign`() throws {
        for syntax in Command.subcommands.map(\.syntax) {
            for option in syntax.options where !option.choices.isEmpty {
                #expect(try offers("iounit \(syntax.name) --\(option.name) ") == option.choices)
            }
        }
        #expect(try offers("iounit monitor --shape=as") == ["asymmetric"])
        #expect(try offers("iounit monitor --shape=as", breaks: "") == ["--shape=asymmetric"])
        #expect(try offers("iounit monitor --gain ") == [])
        #expect(try offers("iounit monitor --bypass --sha").contains("--shape"))
    }

    @Test func `offers files where an option or a subcommand takes one`() throws {
        for name in ["take one.wav", "take.flac"] {
            #expect(FileManager.default.createFile(atPath: folder(name), contents: nil))
        }
        for line in [
            "iounit monitor --record ta", "iounit info ta", "iounit monitor --record=ta", "iounit record --force ta",
        ] {
            #expect(Set(try offers(line)) == ["take one.wav", "take.flac"], "\(line)")
        }
        #expect(try offers("iounit ports ta") == [])
    }

    @Test func `offers the ports of the server, in the direction that the option is about`() throws {
        let server = "--server \(PrivateServer.name)"
        let sources = ["system:capture_1", "system:capture_2"]
        #expect(Set(try offers("iounit monitor \(server) --input sys", breaks: "=")) == Set(sources))
        // Bash replaces what is behind the colon.
        #expect(Set(try offers("iounit monitor \(server) --input system:cap")) == ["capture_1", "capture_2"])
        #expect(
            Set(try offers("iounit monitor \(server) --output=system:", breaks: "=:")) == ["playback_1", "playback_2"])
        #expect(Set(try offers("iounit latency \(server) --return ", breaks: "=")) == Set(sources))
    }

    @Test func `offers plug-ins by their short names, or their URIs, behind the verbs that take them too`() throws {
        let bundle = try ProbeBundle.folder()
        for line in ["monitor", "serve", "record", "play", "send", "convert"].map({ "iounit \($0) --plugin pro" }) {
            #expect(try offers(line, plugins: bundle.path) == ["probe/probe"], "\(line)")
        }
        #expect(try offers("iounit plugin info ", plugins: bundle.path) == ["probe/probe"])
        #expect(try offers("iounit plugin check mda/x pro", plugins: bundle.path) == ["probe/probe"])
        #expect(try offers("iounit plugin list pro", plugins: bundle.path) == [])
        _ = FileManager.default.createFile(atPath: folder("prog.lv2"), contents: nil)
        #expect(try offers("iounit plugin check pro", plugins: bundle.path) == ["probe/probe", "prog.lv2"])
        // Two of the same short name.
        for host in ["a", "b"] {
            try FileManager.default.createDirectory(atPath: bundle("\(host)/x.lv2"), withIntermediateDirectories: true)
            try """
            @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
            <http://\(host)/x> a lv2:Plugin ; lv2:binary <x.so> .
            """.write(toFile: bundle("\(host)/x.lv2/manifest.ttl"), atomically: true, encoding: .utf8)
        }
        let both = "\(bundle("a")):\(bundle("b"))"
        #expect(try offers("iounit plugin info ht", breaks: "=", plugins: both) == ["http://a/x", "http://b/x"])
        #expect(try offers("iounit plugin info http:", plugins: both) == ["//a/x", "//b/x"])
        #expect(try offers("iounit record --plugin=ht", breaks: "=", plugins: both) == ["http://a/x", "http://b/x"])
    }

    @Test func `runs nothing that the name of a port says`() throws {
        let client = try Client(name: "evil", server: PrivateServer.name)
        _ = try client.register("$(touch ran) `touch ran`;x", .output)
        let active = try client.activate()
        let found = try offers("iounit monitor --server \(PrivateServer.name) --input evil", breaks: "=")
        #expect(found == [#"evil:\$\(touch\ ran\)\ \`touch\ ran\`\;x"#])
        #expect(!FileManager.default.fileExists(atPath: folder("ran")))
        try active.close()
    }
}
