import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("A recording run outlives what happens in the graph", .serialized, .ownServers)
struct GraphFaultTests {
    /// An async server tells of a cycle that was late each period. With short ones jackd 1.9.21 fills the sockets of a
    /// stopped client and then its own, loses its place in that, and answers nobody any more.
    @Test(arguments: [(false, 4096), (true, 64)])
    func `stopped for three seconds, it counts them as lost and goes on`(_ isSync: Bool, _ period: Int) throws {
        var configuration = ServerConfiguration()
        configuration.isSync = isSync
        configuration.periodFrames = period
        let server = try Server(configuration)
        defer { server.stop() }
        let monitor = try RecordingRun(on: server.name)
        monitor.run.send(SIGSTOP)
        usleep(3_000_000)
        monitor.run.send(SIGCONT)
        try monitor.waitForSound()
        let report = try monitor.end(by: SIGINT)
        #expect(try #require(report["lostNanoseconds"] as? Int) > 2_800_000_000)
        #expect(abs(try unaccounted(report)) < 0.2)
        #expect(report["resets"] as? Int == 0)
        #expect(!monitor.run.err.contains("stands still"), "it was we who did")
    }

    @Test func `takes over each period while sound runs`() throws {
        let server = try Server()
        defer { server.stop() }
        let monitor = try RecordingRun(on: server.name)
        let other = try Client(name: "other", server: server.name).activate()
        let periods = [16, 4096, 32, 2048, 64]
        for period in periods {
            try other.setPeriod(frames: period)
            try monitor.wait(until: "the period is now \(period) frames")
            try monitor.waitForSound()
        }
        try other.close()
        let report = try monitor.end(by: SIGINT)
        #expect(abs(try unaccounted(report)) < 0.3)
        #expect((report["server"] as? [String: Any])?["periodFrames"] as? Int == 64)
        #expect(report["resets"] as? Int == 0)
    }

    @Test func `of cycles that were not all alike it tells how long the last was`() throws {
        let server = try Server()
        defer { server.stop() }
        let run = try CommandRun(["monitor", "--server", server.name, "--source", "tone"])
        try run.wait(until: "the first line of the log") { run.err.contains("peak") }
        let other = try Client(name: "other", server: server.name).activate()
        try other.setPeriod(frames: 1024)
        try run.wait(until: "the new period") { run.err.contains("the period is now 1024 frames") }
        try other.close()
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
        #expect(run.out.contains(/\d cycles, the last of 1024 frames at 48000 Hz \(/), "\(run.out)")
    }

    @Test func `records each frame of a server that freewheels`() throws {
        let server = try Server()
        defer { server.stop() }
        let monitor = try RecordingRun(on: server.name)
        let other = try Client(name: "other", server: server.name).activate()
        let start = ContinuousClock.now
        try other.setFreewheel(true)
        try monitor.wait(until: "freewheeling: each frame is rendered and recorded")
        try monitor.waitForSound()
        try other.setFreewheel(false)
        try monitor.wait(until: "running")
        try monitor.waitForSound()
        let passed = (ContinuousClock.now - start) / .seconds(1)
        try other.close()
        let report = try monitor.end(by: SIGINT)
        let recorded = try #require(report["recorded"] as? [String: Any])
        #expect(recorded["frames"] as? Int == report["frames"] as? Int)
        #expect(!monitor.run.err.contains("interrupted"), "\(monitor.run.err)")
        // The list tells which frames came faster than they last, and in what time.
        let freewheeled = try #require(recorded["freewheeledFrames"] as? Int)
        #expect(freewheeled > 4800)
        let span = try #require((monitor.sidecar["freewheels"] as? [[String: Any]])?.first)
        #expect(span["frames"] as? Int == freewheeled)
        let seconds = try #require((span["lengthNanoseconds"] as? NSNumber)?.doubleValue) / 1e9
        #expect(seconds > 0 && seconds <= passed, "\(span)")
    }

    /// With short periods a jackd on a busy machine was seen to answer nobody for 8 s after that.
    @Test func `does not mind a client that dies in the middle of its signal`() throws {
        var configuration = ServerConfiguration()
        configuration.periodFrames = 1024
        let server = try Server(configuration)
        defer { server.stop() }
        let monitor = try RecordingRun(on: server.name)
        let words = ["--name", "neighbour", "--input", "^iounit:out_1$", "--output", "^iounit:in_1$"]
        for _ in 0..<2 {
            let neighbour = try CommandRun(["monitor", "--server", server.name, "--channels", "1"] + words)
            try waitUntil("the neighbour is connected") {
                try connections("neighbour", on: server.name) == [
                    "neighbour:in_1 iounit:out_1", "neighbour:out_1 iounit:in_1",
                ]
            }
            neighbour.send(SIGKILL)
            #expect(try neighbour.end() == -SIGKILL)
            try monitor.waitForSound()
        }
        let report = try monitor.end(by: SIGINT)
        #expect(report["resets"] as? Int == 0)
    }

