import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@testable import CommandSyntax
@testable import iounit

/// Asks a real bash what the function would offer. One after the other: some tests add ports to the server, which others would
/// be offered.
@Suite("Completion in bash", .serialized, .privateServer())
struct BashCompletionTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let run = try CommandRun.run("help", "--completion", "bash")
        try run.out.write(toFile: folder("iounit.bash"), atomically: true, encoding: .utf8)
    }

    /// - Parameters:
    ///   - breaks: what bash breaks words at beside blanks.
    ///   - isOnPath: whether PATH names the folder of the program.
    private func offers(
        _ line: String, breaks: String = "=:", plugins: String = "/nowhere", settings: String = "/nowhere",
        isOnPath: Bool = true
    ) throws -> [String] {
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
                "-C", folder(""), "PATH=\(isOnPath ? program : "/nowhere"):/usr/bin:/bin", "LV2_PATH=\(plugins)",
                "XDG_CONFIG_HOME=\(settings)", "bash", "--norc", "-c", script, "bash", folder("iounit.bash"), line,
                breaks,
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

    @Test func `offers options, before the subcommand too`() throws {
        #expect(try offers("iounit monitor --dummy --anti") == ["--antialias"])
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
        #expect(try offers("iounit monitor --shape as") == ["asymmetric"])
        #expect(try offers("iounit monitor --shape=as") == ["asymmetric"])
        #expect(try offers("iounit monitor --shape=as", breaks: "") == ["--shape=asymmetric"])
        #expect(try offers("iounit monitor --gain ") == [])
        #expect(try offers("iounit monitor --bypass --sha").contains("--shape"))
    }

    @Test func `offers the first word of a list, and the subcommands that presets can be of`() throws {
        #expect(try offers("iounit plugin check --fail-on cont") == ["contendedLock"])
        #expect(try offers("iounit plugin check --allow fi") == ["first-block", "file"])
        #expect(try offers("iounit record --voice-options ") == ["echo", "noise", "gain", "highpass"])
        let subcommands = Command.subcommands.map(\.syntax).filter(\.takesSettings).map(\.name)
        #expect(try offers("iounit preset list --of ") == subcommands && !subcommands.contains("preset"))
    }

    @Test func `asks the program that the line begins with, and else the one of PATH`() throws {
        #expect(try offers("\(CommandRun.program) rec", isOnPath: false) == ["record", "receive"])
        #expect(try offers("~/nowhere/iounit rec") == ["record", "receive"])
        #expect(try offers("iounit rec", isOnPath: false).isEmpty)
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

    @Test(arguments: ["--server ", "--server=", "-s ", "-s", "-s=", "--server other --server "])
    func `asks the server that the line names, however it is named`(form: String) throws {
        let sources = ["system:capture_1", "system:capture_2"]
        let server = form + PrivateServer.name
        #expect(try offers("iounit monitor \(server) --input sys", breaks: "=") == sources)
        #expect(try offers("iounit \(server) monitor --input sys", breaks: "=") == sources)
    }

    @Test func `goes on in names with blanks, with backslashes and behind quotes`() throws {
        let client = try Client(name: "My Synth", server: PrivateServer.name)
        for name in ["out 1", "out 2", "it's $5"] { _ = try client.register(name, .output) }
        let active = try client.activate()
        let input = "iounit monitor -s \(PrivateServer.name) --input"
        #expect(try offers("\(input) My\\ Synth:out", breaks: "=") == [#"My\ Synth:out\ 1"#, #"My\ Synth:out\ 2"#])
        #expect(try offers("\(input) My\\ Synth:out\\ ") == [#"out\ 1"#, #"out\ 2"#])
        #expect(try offers("\(input)=My\\ Synth:i") == [#"it\'s\ \$5"#])
        #expect(try offers("\(input) \"My Synth:o") == ["My Synth:out 1", "My Synth:out 2"])
        #expect(try offers("\(input) \"My Synth:i") == [#"My Synth:it's \$5"#])
        #expect(try offers("\(input)='My Synth:i") == [#"My Synth:it'\''s $5"#])
        #expect(try offers("\(input) 'My Synth':ou") == [#"out\ 1"#, #"out\ 2"#])
        #expect(try offers("\(input) My Syn").isEmpty)

        // As it is typed, with a tabulator behind it.
        try Shells(folder).bashCompletes([
            ("\(input) My\\ Synth:o", #"My\ Synth:out\ "#), ("\(input) My\\ Synth:out\\ 1", #"My\ Synth:out\ 1 "#),
            ("\(input) \"My Synth:out 2", "\"My Synth:out 2\" "),
        ])
        try active.close()
    }

    @Test func `offers presets, of the subcommand or all`() throws {
        let settings = try Shells.presets(in: folder)
        #expect(try offers("iounit preset show ", settings: settings) == ["warm", "wide", "night"])
        #expect(try offers("iounit preset remove w", settings: settings) == ["warm", "wide"])
        #expect(try offers("iounit monitor --preset ", settings: settings) == ["warm", "wide"])
        #expect(try offers("iounit record --preset=n", settings: settings) == ["night"])
        #expect(try offers("iounit --preset ", settings: settings) == ["warm", "wide", "night"])
        #expect(try offers("iounit --preset=wa", settings: settings) == ["warm"])
        #expect(try offers("iounit compare --preset ", settings: settings) == ["seed"])
        #expect(try offers("iounit preset show warm --", settings: settings).contains("--names"))
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
        #expect(Set(try offers("iounit plugin check pro", plugins: bundle.path)) == ["probe/probe", "prog.lv2"])
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
