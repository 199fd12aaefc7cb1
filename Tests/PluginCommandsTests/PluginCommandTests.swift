import CommandTestSupport
import Foundation
import PluginTestSupport
import TestSupport
import Testing

@Suite("iounit plugin")
struct PluginCommandTests {
    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func `lists what is installed, and what has a pattern in its names`() throws {
        let path = try LV2Path("core", "fomp")
        let run = try CommandRun.run("plugin", "list", "AUTOwah", environment: path.environment)
        let row = run.out.split(separator: "\n").first { $0.hasPrefix("fomp/autowah ") }?.split(separator: " ").map(
            String.init)
        #expect(
            run.code == 0
                && row == ["fomp/autowah", "Auto-wah", "Filter", "Plugin", "1", "in,", "1", "out", "5", "parameters"],
            "\(run.out)")
        let none = try CommandRun.run("plugin", "list", "no such thing", environment: path.environment)
        #expect(none.code == 0 && none.out.contains("No plug-in has \"no such thing\" in its names"))
        let list = try CommandRun.run("plugin", "list", "--json")
        try SchemaCheck.expect("plugins", describes: list.out)
        let all = try object(list.out)
        let plugins = try #require(all["plugins"] as? [[String: Any]])
        #expect(all["schema"] as? String == "iounit.plugins/1" && plugins.count > 100)
        #expect(Set(plugins.compactMap { $0["uri"] as? String }).count == plugins.count)
    }

    @Test func `names those that have a pattern in their names, a line each, for shells`() throws {
        let bundle = try ProbeBundle.folder()
        let path = "\(bundle.path):/usr/lib/lv2/fomp.lv2/.."
        let some = try CommandRun.run("plugin", "list", "--names", "PRO", environment: ["LV2_PATH": bundle.path])
        #expect(some.code == 0 && some.out == "probe/probe\n" && some.err.isEmpty)
        let all = try CommandRun.run("plugin", "list", "--names", environment: ["LV2_PATH": path])
        let names = all.out.split(separator: "\n").map(String.init)
        #expect(names.contains("fomp/autowah") && names.contains("probe/probe") && names == names.sorted())
        let none = try CommandRun.run("plugin", "list", "--names", environment: ["LV2_PATH": "/nowhere"])
        #expect(none.code == 0 && none.out.isEmpty)
    }

    /// lilv reads a description to its end, which these do not have.
    @Test(arguments: ["pipe", "device", "length", "another file", "another folder"])
    func `a bundle whose description has no end is left out and named, and the list goes on`(_ kind: String) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder("fomp.lv2"), withDestinationPath: "/usr/lib/lv2/fomp.lv2")
        try FileManager.default.createDirectory(
            atPath: folder("endless.lv2/more/data"), withIntermediateDirectories: true)
        let others = ["another file": "presets.ttl", "another folder": "more/data/presets.ttl"]
        let file = others[kind] ?? "manifest.ttl"
        let path = folder("endless.lv2/\(file)")
        // Only a bundle is searched.
        if others[kind] != nil { try Data().write(to: URL(fileURLWithPath: folder("endless.lv2/manifest.ttl"))) }
        switch kind {
        case "device": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
        case "length":
            try Data().write(to: URL(fileURLWithPath: path))
            try #require(truncate(path, 1 << 40) == 0)
        default: try #require(mkfifo(path, 0o600) == 0)
        }
        let environment = ["LV2_PATH": folder.path]
        for words in [[], ["--names"]] {
            let run = try CommandRun(["plugin", "list"] + words, environment: environment)
            #expect(try run.end() == 0 && run.out.contains("fomp/autowah"), "\(run.err)")
            #expect(run.err.hasPrefix("iounit: \(folder("endless.lv2"))/ is left out: its \(file) "), "\(run.err)")
            #expect(run.err.split(separator: "\n").count == 1)
        }
        let info = try CommandRun.run("plugin", "info", "endless/endless", environment: environment)
        #expect(info.code == 66 && info.err.contains("endless.lv2/ is left out"), "\(info.err)")
        let known = try CommandRun.run("plugin", "info", "fomp/autowah", environment: environment)
        #expect(known.code == 0 && known.err.isEmpty, "\(known.err)")
        let named = "iounit: \(folder("endless.lv2"))/ is left out: its \(file) "
        for words in [["fomp/autowah"], ["--all", "auto-wah"]] {
            let run = try CommandRun(["plugin", "check"] + words, environment: environment)
            #expect(try run.end() == 0 && run.out.contains("1 of 1 real-time safe"), "\(run.out)")
            #expect(run.err.hasPrefix(named) && run.err.split(separator: "\n").count == 1, "\(run.err)")
        }
        let unknown = try CommandRun.run("plugin", "check", "endless/endless", environment: environment)
        #expect(unknown.code == 66 && unknown.err.hasPrefix(named), "\(unknown.err)")
        let bundle = try CommandRun.run("plugin", "check", folder("endless.lv2"), environment: environment)
        #expect(
            bundle.code == 65 && bundle.err.contains("endless.lv2 cannot be checked: its \(file) "), "\(bundle.err)")
        try FileManager.default.removeItem(atPath: folder("fomp.lv2"))
        let none = try CommandRun.run("plugin", "check", "--all", environment: environment)
        #expect(none.code == 66 && none.err.contains("no plug-in of LV2 is installed"), "\(none.err)")
    }

    @Test func `shows one by its short name or its URI`() throws {
        let run = try CommandRun.run("plugin", "info", "fomp/autowah")
        #expect(run.code == 0 && run.out.contains("library     /usr/lib/lv2/fomp.lv2/autowah.so"), "\(run.out)")
        #expect(run.out.contains("\n  drive  Drive  a number from -20 to 20 (0)\n"), "\(run.out)")
        let same = try CommandRun.run("plugin", "info", "http://drobilla.net/plugins/fomp/autowah")
        #expect(same.out == run.out)
        let json = try object(CommandRun.run("plugin", "info", "dj_eq-swh/dj_eq_mono", "--json").out)
        #expect(json["schema"] as? String == "iounit.plugin/1" && json["latencyFrames"] as? Int == 3)
        let ports = try #require(json["ports"] as? [[String: Any]])
        #expect(ports.contains { $0["purpose"] as? String == "latency" && $0["direction"] as? String == "output" })
    }

    @Test func `a preset with a comma in its name is named by its URI, which info shows`() throws {
        let bundle = try ProbeBundle.folder("stereo")
        let info = try CommandRun.run("plugin", "info", "stereo/stereo", environment: ["LV2_PATH": bundle.path])
        #expect(info.out.contains("\n  Reset, all=1  urn:iounit:stereo#all"), "\(info.out)\(info.err)")
        func monitor(_ plugin: String) throws -> (code: Int32, err: String) {
            let words = ["monitor", "--offline", "--seconds", "0.1", "--plugin", plugin]
            let run = try CommandRun(words, environment: ["LV2_PATH": bundle.path])
            return (try run.end(), run.err)
        }
        let named = try monitor("stereo/stereo,preset=Reset, all=1")
        #expect(named.code == 66 && named.err.contains("(by its URI, urn:iounit:stereo#all)"), "\(named.err)")
        let odd = try monitor("stereo/stereo,preset=Reset, all")
        #expect(odd.code == 64 && odd.err.contains("is named by its URI"), "\(odd.err)")
        let chosen = try monitor("stereo/stereo,preset=urn:iounit:stereo#all")
        #expect(chosen.code == 0, "\(chosen.err)")
    }

    @Test func `a trigger is something to be done, and is not among the settings`() throws {
        let bundle = try ProbeBundle.folder("stereo")
        let info = try CommandRun.run("plugin", "info", "stereo/stereo", environment: ["LV2_PATH": bundle.path])
        #expect(info.out.contains(/\n  reset +Reset +something to be done\n/), "\(info.out)")
        let json = try object(
            CommandRun.run("plugin", "info", "stereo/stereo", "--json", environment: ["LV2_PATH": bundle.path]).out)
        let ports = try #require(json["ports"] as? [[String: Any]])
        let triggers = ports.filter { $0["trigger"] as? Bool == true }
        #expect(triggers.map { $0["symbol"] as? String } == ["reset", "jump"])
        #expect(triggers.map { $0["initial"] as? Double } == [0, -1])
        let run = try CommandRun.run(
            "monitor", "--offline", "--seconds", "0.1", "--json", "--plugin", "stereo/stereo,reset=1",
            environment: ["LV2_PATH": bundle.path])
        let unit = try #require(try object(run.out)["unit"] as? [String: Any])
        let plugin = try #require((unit["plugins"] as? [[String: Any]])?.first)
        #expect(plugin["setting"] as? String == "stereo/stereo,jump=-1", "\(run.err)")
    }

    @Test func `what a plug-in prints, by whichever function, is no part of the report`() throws {
        let bundle = try ProbeBundle.folder("unruly")
        let run = try CommandRun.run(
            "monitor", "--offline", "--seconds", "0.1", "--json", "--plugin", "unruly/unruly,misdeed=7",
            environment: ["LV2_PATH": bundle.path])
        let report = try object(run.out)
        // In seven ways, by an instance for each of the two channels.
        #expect(report["unit"] != nil && run.err.ranges(of: "printed").count == 14, "\(run.err)")
    }

    /// `bypass` is the host's parameter, and `preset` a word of --plugin.
    @Test(arguments: ["bypass", "preset"])
    func `info shows a parameter by the name that --plugin takes`(_ symbol: String) throws {
        let planted = try PlantedPlugin(nil)
        try planted.replace("\"gain\"", with: "\"\(symbol)\"")
        let environment = ["LV2_PATH": planted.path]
        let info = try CommandRun.run("plugin", "info", PlantedPlugin.uri, environment: environment)
        #expect(info.code == 0 && info.out.contains("\n  \(symbol)_port  Gain "), "\(info.out)")
        let plugin = "\(PlantedPlugin.uri),\(symbol)_port=1"
        let run = try CommandRun.run(
            "monitor", "--offline", "--seconds", "0.1", "--plugin", plugin, environment: environment)
        #expect(run.code == 0, "\(run.err)")
    }

    /// With ports of all kinds, presets, and none; made, and not.
    @Test(arguments: ["fomp/autowah", "mda/Piano", "mbeq-swh/mbeq", "calf/Equalizer30Band"])
    func `info has the fields of its schema`(_ plugin: String) throws {
        let run = try CommandRun.run("plugin", "info", plugin, "--json")
        #expect(run.code == 0, "\(run.err)")
        try SchemaCheck.expect("plugin", describes: run.out)
    }

    @Test(arguments: [
        ("CRASH_EARLY", "it crashes in instantiate"), ("EXIT_EARLY", "it ends the host's process in instantiate"),
    ])
    func `info of a plug-in that ends its host tells so, and all else`(fault: String, sentence: String) throws {
        let planted = try PlantedPlugin(fault)
        let run = try CommandRun.run("plugin", "info", PlantedPlugin.uri, environment: ["LV2_PATH": planted.path])
        #expect(run.code == 0 && run.out.contains("\ntrouble     \(sentence)\n"), "\(run.out)\(run.err)")
        #expect(run.out.contains("\nlatency     not known\n") && run.out.contains("\n  gain  Gain "), "\(run.out)")
        let json = try object(
            CommandRun.run("plugin", "info", PlantedPlugin.uri, "--json", environment: ["LV2_PATH": planted.path]).out)
        #expect(json["latencyFrames"] is NSNull && json["trouble"] as? String == sentence)
    }

    @Test func `info of a plug-in that declares no latency at all says what a run takes, and what it declares`() throws
    {
        let planted = try PlantedPlugin("TELLS=1e9")
        let run = try CommandRun.run("plugin", "info", PlantedPlugin.uri, environment: ["LV2_PATH": planted.path])
        #expect(
            run.code == 0 && run.out.contains("\nlatency     524287 frames: it declares 1e+09 frames"), "\(run.out)")
    }

    /// The loader would read from it until another program writes to it.
    @Test func `a plug-in whose library is a named pipe is refused`() throws {
        let planted = try PlantedPlugin(nil)
        let library = planted.bundle + "planted.so"
        try FileManager.default.removeItem(atPath: library)
        try #require(mkfifo(library, 0o600) == 0)
        let run = try CommandRun(
            ["monitor", "--offline", "--seconds", "0.1", "--plugin", PlantedPlugin.uri],
            environment: ["LV2_PATH": planted.path])
        #expect(try run.end() == 65 && run.err.contains("planted.so is no regular file"), "\(run.err)")
    }

    /// The first signal asks for an end between two blocks, and there is none. Five seconds later another one need not ask.
    @Test func `a conversion whose plug-in never returns is ended by a signal behind the first`() throws {
        let folder = try TemporaryFolder()
        let hung = folder("hung")
        let planted = try PlantedPlugin("DOES=({creat(\"\(hung)\",0600);for(;;)pause();})")
        try SoundFile(sampleRate: 48_000, channels: [[Float](repeating: 0, count: 480_000)]).write(folder("in.wav"))
        let run = try CommandRun(
            ["convert", folder("in.wav"), folder("out.wav"), "--plugin", PlantedPlugin.uri],
            // What it calls to hang is nothing for an audio thread, which the sanitizer need not end.
            environment: ["LV2_PATH": planted.path, "RTSAN_OPTIONS": "halt_on_error=false:symbolize=0"])
        try run.wait(until: "the plug-in hangs") { FileManager.default.fileExists(atPath: hung) }
        try run.wait(until: "it has ended") {
            run.send(SIGINT)
            return !run.isRunning
        }
        #expect(try run.end() == -SIGINT, "\(run.err)")
    }

    @Test func `says what is the matter with one that cannot be loaded`() throws {
        let run = try CommandRun.run("plugin", "info", "mbeq-swh/mbeq")
        #expect(run.code == 0 && run.out.contains("undefined symbol: fftwf_execute"), "\(run.out)")
    }

    @Test(arguments: [
        (["plugin", "info", "fomp/autowha"], 66, "did you mean fomp/autowah"),
        (["plugin", "info"], 64, "needs one plug-in"),
        (["plugin", "info", "--names", "fomp/autowah"], 64, "--names is for iounit plugin list"),
        (["plugin", "list", "--names", "--json"], 64, "exclude each other"),
        (["plugin", "lisst"], 64, "did you mean list?"), (["plugin", "list", "a", "b"], 64, "takes one pattern"),
    ])
    func `refuses what it does not understand`(_ words: [String], _ code: Int32, _ part: String) throws {
        let run = try CommandRun(words)
        #expect(try run.end() == code && run.err.contains(part) && run.out.isEmpty, "\(run.err)")
    }
}
