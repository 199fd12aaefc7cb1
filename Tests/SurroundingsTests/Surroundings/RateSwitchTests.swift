import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("A jackd that is switched to a driver of another rate while it runs", .serialized, .ownServers)
struct RateSwitchTests {
    private let name = "iounit-\(getpid())-switchable"
    private let server: ForeignProgram

    init() throws { server = try ForeignProgram("switchable.py", [name, "48000", "256"]) }

    @Test func `splits the recording, each part at its own rate and pitch`() throws {
        let run = try RecordingRun(on: name)
        let before = try connections("iounit", on: name)
        for (rate, period) in [(96_000, 256), (44_100, 512)] {
            #expect(try server.tell("\(rate) \(period)") == "switched")
            try run.wait(until: "the sample rate is now \(rate) Hz")
            try run.waitForSound(frames: rate / 2)
        }
        try run.wait(until: "the period is now 512 frames")
        try waitUntil("it is connected as before") { try connections("iounit", on: name) == before }
        let report = try run.end(by: SIGINT)
        let files = try segments(of: report)
        #expect(files.map(\.sampleRate) == [48_000, 96_000, 44_100])
        try expectTone(in: files, report)
        #expect(report["resets"] as? Int == 0, "the unit has not left the graph")
        let facts = try #require(report["server"] as? [String: Any])
        #expect(facts["sampleRate"] as? Int == 44_100 && facts["periodFrames"] as? Int == 512)
        try server.end()
    }

    @Test func `is converted to where that is wanted`() throws {
        let run = try RecordingRun(on: name, ["--on-rate-change", "convert"])
        #expect(try server.tell("44100 256") == "switched")
        try run.wait(until: "the sample rate is now 44100 Hz")
        try run.waitForSound(frames: 24_000)
        let report = try run.end(by: SIGINT)
        let files = try segments(of: report)
        #expect(files.map(\.sampleRate) == [48_000])
        try expectTone(in: files, report)
        try server.end()
    }
}
