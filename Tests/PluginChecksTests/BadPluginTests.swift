import Foundation
import PluginChecks
import PluginTestSupport
import TestSupport
import Testing
import Threads

/// Plug-ins that do what they like with the process, and bundles that are none.
@Suite("Bad plug-ins")
struct BadPluginTests {
    @Test func `a crash in a block says phase, control and place; one before it cannot be judged`() throws {
        let late = try PlantedPlugin("CRASH").result()
        #expect(late.verdict == .notSafe && late.failedKinds == [.crash])
        let finding = try #require(late.failures.first)
        #expect(finding.subject == "SIGSEGV" && finding.phase == "parameters" && finding.text == "gain = 1")
        #expect(finding.place?.library.hasSuffix("/planted.so") == true)

        let early = try PlantedPlugin("CRASH_EARLY").result()
        #expect(early.verdict == .notJudged && early.reason == "it crashes in instantiate")
    }

    @Test func `a preset that leads to itself, which fills the stack of its reader, is the plug-in's crash`() throws {
        let planted = try PlantedPlugin(nil)
        let uri = "\(PlantedPlugin.uri)#circle"
        try planted.replace(
            "] .",
            with: """
                ] .
                <\(uri)> a <http://lv2plug.in/ns/ext/presets#Preset> ; lv2:appliesTo <\(PlantedPlugin.uri)> ;
                    <http://lv2plug.in/ns/ext/state#state> [ <urn:key> _:circle ] .
                _:circle <urn:key> _:circle .
                """)
        let result = try planted.result()
        #expect(result.verdict == .notSafe && result.failedKinds == [.crash], "\(result.failures)")
        #expect(result.failures.first?.text == "reading preset <\(uri)>" && result.reason == "it crashes in presets")
    }

    @Test func `a crash that leaves its stack in ruins is told with its place all the same`() throws {
        let result = try PlantedPlugin("SMASH").result()
        #expect(result.verdict == .notSafe && result.failedKinds == [.crash] && result.failures.first?.count == 1)
        #expect(result.failures.first?.place?.library.hasSuffix("/planted.so") == true, "\(result.failures)")
        #expect(result.reason == "it crashes in steady")
    }

    /// The verdict is about blocks: what happens outside of them leaves phases open, and judges nothing.
    @Test(
        arguments: [
            ("CRASH_FREE", PluginVerdict.notJudged, "it crashes in free"),
            ("CRASH_DEACTIVATE", .notJudged, "it crashes in deactivate"),
            ("CRASH_ACTIVATE", .notJudged, "it crashes in activate"),
            ("FIRST_BLOCK_AND_FREE", .notJudged, "it crashes in free"),
            ("ALLOCATION_AND_FREE", .notSafe, "it crashes in free"),
            ("CRASH_FIRST", .notSafe, "it crashes in first block"),
        ])
    func
        `a crash when it is reset or freed judges no block, and one in the first block is no matter of the first block`(
            fault: String, verdict: PluginVerdict, reason: String
        ) throws
    {
        let result = try PlantedPlugin(fault).result()
        #expect(result.verdict == verdict && result.reason == reason, "\(result.verdict), \(result.failures)")
        #expect(result.verdict == .notSafe || result.summary == reason)
    }

    @Test func `what an instance tells comes of a process of its own, or it says why not`() throws {
        func instance(_ fault: String?, deadlineSeconds: Int = 20) throws -> ProbedInstance {
            let planted = try PlantedPlugin(fault)
            return ProbedInstance(
                uri: PlantedPlugin.uri, bundle: planted.bundle, try PlantedPlugin.probe,
                deadlineSeconds: deadlineSeconds)
        }
        let good = try instance("LATENCY")
        #expect(good.latencyFrames == 64 && good.trouble == nil)
        #expect(try instance("CRASH_EARLY").trouble == "it crashes in instantiate")
        #expect(try instance("EXIT_EARLY").trouble == "it ends the host's process in instantiate")
        let hanging = try instance("HANG_EARLY", deadlineSeconds: 5)
        #expect(hanging.trouble == "its time was over in instantiate" && hanging.latencyFrames == nil)
    }

    @Test(arguments: [("1e9", "1e+09", 524_287), ("INFINITY", "inf", 524_287), ("NAN", "nan", 0), ("-5", "-5", 0)])
    func `a latency that is none is taken as by a host, and told`(told: String, shown: String, taken: Int) throws {
        let planted = try PlantedPlugin("TELLS=\(told)")
        let text = "declares \(shown) frames, which is no latency; a host takes \(taken)"
        let result = try planted.result()
        let found = result.warnings.filter { $0.finding == .latency }
        #expect(result.verdict == .safe && found.map(\.text) == [text] && found.map(\.count) == [1], "\(found)")
        #expect(result.latency?.declaredFrames == Double(taken))
        let instance = ProbedInstance(uri: PlantedPlugin.uri, bundle: planted.bundle, try PlantedPlugin.probe)
        #expect(instance.latencyFrames == taken && instance.latencyNote == text && instance.trouble == nil)
    }

