import AudioDSP
import AudioReports
import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@testable import CommandSyntax
@testable import iounit

@Suite("Completion in zsh and fish", .privateServer())
struct ShellCompletionTests {
    private let folder: TemporaryFolder
    private let shells: Shells

    init() throws {
        folder = try TemporaryFolder()
        shells = Shells(folder)
    }

    @Test func `zsh and fish can read theirs`() throws {
        let zsh = try CommandRun.tool("zsh", "-n", try shells.completion("zsh"))
        #expect(zsh.code == 0 && zsh.err.isEmpty, "\(zsh.err)")
        let fish = try CommandRun.tool("fish", "--no-execute", try shells.completion("fish"))
        #expect(fish.code == 0 && fish.err.isEmpty, "\(fish.err)")
    }

    /// fish can be asked what it would offer.
    @Test func `fish offers options and their words`() throws {
        func offers(_ line: String) throws -> [String] { try shells.fishOffers(line) }
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

    @Test func `the first word of a list is offered, and the subcommands that presets can be of`() throws {
        #expect(try shells.fishOffers("iounit plugin check --fail-on cont") == ["contendedLock"])
        #expect(try shells.fishOffers("iounit preset list --of mon") == ["monitor"])
        try shells.zshCompletes([
            ("iounit plugin check --fail-on cont", "endedLock"), ("iounit record --voice-options hi", "ghpass"),
            ("iounit preset list --of mon", "itor"),
        ])
    }

    @Test func `the figures that can be limited are offered, and their value is written right behind`() throws {
        #expect(try shells.fishOffers("iounit compare --limit p9999") == ["p9999="])
        let keys = Set(Limit.Subject.latency.names.map { "\($0)=" })
        #expect(Set(try shells.fishOffers("iounit latency --limit ")) == keys)
        // What is typed next stands in the same word.
        let lines = ["iounit jitter --limit p9999", "iounit jitter --limit=p9999"]
        try shells.zshCompletes(lines.map { ("\($0)\t0", "p9999=0") })
        try shells.bashCompletes(lines.map { ("\($0)\t0", "p9999=0") })
    }

    @Test func `the figures whose change can be limited are offered, and their value is written right behind`() throws {
        // Of two candidates fish writes what they have in common, and no blank.
        #expect(try shells.fishOffers("iounit diff --fail-if p9999") == ["p9999+", "p9999+0%"])
        let keys = Set(try shells.fishOffers("iounit diff --fail-if ").filter { $0.hasSuffix("+") })
        let names = [Limit.Subject.mode, .latency].flatMap { $0.names + $0.shortNames }
        #expect(keys == Set(names.map { "\($0)+" }))
        let lines = ["iounit diff --fail-if p9999", "iounit diff --fail-if=p9999"]
        try shells.zshCompletes(lines.map { ("\($0)\t0%", "p9999+0%") })
        try shells.bashCompletes(lines.map { ("\($0)\t0%", "p9999+0%") })
        #expect(try shells.fishOffers("iounit history --figures overr") == ["overruns"])
        try shells.zshCompletes([("iounit history --figures overr", "--figures overruns")])
    }

    /// A folder of plug-ins with one in it.
    private func plugins() throws -> TemporaryFolder { try ProbeBundle.folder() }

    @Test func `fish offers plug-ins by their short names, behind the verbs that take them too`() throws {
        let bundle = try plugins()
        func offers(_ line: String) throws -> [String] { try shells.fishOffers(line, "LV2_PATH=\(bundle.path)") }
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
        try shells.zshCompletes(
            [
                ("iounit monitor --plugin pro", "be/probe"), ("iounit plugin info pro", "info probe/probe"),
                ("iounit plugin check pro", "check probe/probe"),
            ], "LV2_PATH=\(bundle.path)")
    }

    @Test func `the program is asked that the line begins with, and else the one of PATH`() throws {
        let path = "PATH=/usr/bin:/bin"
        #expect(try shells.fishOffers("\(CommandRun.program) mon", path) == ["monitor"])
        #expect(try shells.fishOffers("~/nowhere/iounit mon") == ["monitor"])
        #expect(try shells.fishOffers("iounit mon", path).isEmpty)
        try shells.zshCompletes([("\(CommandRun.program) mon", "itor ")], path)
        try shells.zshCompletes([("~/nowhere/iounit mon", "itor ")])
    }

    @Test func `files are offered, in the word of their option too`() throws {
        #expect(FileManager.default.createFile(atPath: folder("take one.wav"), contents: nil))
        for line in ["monitor --record ", "monitor --record=", "info "] {
            let start = line.hasSuffix("=") ? "--record=" : ""
            #expect(try shells.fishOffers("iounit \(line)take") == ["\(start)take one.wav"], "\(line)")
            let far = try shells.fishOffers("iounit \(line)$T/ta", "T=\(folder.path)")
            #expect(far.contains { $0.hasSuffix("take one.wav") }, "\(line) \(far)")
        }
        try shells.zshCompletes([
            ("iounit monitor --record ta", #"take\ one.wav"#), ("iounit monitor --record=ta", #"take\ one.wav"#),
            ("iounit picture -ota", #"-otake\ one.wav"#),
        ])
    }

    @Test func `zsh offers the actions of preset, and takes a flag back`() throws {
        try shells.zshCompletes([
            ("iounit preset s", "save"), ("iounit preset rem", "remove"), ("iounit monitor --no-byp", "--no-bypass"),
        ])
    }

    @Test func `zsh offers the options of help`() throws {
        try shells.zshCompletes([
            ("iounit help --sch", "--schema"), ("iounit help --ma", "--man"),
            ("iounit help --completion fi", "--completion fish"), ("iounit help exit-c", "exit-codes"),
        ])
    }

    @Test func `zsh offers words with a colon in them`() throws {
        try shells.zshCompletes([
            ("iounit monitor --voice speex:", "speex:off"), ("iounit record --voice=webrtc:", "webrtc:off"),
        ])
    }

    @Test func `the ports offered are those of the server that the line names, with blanks in their names`() throws {
        let client = try Client(name: "My Synth", server: PrivateServer.name)
        for name in ["out 1", "out 2"] { _ = try client.register(name, .output) }
        let active = try client.activate()
        let forms = ["--server ", "--server=", "-s ", "-s", "-s=", "--server other --server "].map {
            $0 + PrivateServer.name
        }
        let lines = forms.flatMap { ["iounit monitor \($0) --input My", "iounit \($0) monitor --input My"] }
        for line in lines { #expect(try shells.fishOffers(line) == ["My Synth:out 1", "My Synth:out 2"], "\(line)") }
        try shells.zshCompletes(lines.map { ($0, #"\ Synth:out\ "#) })
        let output = "iounit monitor -s \(PrivateServer.name) --output system:"
        #expect(try shells.fishOffers(output) == ["system:playback_1", "system:playback_2"])
        try active.close()
    }

    @Test func `presets are offered, of the subcommand or all`() throws {
        let settings = "XDG_CONFIG_HOME=\(try Shells.presets(in: folder))"
        func fish(_ line: String) throws -> Set<String> { Set(try shells.fishOffers(line, settings)) }
        #expect(try fish("iounit preset show ") == ["warm", "wide", "night"])
        #expect(try fish("iounit preset remove w") == ["warm", "wide"])
        #expect(try fish("iounit monitor --preset ") == ["warm", "wide"])
        #expect(try fish("iounit record --preset=n") == ["--preset=night"])
        #expect(try fish("iounit --preset ") == ["warm", "wide", "night"])
        #expect(try fish("iounit compare --preset ") == ["seed"])
        try shells.zshCompletes(
            [
                ("iounit preset show wa", "show warm"), ("iounit preset remove n", "remove night"),
                ("iounit monitor --preset wi", "--preset wide"), ("iounit record --preset ", "--preset night"),
                ("iounit record --preset=", "--preset=night"), ("iounit --preset ni", "--preset night"),
                ("iounit --preset=wid", "--preset=wide"), ("iounit compare --preset ", "--preset seed"),
            ], settings)
    }
}
