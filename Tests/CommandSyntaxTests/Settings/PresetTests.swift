import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("Presets and settings from the command line")
struct PresetTests {
    private let folder: TemporaryFolder
    private var config: String { folder("iounit/config") }

    init() throws { folder = try TemporaryFolder() }

    private func run(_ words: String...) throws -> (code: Int32, out: String, err: String) {
        let run = try CommandRun(words, environment: ["XDG_CONFIG_HOME": folder.path])
        return (try run.end(), run.out, run.err)
    }

    private func write(_ text: String) throws {
        try FileManager.default.createDirectory(atPath: folder("iounit"), withIntermediateDirectories: true)
        try text.write(toFile: config, atomically: true, encoding: .utf8)
    }

    private func text() throws -> String { try String(contentsOfFile: config, encoding: .utf8) }

    @Test func `a preset is saved, listed, shown, used and removed, and the rest of the file is left as it is`() throws
    {
        let mine = "# mine\n[monitor]\nchannels = 1\n"
        try write(mine)
        let saved = try run("preset", "save", "warm", "--", "monitor", "--shape", "tanh", "--drive", "12")
        #expect(saved.code == 0 && saved.err.contains("the preset warm is saved in \(config)"), "\(saved.err)")
        #expect(try text() == mine + "\n[preset warm]\ncommand = monitor\nshape = tanh\ndrive = 12\n")
        let mode = try FileManager.default.attributesOfItem(atPath: config)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("iounit")) == ["config"])
        #expect(try run("preset", "list").out == "warm  iounit monitor --shape tanh --drive 12\n")
        #expect(try run("preset", "show", "warm").out == "iounit monitor --shape tanh --drive 12\n")

        for words in [["monitor", "--preset", "warm"], ["--preset", "warm"], ["--preset=warm"]] {
            let run = try CommandRun(
                words + ["--dummy", "--seconds", "0.2", "--json", "--drive", "6"],
                environment: ["XDG_CONFIG_HOME": folder.path])
            #expect(try run.end() == 0, "\(run.err)")
            let unit = try #require(try object(run.out)["unit"] as? [String: Any])
            #expect(unit["shape"] as? String == "tanh" && unit["driveDecibels"] as? Double == 6)
            #expect(unit["channels"] as? Int == 1)
        }
        let other = try run("record", "--preset", "warm", "a.wav")
        #expect(other.code == 64 && other.err.contains("is of iounit monitor, not of iounit record"), "\(other.err)")

        #expect(try run("preset", "remove", "warm").code == 0)
        #expect(try text() == mine + "\n" || text() == mine)
        #expect(try run("preset", "list").out.contains("There is no preset"))
    }

    @Test func `queues of the settings that a server cannot have are an error with file and line`() throws {
        try write("[compare]\nsequential\nqueue = 480\nqueue = 10ms\n")
        let twins = try run("compare", "--dummy")
        #expect(twins.code == 78 && twins.err.contains("\(config):4: two queues of 480 frames"), "\(twins.err)")
        try write("[compare]\nqueue = 0.001ms\n")
        let short = try run("compare", "--dummy")
        #expect(short.code == 78 && short.err.contains("\(config):2: a buffer of 0.001 ms"), "\(short.err)")
    }

    @Test func `words behind a preset that says the subcommand are its arguments`() throws {
        try write("[preset look]\ncommand = info\nargument = kept.wav\n")
        let kept = try run("--preset", "look")
        #expect(kept.code == 66 && kept.err.contains("kept.wav"), "\(kept.err)")
        for words in [
            ["--preset", "look", "new.wav"], ["--preset=look", "new.wav"], ["--json", "--preset", "look", "new.wav"],
            ["--json", "new.wav", "--preset", "look"], ["--preset", "look", "--", "-new.wav"],
            ["--preset", "look", "info", "new.wav"],
        ] {
            let run = try CommandRun(words, environment: ["XDG_CONFIG_HOME": folder.path])
            #expect(try run.end() == 66, "\(words): \(run.err)")
            #expect(run.err.contains("new.wav") && !run.err.contains("kept.wav"), "\(words): \(run.err)")
        }
        let input = try run("--preset", "look", "-")
        #expect(input.code == 66 && input.err.contains("cannot read standard input"), "\(input)")
        // What is the name of a subcommand is one.
        let other = try run("--preset", "look", "ports")
        #expect(other.code == 64 && other.err.contains("is of iounit info, not of iounit ports"), "\(other.err)")
        // Without a preset there is no subcommand, and behind -- there is no preset.
        for words in [["--json", "new.wav"], ["--json", "--", "--preset", "look"]] {
            let run = try CommandRun(words, environment: ["XDG_CONFIG_HOME": folder.path])
            #expect(try run.end() == 64 && run.err.contains("subcommand"), "\(words): \(run.err)")
        }
    }

    @Test func `a preset is replaced on request alone`() throws {
        #expect(try run("preset", "save", "a", "--", "jitter", "--seconds", "1").code == 0)
        #expect(try run("preset", "save", "b", "--", "record", "--split", "1h").code == 0)
        let second = try run("preset", "save", "a", "--", "monitor", "--gain", "3")
        #expect(second.code == 73 && second.err.contains("--force"), "\(second.err)")
        #expect(try run("preset", "save", "--force", "a", "--", "monitor", "--gain", "3").code == 0)
        #expect(try run("preset", "list").out == "b  iounit record --split 1h\na  iounit monitor --gain 3\n")
        #expect(try run("preset", "list", "--of", "monitor").out == "a  iounit monitor --gain 3\n")
        #expect(try run("preset", "list", "--names").out == "b\na\n")
        #expect(try run("preset", "list", "--names", "--of", "record").out == "b\n")
        let none = try run("preset", "list", "--names", "--of", "send")
        #expect(none.code == 0 && none.out.isEmpty && none.err.isEmpty)
        #expect(try run("preset", "list", "--of", "send").out.hasPrefix("There is no preset of iounit send;"))
        let wrong = try run("preset", "list", "--of", "monitr")
        #expect(wrong.code == 64 && wrong.err.contains("\"monitr\" is none; did you mean monitor"), "\(wrong)")
    }

    @Test func `any words are kept as they were`() throws {
        let words = [
            "--title", " it's \"x\" #1\t\u{1b}[1m\\é ", "--comment", "\"quoted\" 'x'", "--artist=--x", "--artist", "",
            "--serve=127.0.0.1:99", "--", "a b.wav", "-c.wav",
        ]
        let run = try CommandRun(
            ["preset", "save", "odd", "--", "record"] + words, environment: ["XDG_CONFIG_HOME": folder.path])
        #expect(try run.end() == 0, "\(run.err)")
        let shown = try self.run("preset", "show", "odd").out
        #expect(!shown.contains("\t") && !shown.contains("\u{1b}"))
        let echoed = try CommandRun.tool("bash", "-c", "iounit() { printf '<%s>' \"$@\"; }; \(shown)")
        #expect(echoed.out == (["record"] + words).map { "<\($0)>" }.joined(), "\(echoed.out)")
    }

    @Test(arguments: [
        (["preset", "save", "x"], 64, "needs a command line"), (["preset", "save"], 64, "needs a name"),
        (["preset", "save", "a b", "--", "monitor"], 64, "letters, digits"),
        (["preset", "save", "x", "--", "preset", "list"], 64, "\"preset\" is none"),
        (["preset", "save", "x", "--", "monitr"], 64, "did you mean monitor?"),
        (["preset", "save", "x", "monitor", "--gain", "3"], 64, "write -- before the subcommand"),
        (["preset", "save", "x", "--", "monitor", "--gian", "3"], 64, "did you mean --gain?"),
        (["preset", "save", "x", "--", "monitor", "--gain", "loud"], 64, "--gain takes decibels"),
        (["preset", "save", "x", "--", "record", "--split", "no"], 64, "--split takes"),
        (["preset", "save", "x", "--", "info", ""], 64, "an argument is empty"),
        (["preset", "save", "x", "--", "monitor", "--preset", "y"], 64, "cannot be kept"),
        (["preset", "save", "seed", "--", "compare", "--dummy"], 64, "of its own"),
        (["preset", "save", "x", "--", "send", "--token", "sesame", "ws://a:1/"], 64, "file:PATH or env:NAME"),
        (["preset", "save", "x", "--", "send", "icecast://s:sesame@a:1/b"], 64, "a password in it"),
        (["preset", "save", "x", "--", "record", "--title", "a\nb", "c.wav"], 64, "line break"),
        (["preset", "show", "x"], 64, "no preset \"x\""), (["preset", "remove", "x"], 64, "no preset \"x\""),
        (["preset", "lst"], 64, "did you mean list?"), (["preset", "list", "x"], 64, "takes no name"),
        (["preset", "show", "x", "--names"], 64, "--names is for preset list"),
        (["preset", "--force", "list"], 64, "--force is for preset save"),
        (["monitor", "--preset", "x"], 64, "no preset \"x\""), (["--preset", "x"], 64, "no preset \"x\""),
        (["--preset"], 64, "needs a name"), (["monitor", "--no-config", "--preset", "x"], 64, "--no-config"),
    ])
    func `what cannot be is refused, and nothing is written`(
        _ words: [String], _ code: Int32, _ says: String
    ) throws {
        let run = try CommandRun(words, environment: ["XDG_CONFIG_HOME": folder.path])
        #expect(try run.end() == code, "\(run.err)")
        #expect(run.out.isEmpty && run.err.contains(says) && !run.err.contains("sesame"), "\(run.err)")
        #expect(!FileManager.default.fileExists(atPath: config))
    }

    @Test func `a folder that cannot be made is told of with the reason`() throws {
        _ = FileManager.default.createFile(atPath: folder("file"), contents: nil)
        let run = try CommandRun(
            ["preset", "save", "x", "--", "ports"], environment: ["XDG_CONFIG_HOME": folder("file")])
        #expect(try run.end() == 73)
        let place = folder("file/iounit")
        #expect(run.err == "iounit: cannot make the folder \(place) for the settings: File exists\n", "\(run.err)")
    }

    @Test func `settings that are wrong stop every subcommand but help, with file and line`() throws {
        try write("\nservr = x\n")
        for words in [["ports"], ["monitor", "--dummy"], ["preset", "list"], ["preset", "save", "x", "--", "ports"]] {
            let run = try CommandRun(words, environment: ["XDG_CONFIG_HOME": folder.path])
            #expect(try run.end() == 78)
            #expect(run.out.isEmpty && run.err.contains("\(config):2: "), "\(run.err)")
        }
        #expect(try text() == "\nservr = x\n")
        #expect(try run("monitor", "--help").code == 0 && run("--version").code == 0)
        #expect(try run("monitor", "--no-config", "--dummy", "--seconds", "0.1").code == 0)

        try write("[monitor]\nsource = tone:0\n")
        let refused = try run("monitor", "--dummy")
        #expect(refused.code == 78 && refused.err.contains("\(config):2: --source: "), "\(refused.err)")
        try write("[monitor]\nname = a:b\n")
        let unnamed = try run("monitor", "--dummy")
        #expect(unnamed.code == 78 && unnamed.err.contains("\(config):2: --name takes"), "\(unnamed.err)")
        // A value of any length gives one line of readable length.
        try write("[monitor]\nsource = tone:" + String(repeating: "9", count: 70_000) + "\n")
        let long = try run("monitor", "--dummy")
        #expect(long.code == 78 && long.err.utf8.count < 2100, "\(long.err.utf8.count)")
        #expect(
            long.err.hasPrefix("iounit: ") && long.err.contains("\(config):2: --source: ") && long.err.contains("9 … 9")
        )
        try FileManager.default.removeItem(atPath: config)
        try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: true)
        let unread = try run("ports")
        #expect(
            unread.code == 78 && unread.err.hasSuffix("mend it, or leave it out with --no-config\n"), "\(unread.err)")
        // preset has no --no-config.
        let list = try run("preset", "list")
        #expect(list.code == 78 && list.err.hasSuffix("it is no file; mend it\n"), "\(list.err)")
    }

    @Test func `a link to the settings stays a link, and two that save at once lose nothing`() throws {
        try write("")
        try FileManager.default.moveItem(atPath: config, toPath: folder("real"))
        try FileManager.default.createSymbolicLink(atPath: config, withDestinationPath: folder("real"))
        let runs = try (0..<6).map { number in
            try CommandRun(
                ["preset", "save", "p\(number)", "--", "ports"], environment: ["XDG_CONFIG_HOME": folder.path])
        }
        for run in runs { #expect(try run.end() == 0, "\(run.err)") }
        let names = try run("preset", "list").out.split(separator: "\n").map { $0.prefix(2) }
        #expect(names.sorted() == (0..<6).map { "p\($0)" })
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: config) == folder("real"))
    }
}