    @Test func `connects the ports of a peer again, however often they go, and follows their names`() throws {
        let server = try Server()
        defer { server.stop() }
        var mixer: Peer? = try Peer("mixer", ["send": .output, "return": .input], on: server)
        let monitor = try RecordingRun(
            on: server.name, ["--channels", "1", "--input", "^mixer:", "--output", "^mixer:"], source: nil)
        let wired = ["iounit:in_1 mixer:send", "iounit:out_1 mixer:return"]
        try waitUntil("it is connected") { try connections("iounit", on: server.name) == wired }
        try mixer?.remove("return")
        try monitor.wait(until: "iounit:out_1 → mixer:return is gone")
        try mixer?.add("return", .input)
        try monitor.wait(until: "iounit:out_1 → mixer:return is back")
        mixer = nil
        try monitor.wait(until: "mixer:send → iounit:in_1 is gone")
        mixer = try Peer("mixer", ["send": .output, "return": .input], on: server)
        try monitor.wait(until: "mixer:send → iounit:in_1 is back")
        try monitor.wait(until: "iounit:out_1 → mixer:return is back", times: 2)
        try mixer?.rename("mixer:send", to: "main")
        try mixer?.remove("main")
        try monitor.wait(until: "mixer:main → iounit:in_1 is gone")
        try mixer?.add("main", .output)
        try monitor.wait(until: "mixer:main → iounit:in_1 is back")
        try monitor.waitForSound()
        #expect(try connections("iounit", on: server.name) == ["iounit:in_1 mixer:main", "iounit:out_1 mixer:return"])
        mixer = nil
        _ = try monitor.end(by: SIGINT)
    }

    @Test func `has its connections back after a reset though somebody gave its ports other names`() throws {
        let host = try Succession()
        let monitor = try RecordingRun(on: host.name, ["--reconnect", "auto", "--input", "capture"])
        var other: Peer? = try Peer("other", on: host.server)
        for (port, name) in [("iounit:in_1", "left"), ("iounit:out_1", "main")] { try other?.rename(port, to: name) }
        other = nil
        #expect(
            try connections("iounit", on: host.name) == [
                "iounit:in_2 system:capture_2", "iounit:left system:capture_1", "iounit:main system:playback_1",
                "iounit:out_2 system:playback_2",
            ])
        try host.end(by: SIGKILL)
        try host.startAgain()
        try monitor.wait(until: "in the graph again")
        try monitor.waitForSound()
        #expect(try connections("iounit", on: host.name) == Self.wired("iounit"))
        _ = try monitor.end(by: SIGINT)
    }

    @Test func `never takes a foreign client for itself because of its name`() throws {
        let host = try Succession()
        let monitor = try RecordingRun(on: host.name, ["--reconnect", "ask", "--input", "capture"])
        func reset() throws {
            try host.end(by: SIGKILL)
            try host.startAgain()
        }
        try reset()
        try monitor.wait(until: "waits to be resumed")
        do {
            let ports: [String: PortDirection] = ["in_1": .input, "in_2": .input, "out_1": .output, "out_2": .output]
            let stranger = try Peer("iounit", ports, on: host.server)
            monitor.run.send(SIGUSR1)
            try monitor.wait(until: "in the graph again as iounit-01,")
            try monitor.waitForSound()
            // What is wrong may be done a moment later.
            usleep(300_000)
            #expect(try connections("iounit-01", on: host.name) == Self.wired("iounit-01"))
            #expect(try connections("iounit", on: host.name).isEmpty)
            withExtendedLifetime(stranger) {}
        }
        try reset()
        try monitor.wait(until: "waits to be resumed", times: 2)
        monitor.run.send(SIGUSR1)
        try monitor.wait(until: "in the graph again as iounit,")
        try monitor.waitForSound()
        #expect(try connections("iounit", on: host.name) == Self.wired("iounit"))
        _ = try monitor.end(by: SIGINT)
    }

    private static func wired(_ unit: String) -> [String] {
        [
            "\(unit):in_1 system:capture_1", "\(unit):in_2 system:capture_2", "\(unit):out_1 system:playback_1",
            "\(unit):out_2 system:playback_2",
        ]
    }
}