    @Test func `an interrupted check ends those that it is at, and has the results of those that were done`() throws {
        let (good, hanging) = (try PlantedPlugin(nil), try PlantedPlugin("HANG"))
        var check = PluginCheck(try PlantedPlugin.probe)
        check.jobs = 1
        // Longer than the test's own patience.
        check.deadlineSeconds = 3600
        var isDone = false
        let results = try check.results(of: [good.installed, hanging.installed, good.installed]) {
            isDone
        } report: { _ in
            isDone = true
        }
        #expect(results.map(\.verdict) == [.safe] && results.first?.bundle == good.bundle)
        try expectNoProcess(of: hanging)
    }

    private func expectNoProcess(of planted: PlantedPlugin) throws {
        // The kernel ends it a moment after the signal.
        try waitUntil("it has ended") {
            let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
            return !processes.contains { process in
                let words = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
                return words.contains(planted.bundle)
            }
        }
    }

    @Test func `a plug-in that ends its host is told, and the check goes on`() throws {
        let result = try PlantedPlugin("EXIT").result()
        #expect(result.verdict == .notSafe && result.failedKinds == [.exit])
        #expect(result.reason == "it ends the host's process in steady")
    }

    @Test func `a plug-in that ends its thread cannot be judged`() throws {
        let result = try PlantedPlugin("THREAD_EXIT").result()
        #expect(result.verdict == .notJudged, "\(result.reason)")
        #expect(result.reason.hasPrefix("it ends the host's process"))
    }

    @Test func `a name that begins with an equals sign is a name`() throws {
        let planted = try PlantedPlugin(nil)
        try planted.replace("doap:name \"Planted\"", with: "doap:name \"=true\"")
        #expect(try planted.installed.name == "=true")
        #expect(try planted.result().verdict == .safe)
    }

