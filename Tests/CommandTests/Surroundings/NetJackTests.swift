import Foundation
import TestSupport
import Testing

@Suite("On NetJack2", .serialized, .ownServers)
struct NetJackTests {
    @Test func `what is played is recorded to the bit at the far end, and back at this one`() throws {
        let net = try NetJack()
        let folder = try TemporaryFolder()
        // Longer than the recordings take on any machine.
        try NumberedFrames.file(frames: 1_040_000).write(folder("numbers.wav"))
        let far = try RecordingRun(
            on: net.far, ["--bypass", "--input", "^system:capture", "--output", "^system:playback"], source: nil)
        let near = try RecordingRun(
            on: net.near, ["--bypass", "--name", "recorder", "--input", "^stage:from_slave", "--output", "none"],
            source: nil)
        let player = try CommandRun([
            "monitor", "--server", net.near, "--bypass", "--name", "player", "--source", folder("numbers.wav"),
            "--output", "^stage:to_slave",
        ])
        try waitUntil("it plays, or has ended", within: 60) {
            !player.isRunning
                || (try? connections("player", on: net.near).contains("player:out_2 stage:to_slave_2")) == true
        }
        guard player.isRunning else {
            // In 1 of 14 runs, on a busy machine, a jackd with netmanager answered nobody for 7 s. The unit must say so.
            #expect(try player.end() == 69)
            #expect(player.err.contains("JACK does not answer"), "\(player.err)")
            return withKnownIssue { Issue.record("the master with its netmanager stood still: nothing was played") }
        }
        try near.waitForSound(frames: 72_000)
        try far.waitForSound(frames: 30_000)
        for run in [near, far] {
            _ = try run.end(by: SIGINT)
            let frames = NumberedFrames(in: try SoundFile(reading: run.path))
            #expect(frames.strays == 0, "what nobody has played")
            #expect(frames.halves <= 16 * 1024, "one channel is connected before the other")
            #expect(frames.isInOrder && frames.numbers.count > 24_000)
            // A stall may hold up the one client and not the other.
            #expect(frames.skips * 1000 < frames.numbers.count)
        }
        player.send(SIGINT)
        #expect(try player.end() == 130)
    }

    /// A slave without its master runs on, without ports of a card; only its net driver's two seconds of patience are missing.
    @Test func `a slave that loses its master goes on, and is heard again by one of another rate`() throws {
        let net = try NetJack()
        let run = try RecordingRun(on: net.far)
        let before = try connections("iounit", on: net.far)
        try net.endMaster()
        try run.wait(until: "the server stands still")
        try run.wait(until: "iounit: running")
        try run.wait(until: "iounit:out_2 → system:playback_2 is gone")
        try run.waitForSound()
        try net.startMaster(sampleRate: 44_100)
        try run.wait(until: "iounit:out_2 → system:playback_2 is back")
        try run.wait(until: "the sample rate is now 44100 Hz")
        try run.waitForSound(frames: 22_050)
        #expect(try connections("iounit", on: net.far) == before)
        let report = try run.end(by: SIGINT)
        #expect(report["resets"] as? Int == 0)
        #expect(try #require(report["lostNanoseconds"] as? Int) > 500_000_000)
        let files = try segments(of: report)
        #expect(files.map(\.sampleRate) == [48_000, 44_100])
        try expectTone(in: files, report)
    }

    @Test func `a slave that took itself for its master is refused in one sentence`() throws {
        let name = "iounit-\(getpid())-slave"
        let slave = try NetJack.slaveOfItself(named: name)
        let run = try CommandRun.run("monitor", "--server", name, "--seconds", "0.3")
        #expect(run.code == 69)
        #expect(run.err.contains("runs at 0 Hz") && run.err.split(separator: "\n").count == 1, "\(run.err)")
        slave.send(SIGKILL)
        #expect(try slave.end() == -SIGKILL)
    }
}
