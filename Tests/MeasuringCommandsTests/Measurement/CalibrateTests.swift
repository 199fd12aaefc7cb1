import CommandTestSupport
import Foundation
import Testing

@Suite("A calibration from the command line")
struct CalibrateTests {
    @Test func `says of each kind of stall what was caused and found, and a verdict that its code repeats`() throws {
        let run = try CommandRun.run("jitter", "--calibrate", "--dummy", "--sync", "--period", "128")
        #expect(run.err.isEmpty)
        let lines = run.out.split(separator: "\n")
        #expect(lines.contains("sync mode, 128 frames at 48000 Hz"))
        for kind in ["our callback stalls", "a client before us stalls", "the server is stopped"] {
            let line = try #require(lines.first { $0.hasPrefix("  " + kind) }, "\(run.out)")
            #expect(line.hasSuffix("ok") || line.hasSuffix("FAILED"))
            #expect(line.contains(" ± "))
        }
        let verdict = try #require(lines.last)
        // A machine that stalls in the midst of it may fail; the rest of the tests says whether the instruments do.
        #expect(verdict.hasPrefix(run.code == 0 ? "The calibration passed" : "The calibration FAILED"), "\(verdict)")
        #expect(run.code == 0 || run.code == 1)
        #expect(lines.contains { $0.hasSuffix("FAILED") || $0.hasPrefix("  FAILED") } == (run.code == 1))
    }

    @Test func `does not pass where it is interrupted`() throws {
        let run = try CommandRun(["jitter", "--calibrate"])
        try run.wait(until: "it says what it does") { run.out.contains("Stalls of known length") }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
        #expect(run.out.contains("The calibration was interrupted"))
        #expect(!run.out.contains("passed"))
    }
}