    @Test func `a line of the report is read whatever is written before it, and however long its texts are`() throws {
        let writing = try PlantedPlugin("WRITE").result()
        #expect(writing.verdict == .notSafe && writing.failedKinds == [.terminal, .file], "\(writing.findings)")

        let long = try PlantedPlugin(nil)
        try long.replace("\"Planted\"", with: "\"\(String(repeating: "\\\"", count: 20_000))\"")
        let name = try long.installed.name
        #expect(name.count > 1000 && name.allSatisfy { $0 == "\"" })
        #expect(try long.result().verdict == .safe)
    }

    @Test func `a port of events has the memory that it asks for, up to a bound that is told`() throws {
        let planted = try PlantedPlugin("EVENTS")
        func ask(for bytes: Int, insteadOf end: String) throws -> String {
            let port = """
                ] , [
                    a <http://lv2plug.in/ns/ext/atom#AtomPort> , lv2:OutputPort ;
                    lv2:index 4 ; lv2:symbol "events" ; lv2:name "Events" ;
                    <http://lv2plug.in/ns/ext/resize-port#minimumSize> \(bytes) ] .
                """
            try planted.replace(end, with: port)
            return port
        }
        let port = try ask(for: 8 << 20, insteadOf: "] .")
        let result = try planted.result()
        #expect(result.verdict == .safe && result.kinds.subtracting([.late]).isEmpty, "\(result.reason)")

        _ = try ask(for: 3_000_000_000, insteadOf: port)
        let greedy = try planted.result()
        #expect(greedy.verdict == .notJudged)
        #expect(greedy.reason == "it needs more than 16 MB of memory for its ports of events")
    }

    /// lilv makes room up to the greatest index, and has no port at all where one is missing.
    @Test(arguments: [
        (4, "its ports cannot be made"), (200_000_000, "it has more than 65536 ports"),
        (-1, "it has more than 65536 ports"),
    ])
    func `ports that are too many or not all there are told, and not run`(index: Int, reason: String) throws {
        let planted = try PlantedPlugin(nil)
        try planted.replace("lv2:index 3", with: "lv2:index \(index)")
        let result = try planted.result()
        #expect(result.verdict == .notJudged && result.reason == reason && result.findings.isEmpty)
    }

    @Test func `a library that the plug-in loads by its name is found where the plug-in's own file tells to look`()
        throws
    {
        let early = try PlantedPlugin("HELPER").result()
        #expect(early.verdict == .safe && early.kinds.subtracting([.late]).isEmpty, "\(early.reason)")
        // It ends the process where it finds none.
        let late = try PlantedPlugin("HELPER_IN_RUN").result()
        #expect(late.verdict == .notSafe && late.failedKinds == [.loader], "\(late.failures)")
    }

    @Test func `a plug-in that makes no instance cannot be judged`() throws {
        let result = try PlantedPlugin("NO_INSTANCE").result()
        #expect(result.verdict == .notJudged && result.findings.isEmpty && !result.reason.isEmpty)
    }

    @Test func `a report is whole where the plug-in closes descriptors, writes to all of them, or takes our handlers`()
        throws
    {
        let closing = try PlantedPlugin("CLOSE").result()
        #expect(closing.verdict == .safe && closing.kinds.subtracting([.late]) == [.foreignDescriptor])
        let noise = try PlantedPlugin("NOISE").result()
        #expect(noise.verdict == .safe && noise.kinds.subtracting([.late]).isEmpty, "\(noise.findings)")
        let forging = try PlantedPlugin("FORGE").result()
        #expect(forging.verdict == .safe && forging.kinds.subtracting([.late]).isEmpty, "\(forging.findings)")
        let full = try PlantedPlugin("NOT_WAITING").result()
        #expect(full.verdict == .safe && full.kinds.subtracting([.late]).isEmpty, "\(full.reason)")
        let handler = try PlantedPlugin("SIGNAL_HANDLER").result()
        #expect(handler.verdict == .safe && handler.kinds.subtracting([.late]) == [.signalHandler])
    }

    @Test(arguments: ["FORK", "FORK_AWAY"])
    func `a process that the plug-in has started is ended with it, also in a session of its own`(fault: String) throws {
        let planted = try PlantedPlugin(fault)
        let result = try planted.result()
        #expect(result.verdict == .safe && result.kinds.subtracting([.late]) == [.process])
        try expectNoProcess(of: planted)
    }

    @Test func `changed rounding is told, and put right before the next block`() throws {
        let result = try PlantedPlugin("FLOAT_STATE").result()
        #if arch(x86_64)
            #expect(result.verdict == .safe && result.kinds.subtracting([.late]) == [.floatState], "\(result.findings)")
            // Each block changes it again, which is seen only where it was put right between.
            #expect(result.findings.contains { $0.phase == "steady" && $0.blocks == 200 })
        #else
            #expect(result.verdict == .safe)
        #endif
    }

    @Test func `a binary that is none, and one with an undefined symbol, say why`() throws {
        let planted = try PlantedPlugin(nil)
        let plugin = try planted.installed
        try Data([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]).write(to: URL(fileURLWithPath: planted.bundle + "planted.so"))
        let check = PluginCheck(try PlantedPlugin.probe)
        let result = try #require(check.results(of: [plugin]).first)
        #expect(result.verdict == .notJudged && result.reason.hasPrefix("its binary cannot be loaded: "))
        try FileManager.default.removeItem(atPath: planted.bundle + "planted.so")
        let missing = try #require(check.results(of: [plugin]).first)
        #expect(missing.verdict == .notJudged && missing.reason.contains("planted.so"))
    }

    @Test func `a bundle with broken Turtle, a folder without a manifest, and no folder`() throws {
        let probe = try PlantedPlugin.probe
        let planted = try PlantedPlugin(nil)
        var selection = PluginSelection()
        selection.names = [planted.bundle]
        #expect(try selection.plugins(probe).map(\.uri) == [PlantedPlugin.uri])

        try "<urn:x> a lv2:Plugin ; ".write(toFile: planted.bundle + "manifest.ttl", atomically: true, encoding: .utf8)
        #expect(
            throws: PluginSearchError.unreadable(
                "\(planted.bundle) describes no plug-in that can be read; see its manifest.ttl")
        ) {
            try selection.plugins(probe)
        }
        try FileManager.default.removeItem(atPath: planted.bundle + "manifest.ttl")
        #expect(throws: PluginSearchError.self) { try selection.plugins(probe) }
        selection.names = ["/nowhere/x.lv2"]
        #expect(throws: PluginSearchError.notFound("there is no bundle /nowhere/x.lv2")) {
            try selection.plugins(probe)
        }
    }

    @Test func `a probe that has gone ends the check: it is no plug-in's fault`() throws {
        let folder = try TemporaryFolder()
        let planted = try PlantedPlugin(nil)
        let plugin = try planted.installed
        try FileManager.default.copyItem(atPath: PlantedPlugin.probe.path, toPath: folder("pluginprobe"))
        let check = PluginCheck(try PluginProbe(besideProgram: folder("iounit")))
        #expect(try check.results(of: [plugin]).map(\.verdict) == [.safe])
        try FileManager.default.removeItem(atPath: folder("pluginprobe"))
        #expect(throws: ResourceError.self) { try check.results(of: [plugin, plugin, plugin]) }
    }
}
