import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("On PipeWire", .serialized)
struct PipeWireTests {
    private let server: PipeWireServer

    init() throws { server = try PipeWireServer() }

    @Test func `what is played is recorded to the bit, and in order`() throws {
        let folder = try TemporaryFolder()
        try NumberedFrames.file(frames: 480_000).write(folder("ramp.wav"))
        let run = try PipeWireRun(on: server, source: folder("ramp.wav"), ["--bypass"])
        try run.waitForSound()
        #expect(server.ports().contains("iounit:in_1"))
        let (report, files) = try run.end()
        #expect(report["resets"] as? Int == 0 && files.count == 1)
        let file = try #require(files.first)
        #expect(file.sampleRate == 48000 && file.channels.count == 2)
        let frames = NumberedFrames(in: file)
        #expect(frames.strays == 0, "a sample that was not played")
        #expect(frames.isInOrder && frames.numbers.count > 24_000)
        // PipeWire makes and ends the two channels' links in cycles of its own choice.
        #expect(frames.halves <= 16 * 256)
        // Where PipeWire was late for one of the two clients, there is a step.
        #expect(frames.skips * 1000 < frames.numbers.count)
    }

    @Test func `jitter and compare measure against its period, and the unit's latency is what it declares`() throws {
        let jitter = try server.iounit(["jitter", "--seconds", "1", "--warmup", "0.2", "--json"])
        #expect(try jitter.end() == 0, "\(jitter.err)")
        let measured = try Measured(jitter.out)
        #expect(abs(try measured.number(0, "nominalNanoseconds") - 256.0 / 48000 * 1e9) < 1e-6)
        let lost = try measured.number(0, "lostNanoseconds")
        #expect(try measured.number(0, "callbacks") * 256 / 48000 + lost / 1e9 > 0.26)
        let p50 = try measured.number(0, "interval", "p50")
        #expect((0.5...2).contains(p50 / (256.0 / 48000 * 1e9)), "an interval is a period")

        let compare = try server.iounit([
            "compare", "--seconds", "1", "--warmup", "0.2", "--json", "--queue", "512",
        ])
        #expect(try compare.end() == 0, "\(compare.err)")
        let both = try Measured(compare.out)
        #expect(both.names == ["callback", "queued 512"])
        #expect(try both.number(1, "declaredLatencyFrames") == 2 * 512)
        if try both.number(1, "droppedFrames") + both.number(1, "insertedFrames") == 0,
            let found = both.modes[1]["latencyFrames"] as? Double
        {
            #expect(abs(found - 1024) < 0.1)
        }
    }

    @Test func `a change of its quantum is an event, and the recording goes on`() throws {
        let run = try PipeWireRun(on: server)
        for quantum in [64, 1024] {
            try server.set("clock.force-quantum", to: quantum)
            try run.wait(until: "the period is now \(quantum) frames")
            try run.waitForSound()
        }
        let (report, files) = try run.end()
        #expect((report["server"] as? [String: Any])?["periodFrames"] as? Int == 1024)
        #expect(abs(try unaccounted(report)) < 0.3)
        #expect(files.count == 1 && abs(files[0].pitch - 440) < 5)
    }

    @Test func `a change of its rate splits the recording, each part at its own rate`() throws {
        let run = try PipeWireRun(on: server)
        for rate in [44100, 48000] {
            try server.set("clock.force-rate", to: rate)
            try run.wait(until: "the sample rate is now \(rate) Hz")
            try run.waitForSound()
        }
        let (report, files) = try run.end()
        #expect(files.map(\.sampleRate) == [48000, 44100, 48000])
        try expectTone(in: files, report)
        #expect(report["resets"] as? Int == 0, "the unit has not left the graph")
        let events = try #require(report["events"] as? [[String: Any]])
        #expect(events.count { $0["event"] as? String == "sampleRateChanged" } == 2)
    }

    @Test func `a change of its rate is converted where that is wanted`() throws {
        let run = try PipeWireRun(on: server, ["--on-rate-change", "convert"])
        try server.set("clock.force-rate", to: 44100)
        try run.wait(until: "the sample rate is now 44100 Hz")
        try run.waitForSound()
        let (report, files) = try run.end()
        #expect(files.map(\.sampleRate) == [48000])
        try expectTone(in: files, report)
    }

    @Test func `doctor knows whose libjack it is`() throws {
        let run = try server.iounit(["doctor", "--verbose"])
        #expect([0, 1].contains(try run.end()))
        #expect(run.out.contains("Programs use PipeWire's libjack"), "\(run.out)")
    }
}
