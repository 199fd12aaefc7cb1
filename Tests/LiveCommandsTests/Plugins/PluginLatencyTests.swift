import AudioReports
import CommandTestSupport
import Glibc
import TestSupport
import Testing

@testable import LiveRuns
@testable import PluginCommands

@Suite("Plug-ins whose latency changes in a run") struct PluginLatencyTests {
    @Test func `are named once, and each change is kept`() {
        var latencies = PluginLatencies([0, 300])
        #expect(latencies.last == nil)
        #expect(latencies.note(1, "a/b", frame: 10, latencyFrames: 300, atNanoseconds: 1) == nil, "as before")
        #expect(
            latencies.note(1, "a/b", frame: 512, latencyFrames: 400, atNanoseconds: 2)
                == "a/b, plug-in 2, is 400 frames late since frame 512 of its input, and was 300 before: what is recorded or sent "
                + "from there on is 100 frames later")
        #expect(latencies.note(1, "a/b", frame: 1024, latencyFrames: 0, atNanoseconds: 3) == nil)
        #expect(
            latencies.last?.words.hasSuffix(
                "was 400 before: what is recorded or sent from there on is 400 frames earlier")
                == true)
        #expect(latencies.last?.nanoseconds == 3)
        #expect(latencies.changes.map { $0.map(\.frame) } == [[], [512, 1024]])
        for place in 0..<500 {
            _ = latencies.note(0, "c/d", frame: place, latencyFrames: place + 1, atNanoseconds: 4)
        }
        #expect(latencies.changes[0].count == 100)
    }

    @Test func `a recording says so, and its report says where`() throws {
        let (bundle, folder) = (try ProbeBundle.folder(), try TemporaryFolder())
        let run = try CommandRun(
            [
                "record", "--dummy", "--no-connect", "--osc", "0", "--json", "--plugin", "probe/probe,counts=1",
                folder("a.wav"),
            ], environment: ["LV2_PATH": bundle.path])
        let surface = try OSCSurface(run)
        try run.wait(until: "it records") { run.err.contains("recording") }
        try surface.set(OSCMessage("/iounit/plugin/1/delay", .float(300)))
        try run.wait(until: "it is told") {
            // Who reads a figure of the plug-in takes the sentence from nobody.
            _ = try? surface.ask(OSCMessage("/iounit/plugin/1/run/late"))
            return run.err.contains("probe/probe, plug-in 1, is 300 frames late since frame ")
        }
        try surface.set(OSCMessage("/iounit/plugin/1/delay", .float(100)))
        // Until the plug-in has run with it.
        func cycles() throws -> Int32 {
            guard case .integer(let count)? = try surface.ask(OSCMessage("/iounit/cycles")).arguments.first else {
                return 0
            }
            return count
        }
        let before = try cycles()
        try run.wait(until: "it is known") { ((try? cycles()) ?? 0) > before + 2 }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        #expect(run.err.components(separatedBy: "frames late since").count == 2, "\(run.err)")
        let plugin = try #require((try object(run.out)["plugins"] as? [[String: Any]])?.first)
        let changes = try #require(plugin["latencyChanges"] as? [[String: Any]])
        #expect(changes.map { $0["latencyFrames"] as? Int } == [300, 100], "\(changes)")
        let frames = changes.compactMap { $0["frame"] as? Int }
        #expect(frames.count == 2 && frames[0] > 0 && frames[0] < frames[1])
    }
}
