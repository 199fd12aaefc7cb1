import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("PipeWire's sample rate, changed while it is measured", .serialized)
struct PipeWireRateTests {
    private let server: PipeWireServer
    private let folder: TemporaryFolder

    init() throws {
        server = try PipeWireServer()
        folder = try TemporaryFolder()
    }

    /// A run on a terminal, which shows when it measures.
    private func iounit(_ words: String...) throws -> TerminalRun {
        try TerminalRun(words, environment: server.environment.merging(["TERM": "xterm-256color"]) { $1 })
    }

    private func changeRate() throws { try server.set("clock.force-rate", to: 44100) }

    /// A part of a run must fit the rate that it tells: exactly, whatever the machine did to its callbacks.
    private func check(_ part: [String: Any], frames: Int, rate: Int, _ location: SourceLocation = #_sourceLocation)
        throws
    {
        func number(_ path: String...) throws -> Double {
            let value = path.reduce(part as Any?) { ($0 as? [String: Any])?[$1] }
            return try #require((value as? NSNumber)?.doubleValue, "\(path)", sourceLocation: location)
        }
        #expect(part["frames"] as? Int == frames && part["sampleRate"] as? Int == rate, sourceLocation: location)
        let nominal = Double(frames) / Double(rate) * 1e9
        #expect(abs(try number("nominalNanoseconds") - nominal) < 1e-3, sourceLocation: location)
        let (shortest, longest) = (try number("interval", "min"), try number("interval", "max"))
        let farthest = max(abs(shortest - nominal), abs(longest - nominal))
        #expect(abs(try number("deviation", "max") - farthest) <= 1, "\(part)", sourceLocation: location)
    }

    private func parts(_ measured: Measured, _ mode: Int) throws -> [[String: Any]] {
        try #require(measured.modes[mode]["parts"] as? [[String: Any]])
    }

    @Test func `makes parts of a jitter run, each at its own rate, in the report as in the log`() throws {
        let log = folder("cycles.csv")
        let run = try iounit("jitter", "--seconds", "5", "--warmup", "0.2", "--json", "--csv", log)
        try run.waitUntilMeasuring()
        try changeRate()
        #expect(try run.end() == 0, "\(run.screen)")
        let measured = try Measured(run.out)
        let parts = try parts(measured, 0)
        try #require(parts.count == 2)
        try check(parts[0], frames: 256, rate: 48000)
        try check(parts[1], frames: 256, rate: 44100)
        #expect(measured.modes[0]["sampleRate"] as? Int == 48000)
        let verdict = try #require(measured.report["verdict"] as? String)
        #expect(verdict.contains("every 5.333 ms, then every 5.805 ms (the sample rate changed once)"), "\(verdict)")
        // The probe of its latency came afterwards, and may have heard too little.
        let rate = measured.modes[0]["latencySampleRate"] as? Int
        #expect(rate == (measured.modes[0]["latencyFrames"] is NSNull ? nil : 44100))

        let again = try CommandRun.run("jitter", "--from", log, "--json")
        #expect(again.code == 0, "\(again.err)")
        #expect(try Measured(again.out).modes[0] as NSDictionary == measured.modes[0] as NSDictionary)
    }

    @Test func `is that of the beginning where it changed during the warm-up`() throws {
        let run = try iounit("jitter", "--seconds", "4.5", "--warmup", "4", "--json")
        try run.wait(until: "warming up")
        try changeRate()
        #expect(try run.end() == 0, "\(run.screen)")
        let measured = try Measured(run.out)
        let parts = try parts(measured, 0)
        try #require(parts.count == 1)
        try check(parts[0], frames: 256, rate: 44100)
        #expect((measured.report["server"] as? [String: Any])?["sampleRate"] as? Int == 44100)
        #expect(abs(try measured.number(0, "nominalNanoseconds") - 256.0 / 44100 * 1e9) < 1e-3)
    }

    @Test func `makes parts of both modes of a comparison, whose latency is of the last`() throws {
        let run = try iounit("compare", "--seconds", "5", "--warmup", "0.2", "--json", "--queue", "512")
        try run.waitUntilMeasuring()
        try changeRate()
        #expect(try run.end() == 0, "\(run.screen)")
        let measured = try Measured(run.out)
        for (mode, frames) in [256, 512].enumerated() {
            let parts = try parts(measured, mode)
            try #require(parts.count == 2)
            try check(parts[0], frames: frames, rate: 48000)
            try check(parts[1], frames: frames, rate: 44100)
            let rate = measured.modes[mode]["latencySampleRate"] as? Int
            #expect(rate == (measured.modes[mode]["latencyFrames"] is NSNull ? nil : 44100))
        }
        let verdict = try #require(measured.report["verdict"] as? String)
        #expect(verdict.contains("the sample rate changed once"), "\(verdict)")
    }

    @Test func `begins a measurement of a latency again, which is then of the new rate`() throws {
        let run = try iounit(
            "latency", "--send", "sink:playback_FL", "--return", "sink:monitor_FL", "--seconds", "12", "--json")
        try run.waitUntilHeard()
        try changeRate()
        #expect(try run.end() == 0, "\(run.screen)")
        let report = try object(run.out)
        let trip = try #require(report["latency"] as? [String: Any], "\(report)")
        let frames = try #require(trip["frames"] as? Double)
        // What it plays, the sink's monitor tells a cycle later.
        #expect(abs(frames - 256) <= 0.01)
        #expect(abs(try #require(trip["milliseconds"] as? Double) - frames / 44.1) < 1e-9)
        #expect(report["restarts"] as? Int == 1)
        #expect((report["server"] as? [String: Any])?["sampleRate"] as? Int == 44100)
        let verdict = try #require(report["verdict"] as? String)
        #expect(
            verdict.hasSuffix(
                "; the server changed to 256 frames at 44100 Hz meanwhile, and what was heard before is left out."),
            "\(verdict)")
    }
}
