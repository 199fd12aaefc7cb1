import AudioIO
import AudioPlugins
import CommandTestSupport
import Glibc
import TestSupport
import Testing
import Threads

@testable import LiveRuns
@testable import PluginCommands

@Suite("Which plug-in made the unit late") struct PluginLatenessTests {
    /// Runs within a period of 10 ms, in tenths of it.
    private func runs(_ tenths: Double...) -> [PluginRunTime] {
        tenths.map { PluginRunTime(nanoseconds: UInt64($0 * 1e6), periodNanoseconds: 10_000_000) }
    }

    private func unit(_ count: UInt64) -> UnitLateness { UnitLateness(count: count) }

    @Test func `the one that took most of the period, where the unit was late, and nobody else`() {
        var lateness = PluginLateness(count: 3)
        #expect(lateness.note(runs(1, 9, 6), unit(0), atNanoseconds: 1) == nil && lateness.last == nil)
        #expect(lateness.note(runs(1, 12, 6), unit(1), atNanoseconds: 2)?.place == 1)
        #expect(lateness.last?.place == 1 && lateness.last?.run.share == 1.2 && lateness.counts == [0, 1, 0])
        #expect(lateness.last?.nanoseconds == 2)
        // Two that take over half of it.
        #expect(
            lateness.note(runs(1, 5.5, 6), unit(3), atNanoseconds: 3)?.place == 2 && lateness.counts == [0, 1, 1])
    }

    @Test func `nobody where none of them took half of it`() {
        var lateness = PluginLateness(count: 2)
        #expect(lateness.note(runs(4, 4.9), unit(7), atNanoseconds: 1) == nil && lateness.counts == [0, 0])
        var none = PluginLateness(count: 0)
        #expect(none.note([], unit(1), atNanoseconds: 1) == nil)
    }

    @Test func `one whose run was in the time before, of which it was told later, but once`() {
        var lateness = PluginLateness(count: 2)
        #expect(lateness.note(runs(20, 1), unit(0), atNanoseconds: 1) == nil)
        #expect(lateness.note(runs(1, 1), unit(1), atNanoseconds: 1)?.place == 0)
        #expect(lateness.note(runs(1, 1), unit(2), atNanoseconds: 1) == nil)
        #expect(lateness.note(runs(20, 1), unit(2), atNanoseconds: 1) == nil)
        #expect(lateness.note(runs(1, 1), unit(2), atNanoseconds: 1) == nil)
        #expect(lateness.note(runs(1, 1), unit(3), atNanoseconds: 1) == nil && lateness.counts == [1, 0])
    }

    @Test func `one whose thread may have been interrupted is not blamed alone`() {
        func words(_ looks: UnitLateness...) -> String? {
            var lateness = PluginLateness(count: 1)
            for look in looks { _ = lateness.note(runs(20), look, atNanoseconds: 1) }
            return lateness.last?.words("a/b")
        }
        let blamed = "the unit was late: a/b, plug-in 1, took 20.0 ms of a period of 10.0 ms"
        let remedy = "; use a longer period, or leave it out"
        let doubted = blamed + ", or was interrupted meanwhile" + remedy
        let late = { UnitLateness(count: $0, interruptions: $1) }
        #expect(words(late(0, 5), late(0, 5), late(1, 5)) == blamed + remedy)
        #expect(words(UnitLateness(count: 1, isRealtime: false)) == doubted)
        // Within the time in which the late cycle was, which is that of two looks.
        #expect(words(late(0, 5), late(0, 5), late(1, 6)) == doubted)
        #expect(words(late(0, 5), late(0, 6), late(1, 6)) == doubted)
        #expect(words(late(0, 5), late(0, 6), late(0, 6), late(1, 6)) == blamed + remedy)
        // Not known.
        #expect(
            words(late(0, nil), late(1, 6)) == blamed + remedy && words(late(0, 6), late(1, nil)) == blamed + remedy)
    }

    @Test func `what is seen of them begins with what was refused, and who was late goes after a while`() throws {
        let (slow, unruly) = (try ProbeBundle.folder(), try ProbeBundle.folder("unruly"))
        let nodes = [
            try Plugin("urn:iounit:probe", channels: 1, in: PluginList(path: slow.path)),
            try Plugin("urn:iounit:unruly", channels: 1, in: PluginList(path: unruly.path)),
        ]
        func set(_ place: Int, _ name: String, _ number: Double) throws {
            try nodes[place].parameters.first { $0.info.name == name }?.set(.number(number))
        }
        let chain = PluginChain(try ["probe", "unruly"].map { try PluginChoice($0) }, nodes)
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1, periodFrames: 256)
        try engine.connect(chain.connect(behind: engine.input, in: engine), to: engine.output)
        try engine.start()
        defer { engine.close() }
        // Longer than the period of 5.3 ms.
        try set(0, "burn", 8)
        _ = try engine.render(256, input: [])
        #expect(chain.look(unit(1)).count == 1)
        let now = MonotonicClock.nanoseconds()
        #expect(chain.trouble(atNanoseconds: now)?.contains("plug-in 1, took ") == true)
        #expect(chain.trouble(atNanoseconds: now + 11_000_000_000) == nil)
        try set(0, "burn", 0)
        try set(1, "misdeed", 1)
        for _ in 0..<4 { _ = try engine.render(512, input: []) }
        #expect(chain.look(unit(1)).count == 1)
        #expect(chain.trouble(atNanoseconds: now)?.contains("called exit,") == true)
        #expect(chain.reports[0].timesLate == 1)
    }

    @Test(arguments: ["monitor", "record"]) func `a slow plug-in is named, and an innocent one beside it is not`(
        subcommand: String
    ) throws {
        let (bundle, folder) = (try ProbeBundle.folder(), try TemporaryFolder())
        // Three periods in each.
        let run = try CommandRun(
            [
                subcommand, "--dummy", "--period", "256", "--seconds", "1", "--json", "--plugin",
                "probe/probe,gain=0.5",
                "--plugin", "probe/probe,burn=8",
            ] + (subcommand == "record" ? [folder("a.wav")] : []),
            environment: ["LV2_PATH": bundle.path])
        #expect(try run.end() == 0, "\(run.err)")
        #expect(
            run.err.components(separatedBy: "the unit was late: probe/probe, plug-in 2, took ").count == 2, "\(run.err)"
        )
        let report = try object(run.out)
        let chain = try #require(subcommand == "monitor" ? report["unit"] as? [String: Any] : report)
        let plugins = try #require(chain["plugins"] as? [[String: Any]])
        #expect(plugins.map { $0["timesLate"] as? Int ?? 0 > 0 } == [false, true], "\(plugins)")
        #expect(try #require(plugins[1]["longestRunMilliseconds"] as? Double) >= 15.9)
        #expect(try #require(plugins[1]["longestRunShare"] as? Double) >= 2.98)
        #expect(try #require(plugins[0]["longestRunMilliseconds"] as? Double) > 0)
    }

    @Test func `jitter measures a unit with plug-ins, and names the one that made it late`() throws {
        let bundle = try ProbeBundle.folder()
        let run = try CommandRun(
            [
                "jitter", "--dummy", "--period", "256", "--seconds", "1", "--warmup", "0.2", "--blame", "--json",
                "--plugin", "probe/probe,gain=0.5", "--plugin", "probe/probe,burn=8",
            ], environment: ["LV2_PATH": bundle.path])
        #expect(try run.end() == 0, "\(run.err)")
        let report = try object(run.out)
        let mode = try #require((report["modes"] as? [[String: Any]])?.first)
        #expect((mode["blame"] as? [String: Int])?["own"] ?? 0 > 0, "\(mode["blame"] ?? "none")")
        let plugins = try #require(report["plugins"] as? [[String: Any]])
        #expect(plugins.map { $0["timesLate"] as? Int ?? 0 > 0 } == [false, true], "\(plugins)")
        #expect(run.err.components(separatedBy: "plug-in 2, took ").count > 1, "\(run.err)")
    }

    @Test func `jitter measures a latency of plug-ins beyond the shortest signal`() throws {
        let bundle = try ProbeBundle.folder()
        let late = ["--plugin", "probe/probe,delay=500"]
        let run = try CommandRun(
            ["jitter", "--dummy", "--cycles", "100", "--json"] + late + late + late,
            environment: ["LV2_PATH": bundle.path])
        #expect(try run.end() == 0, "\(run.err)")
        let mode = try #require((try object(run.out)["modes"] as? [[String: Any]])?.first)
        #expect(mode["declaredLatencyFrames"] as? Int == 1500)
        // A machine that stalls may not let it be measured.
        if let found = mode["latencyFrames"] as? Double { #expect(abs(found - 1500) < 1, "\(run.err)") }
    }

    @Test func `jitter tells the latency of its unit's plug-ins, as declared and as measured`() throws {
        let (bundle, folder) = (try ProbeBundle.folder(), try TemporaryFolder())
        let run = try CommandRun(
            [
                "jitter", "--dummy", "--cycles", "100", "--json", "--csv", folder("a.csv"), "--plugin",
                "probe/probe,delay=300",
            ], environment: ["LV2_PATH": bundle.path])
        #expect(try run.end() == 0, "\(run.err)")
        let report = try object(run.out)
        let mode = try #require((report["modes"] as? [[String: Any]])?.first)
        #expect(mode["declaredLatencyFrames"] as? Int == 300)
        // A machine that stalls may not let it be measured.
        if let found = mode["latencyFrames"] as? Double { #expect(abs(found - 300) < 1, "\(run.err)") }
        #expect((report["plugins"] as? [[String: Any]])?.first?["latencyFrames"] as? Int == 300)
        // The log tells all of it again, and in words.
        let again = try CommandRun.run("jitter", "--from", folder("a.csv"), "--json")
        #expect(again.code == 0 && again.out == run.out, "\(again.err)")
        let table = try CommandRun.run("jitter", "--from", folder("a.csv")).out
        #expect(table.contains(/\n  plug-in +probe\/probe,/), "\(table)")
        let plain = try MadeUpRuns()
        let log = try plain.log("b.csv", seed: 1, deviation: 1000, facts: [#"run: {"plugins":[]}"#])
        let diff = try CommandRun.run("diff", folder("a.csv"), log)
        #expect(diff.out.contains(/plug-ins\s+probe\/probe,\S*delay=300\S*\s+and\s+none/), "\(diff.out)\(diff.err)")
    }

    @Test func `jitter refuses a plug-in where no unit runs`() throws {
        let (code, out, err) = try CommandRun.run("jitter", "--from", "a.csv", "--plugin", "probe/probe")
        #expect(code == 64 && out.isEmpty)
        #expect(err.contains("--plugin"), "\(err)")
    }

    @Test func `who was late can be read by OSC, while parameters of the same plug-in are set`() throws {
        let bundle = try ProbeBundle.folder()
        let run = try CommandRun(
            [
                "monitor", "--dummy", "--period", "256", "--osc", "0", "--json", "--plugin", "probe/probe", "--plugin",
                "probe/probe,burn=8",
            ], environment: ["LV2_PATH": bundle.path])
        let surface = try OSCSurface(run)
        func number(_ name: String) throws -> Float {
            switch try surface.ask(OSCMessage("/iounit/\(name)")).arguments.first {
            case .integer(let number): Float(number)
            case .float(let number): number
            default: -1
            }
        }
        try run.wait(until: "it is named") {
            (try? number("plugin/2/run/late") > 2 && number("plugin/2/run/longest") >= 15.9) ?? false
        }
        // A machine that stalls may stall in the other one, but not every time.
        #expect(try number("plugin/1/run/late") < number("plugin/2/run/late"))
        #expect(try number("plugin/2/run/share") >= 2.98)
        try surface.set(OSCMessage("/iounit/plugin/2/burn", .float(0)))
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
    }

    @Test func `none is named where the unit is in time`() throws {
        let run = try CommandRun([
            "monitor", "--offline", "--seconds", "1", "--plugin", "fomp/reverb", "--json",
        ])
        #expect(try run.end() == 0 && !run.err.contains("late"), "\(run.err)")
        let unit = try #require(try object(run.out)["unit"] as? [String: Any])
        let plugin = try #require((unit["plugins"] as? [[String: Any]])?.first)
        #expect(plugin["timesLate"] as? Int == 0)
        #expect(try #require(plugin["longestRunMilliseconds"] as? Double) > 0)
    }
}
