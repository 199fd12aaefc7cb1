import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("A recording run outlives its server", .serialized, .ownServers)
struct ServerFaultTests {
    private let host: Succession

    init() throws { host = try Succession() }

    private static let wired = ["iounit:out_1 system:playback_1", "iounit:out_2 system:playback_2"]

    private func events(_ report: [String: Any]) -> [String] {
        (report["events"] as? [[String: Any]] ?? []).compactMap { $0["event"] as? String }
    }

    /// Nobody of ours is left in the graph, nor in shared memory.
    private func expectNothingLeft(_ location: SourceLocation = #_sourceLocation) throws {
        let watcher = try Client(name: "watcher", server: host.name)
        #expect(try watcher.ports(PortQuery(pattern: "^iounit")).isEmpty, sourceLocation: location)
        let shared = Belongings.sharedMemory(of: host.name)
        #expect(shared.allSatisfy { !$0.hasSuffix("_iounit") }, sourceLocation: location)
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `goes on by itself with the next one`(_ signal: Int32) throws {
        let monitor = try RecordingRun(on: host.name)
        try host.end(by: signal)
        try monitor.wait(until: "the server is gone")
        try host.startAgain()
        try monitor.wait(until: "in the graph again")
        try monitor.waitForSound()
        try waitUntil("it is wired as before") { try connections("iounit", on: host.name) == Self.wired }
        let report = try monitor.end(by: SIGINT)
        #expect(report["resets"] as? Int == 1)
        #expect(
            events(report) == [
                "transition", "serverLost", "transition", "serverAnswers", "rejoined", "transition", "transition",
            ])
        #expect(abs(try unaccounted(report)) < 0.1)
        try expectNothingLeft()
    }

    @Test func `waits to be asked by a signal`() throws {
        let monitor = try RecordingRun(on: host.name, ["--reconnect", "ask"])
        try host.end(by: SIGKILL)
        try host.startAgain()
        try monitor.wait(until: "waits to be resumed")
        let bytes = monitor.bytes
        #expect(try connections("iounit", on: host.name).isEmpty)
        usleep(200_000)
        #expect(monitor.bytes == bytes, "nothing sounds before it was asked for")
        monitor.run.send(SIGUSR1)
        try monitor.waitForSound()
        try waitUntil("it is wired as before") { try connections("iounit", on: host.name) == Self.wired }
        #expect(try monitor.end(by: SIGTERM)["resets"] as? Int == 1)
    }

    @Test func `hears its far end again, once it is asked`() throws {
        let monitor = try RecordingRun(on: host.name, ["--reconnect", "ask", "--voice", "speex", "--far", "capture"])
        func farEnd() throws -> Int { try connections("iounit-far", on: host.name).count }
        try waitUntil("the far end is heard") { try farEnd() == 2 }
        try host.end(by: SIGKILL)
        try host.startAgain()
        try monitor.wait(until: "waits to be resumed")
        monitor.run.send(SIGUSR1)
        try monitor.waitForSound()
        try waitUntil("the far end is heard again") { try farEnd() == 2 }
        #expect(try monitor.end(by: SIGTERM)["resets"] as? Int == 1)
    }

    @Test func `waits to be asked by a key`() throws {
        let monitor = try TerminalRun(["monitor", "--server", host.name, "--reconnect", "ask", "--json"])
        try monitor.wait(until: "load")
        try host.end(by: SIGKILL)
        try monitor.wait(until: "is gone; waiting for it")
        monitor.type("r")
        try host.startAgain()
        try monitor.wait(until: "is back; r (or SIGUSR1)")
        #expect(try connections("iounit", on: host.name).isEmpty)
        monitor.type("r")
        try waitUntil("it is in the graph again") { try !connections("iounit", on: host.name).isEmpty }
        // It is connected before it runs. Each page has the load once: between two of them lies a whole page, and only one that
        // was drawn since then tells anything.
        func pages() -> [String] { monitor.screen.components(separatedBy: "load").dropLast() }
        let drawn = pages().count
        try waitUntil("a page says so") {
            let pages = pages()
            return pages.count > drawn + 1 && pages.last?.contains("is back") == false
        }
        monitor.type("q")
        #expect(try monitor.end() == 0, "\(monitor.screen.suffix(600))")
        #expect(try object(monitor.out)["resets"] as? Int == 1)
    }

