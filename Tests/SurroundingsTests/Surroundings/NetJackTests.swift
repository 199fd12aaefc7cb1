import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite(
    "On NetJack2", .serialized, .ownServers,
    .enabled(if: Cable.isPermitted, "network namespaces may not be made here"))
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
        guard player.isRunning else { return try expectStandstill(player) }
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
        #expect(try player.end() == -SIGINT)
    }

    /// In 1 of 14 runs, on a busy machine, a jackd with netmanager answered nobody for 7 s. The unit must say so.
    private func expectStandstill(_ run: CommandRun) throws {
        #expect(try run.end() == 69)
        #expect(run.err.contains("JACK does not answer"), "\(run.err)")
        withKnownIssue { Issue.record("the master with its netmanager stood still") }
    }

    /// The way there and back takes as many periods as the slave is given, and the ports say so; from the slave to the master
    /// and back it takes one more, of which they say nothing. What is sent is heard at its level, through the unit at the other
    /// end.
    @Test(arguments: [(256, 2, true), (1024, 5, false)])
    func `its latency is measured from either end as its ports declare it`(
        period: Int, latency: Int, isNear: Bool
    ) throws {
        let net = try NetJack(periodFrames: period, latency: latency)
        let (server, other) = isNear ? (net.near, net.far) : (net.far, net.near)
        let ports = [("^stage:from_slave", "^stage:to_slave"), ("^system:capture", "^system:playback")]
        let (mine, others) = isNear ? (ports[0], ports[1]) : (ports[1], ports[0])
        let unit = try CommandRun([
            "monitor", "--server", other, "--bypass", "--json", "--input", others.0, "--output", others.1,
        ])
        try waitUntil("the unit is connected, or has ended", within: 60) {
            !unit.isRunning || (try? connections("iounit", on: other).count) == 4
        }
        guard unit.isRunning else { return try expectStandstill(unit) }
        let expected = (isNear ? latency : latency + 1) * period
        // Two rounds of 0.7 s are needed, and both servers may stand still meanwhile.
        let run = try CommandRun([
            "latency", "--server", server, "--send", "\(mine.1)_1$", "--return", "\(mine.0)_1$", "--seconds", "6",
            "--expect", "\(expected)", "--json",
        ])
        if try run.end() == 69 { return try expectStandstill(run) }
        let report = try object(run.out)
        let round = try #require(report["latency"] as? [String: Any], "\(run.out)")
        #expect(abs(try #require(round["frames"] as? Double) - Double(expected)) < 0.1, "\(round)")
        #expect(abs(try #require(round["levelDecibels"] as? Double)) < 0.1, "\(round)")
        let declared = try #require(report["declared"] as? [String: Any], "\(run.out)")
        #expect(declared["minFrames"] as? Int == latency * period && declared["maxFrames"] as? Int == latency * period)
        unit.send(SIGINT)
        #expect(try unit.end() == -SIGINT, "\(unit.err)")
        // As loud as it was sent.
        let peak = try #require(try object(unit.out)["peakDecibels"] as? [Any]).first as? Double
        #expect(abs((peak ?? 0) + 12) < 0.5, "\(peak ?? 0)")
    }

    @Test func `what jitter tells of a slave and its master adds up to the run`() throws {
        let net = try NetJack(periodFrames: 256)
        for server in [net.far, net.near] {
            let run = try CommandRun(["jitter", "--server", server, "--seconds", "1", "--warmup", "0.2", "--json"])
            if try run.end() == 69 { return try expectStandstill(run) }
            let measured = try Measured(run.out)
            let nominal = 256.0 / 48_000 * 1e9
            #expect(try measured.number(0, "nominalNanoseconds") == nominal)
            let cycles = try measured.number(0, "callbacks")
            // Between the first cycle and the last: a master that stands still may do so at the end.
            let intervals = try measured.number(0, "interval", "count") * measured.number(0, "interval", "mean")
            let told = (cycles - 1) * nominal + (try measured.number(0, "lostNanoseconds"))
            #expect(cycles > 10 && (0.8...1.25).contains(told / intervals), "\(told) of \(intervals) ns on \(server)")
        }
    }

    /// A slave without its master runs on, without ports of a card; only its net driver's two seconds of patience are missing,
    /// and not even they where the driver gives up at once.
    @Test func `a slave that loses its master goes on, and is heard again by one of another rate`() throws {
        let net = try NetJack()
        let run = try RecordingRun(on: net.far)
        let before = try connections("iounit", on: net.far)
        try net.endMaster()
        try run.wait(until: "iounit:out_2 → system:playback_2 is gone")
        let stoodStill = run.run.err.contains("the server stands still")
        try run.waitForSound()
        try net.startMaster(sampleRate: 44_100)
        try run.wait(until: "iounit:out_2 → system:playback_2 is back")
        try run.wait(until: "the sample rate is now 44100 Hz")
        try run.waitForSound(frames: 22_050)
        #expect(try connections("iounit", on: net.far) == before)
        let report = try run.end(by: SIGINT)
        #expect(report["resets"] as? Int == 0)
        #expect(try !stoodStill || #require(report["lostNanoseconds"] as? Int) > 500_000_000)
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
