import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("The equaliser from the command line") struct EqualiserOptionTests {
    @Test func `a band of -6 dB at the tone lowers it by 6 dB, and the object tells of each band`() throws {
        let run = try CommandRun.run(
            "monitor", "--offline", "--source", "tone:1000", "--seconds", "1", "--eq", "peak:1k:-6dB:1", "--eq",
            "highpass:20", "--json")
        #expect(run.code == 0, "\(run.err)")
        let report = try object(run.out)
        // The tone has a peak of 0.25, and so a level of -15.05 dB.
        let level = try #require((report["rmsDecibels"] as? [Double])?.first)
        #expect(abs(level + 21.05) < 0.2, "\(level)")
        let unit = try #require(report["unit"] as? [String: Any])
        let bands = try #require(unit["equaliser"] as? [[String: Any]])
        #expect(bands.map { $0["kind"] as? String } == ["peak", "highpass"])
        #expect(bands.first?["decibels"] as? Double == -6 && bands.first?["hertz"] as? Double == 1000)
    }

    @Test(arguments: [
        ("bell:1k:3", "the kinds are peak, lowshelf"), ("peak", "a frequency from 10"),
        ("peak:5:3", "a frequency from 10"),
        ("peak:1k", "a gain from -24"), ("peak:1k:-30", "a gain from -24"), ("peak:1k:3:0", "a Q from 0.1"),
        ("lowpass:1k:1:1", "too much after"), ("peak:1k:3:1:1", "too much after"), ("", "the kinds are"),
    ]) func `a band that is none is one sentence and 64`(word: String, reason: String) throws {
        let run = try CommandRun.run("monitor", "--dummy", "--eq", word)
        #expect(run.code == 64 && run.err.contains(reason), "\(run.err)")
        #expect(run.err.split(separator: "\n").count == 1)
    }

    /// The rate is the server's, and so known only once it is there.
    @Test func `a band beyond half the sample rate is refused, and no server or file is left`() throws {
        let folder = try TemporaryFolder()
        let words = ["monitor", "--dummy", "--rate", "44.1k", "--record", folder("a.wav"), "--seconds", "0.1"]
        let high = try CommandRun(words + ["--eq", "peak:1k:-3", "--eq", "lowpass:99k"])
        #expect(
            try high.end() == 64 && high.err.contains("--eq lowpass:99000 has no effect: at 44100 Hz"), "\(high.err)")
        #expect(high.err.contains("below 22050 Hz") && folder.names.isEmpty)
        let edge = try CommandRun(words + ["--eq", "lowpass:22050"])
        #expect(try edge.end() == 64 && edge.err.contains("--eq lowpass:22050 has no effect"), "\(edge.err)")
        let below = try CommandRun(words + ["--eq", "lowpass:22049"])
        #expect(try below.end() == 0, "\(below.err)")
    }
}