    @Test func `says that it was ended, where a key ends it while there is none`() throws {
        let monitor = try TerminalRun(["monitor", "--server", host.name, "--reconnect", "auto", "--json"])
        try monitor.wait(until: "load")
        try host.end(by: SIGKILL)
        try monitor.wait(until: "is gone; waiting for it")
        monitor.type("q")
        #expect(try monitor.end() == 69)
        let words = monitor.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains(", and the run was ended before it came back"), "\(words.suffix(600))")
        #expect(!words.contains("did not come back in time"))
    }

    @Test func `is at the next one's rate and period`() throws {
        let monitor = try RecordingRun(on: host.name)
        try host.end(by: SIGTERM)
        var other = ServerConfiguration()
        other.sampleRate = 44100
        other.periodFrames = 1024
        try host.startAgain(other)
        try monitor.wait(until: "at 44100 Hz and 1024 frames")
        try monitor.waitForSound()
        let report = try monitor.end(by: SIGINT)
        let server = try #require(report["server"] as? [String: Any])
        #expect(server["sampleRate"] as? Int == 44100 && server["periodFrames"] as? Int == 1024)
    }

    /// Faster than it can join, so that it is thrown back in the middle of that.
    @Test func `gives up on none of many that come and go`() throws {
        let monitor = try RecordingRun(on: host.name)
        for round in 0..<8 {
            try host.end(by: round.isMultiple(of: 2) ? SIGKILL : SIGTERM)
            try host.startAgain()
            usleep(UInt32(round) * 15_000)
        }
        try waitUntil("it is in the graph") { try connections("iounit", on: host.name) == Self.wired }
        try monitor.waitForSound()
        let report = try monitor.end(by: SIGINT)
        #expect(try #require(report["resets"] as? Int) >= 1)
        #expect(abs(try unaccounted(report)) < 0.3)
        try expectNothingLeft()
    }

    @Test func `tells of one that stands still, and counts what that cost`() throws {
        let monitor = try RecordingRun(on: host.name)
        try host.server.freeze()
        try monitor.wait(until: "stands still")
        usleep(500_000)
        host.server.signal(SIGCONT)
        try monitor.waitForSound()
        let report = try monitor.end(by: SIGINT)
        #expect(report["resets"] as? Int == 0)
        #expect(try #require(report["lostNanoseconds"] as? Int) > 900_000_000)
        #expect(abs(try unaccounted(report)) < 0.1)
    }

    @Test func `outlives one that is killed while it stands still`() throws {
        let monitor = try RecordingRun(on: host.name)
        try host.server.freeze()
        try monitor.wait(until: "stands still")
        try host.end(by: SIGKILL)
        try monitor.wait(until: "the server is gone")
        try host.startAgain()
        try monitor.waitForSound()
        try waitUntil("it is wired as before") { try connections("iounit", on: host.name) == Self.wired }
        #expect(try monitor.end(by: SIGINT)["resets"] as? Int == 1)
    }

    @Test(arguments: ["auto", "ask"])
    func `can be ended while there is none`(_ consent: String) throws {
        let monitor = try RecordingRun(on: host.name, ["--reconnect", consent])
        try host.end(by: SIGKILL)
        try monitor.wait(until: "the server is gone")
        let report = try monitor.end(by: SIGINT)
        #expect(report["resets"] as? Int == 0)
    }

    @Test func `ends with its code when none comes in time`() throws {
        let monitor = try RecordingRun(on: host.name, ["--reconnect", "auto", "--reconnect-limit", "0.3"])
        try host.end(by: SIGKILL)
        _ = try monitor.end(69)
        #expect(monitor.run.err.contains("did not come back in time"))
    }

    @Test func `ends at once when it is interrupted twice, and the file is whole`() throws {
        let monitor = try RecordingRun(on: host.name)
        try host.server.freeze()
        monitor.run.send(SIGINT)
        // The second counts as such once the first is being acted on, and until the watchdog bites.
        while monitor.run.isRunning {
            usleep(100_000)
            monitor.run.send(SIGINT)
        }
        #expect(try monitor.run.end() == -SIGINT)
        #expect(try SoundFile(reading: monitor.path).frames > 4800)
    }

    @Test func `ends when its terminal is closed meanwhile`() throws {
        let folder = try TemporaryFolder()
        let path = folder("closed.wav")
        let monitor = try TerminalRun(
            ["monitor", "--server", host.name, "--reconnect", "auto", "--source", "tone", "--record", path])
        try monitor.wait(until: "load")
        try host.end(by: SIGKILL)
        try monitor.wait(until: "is gone; waiting for it")
        let process = monitor.identifier
        monitor.close()
        try waitUntil("it has ended") { hasEnded(process) }
        #expect(try SoundFile(reading: path).frames > 0)
    }

    @Test func `does not wait for one of which only shared memory is left`() throws {
        let name = "\(host.name)-dead"
        let dead = try CommandRun(["jackd", "-n", name, "-r", "-d", "dummy"], program: "/usr/bin/env")
        try waitUntil("it has its socket") { Belongings.sharedMemory(of: name).contains { $0.hasSuffix("_0") } }
        dead.send(SIGKILL)
        _ = try dead.end()
        #expect(!Belongings.sharedMemory(of: name).isEmpty)
        let run = try CommandRun.run("monitor", "--server", name, "--seconds", "1")
        #expect(run.code == 69 && run.err.contains("no JACK server"), "\(run.err)")
        let server = try Server(ServerConfiguration(), name: name)
        defer { server.stop() }
        let monitor = try RecordingRun(on: name)
        _ = try monitor.end(by: SIGINT)
    }
}
