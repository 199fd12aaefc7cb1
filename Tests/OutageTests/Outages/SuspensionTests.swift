import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("A recording run that the shell suspends", .serialized, .ownServers)
struct SuspensionTests {
    private static let wired = ["iounit:out_1 system:playback_1", "iounit:out_2 system:playback_2"]

    /// In async mode with short periods a client that is stopped in the graph has jackd fill its socket.
    @Test(arguments: [false, true])
    func `is out of the graph meanwhile, goes on as before, and ends when it is told to`(_ isSync: Bool) throws {
        var configuration = ServerConfiguration()
        configuration.isSync = isSync
        let server = try Server(configuration)
        defer { server.stop() }
        let monitor = try RecordingRun(on: server.name, ["--reconnect", "never", "--gaps", "silence"])
        for round in 1...2 {
            monitor.run.send(SIGTSTP)
            try waitUntil("it is stopped") { monitor.run.isStopped }
            do {
                let watcher = try Client(name: "watcher", server: server.name)
                #expect(try watcher.ports(PortQuery(pattern: "^iounit")).isEmpty, "nobody waits for what is stopped")
            }
            usleep(300_000)
            monitor.run.send(SIGCONT)
            try monitor.wait(until: "in the graph again", times: round)
            try waitUntil("it is wired as before") { try connections("iounit", on: server.name) == Self.wired }
            try monitor.waitForSound()
        }
        let report = try monitor.end(by: SIGINT)
        #expect(report["resets"] as? Int == 0 && report["endedWithoutServer"] as? Bool == false)
        #expect(try #require((report["absentNanoseconds"] as? NSNumber)?.doubleValue) > 0.6e9)
        #expect(abs(try unaccounted(report)) < 0.2)
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(monitor.path).json"))
        let list = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let gaps = try #require(list["gaps"] as? [[String: Any]]).filter { $0["cause"] as? String == "restart" }
        #expect(gaps.count == 2 && gaps.allSatisfy { ($0["lengthNanoseconds"] as? Int ?? 0) > 300_000_000 })
        #expect(!monitor.run.err.contains("does not let us go; stopped"), "\(monitor.run.err)")
    }

    /// The kernel takes any thread for a signal where the first one has another already, as after Ctrl-Z and fg: a handler on the
    /// audio thread would call the system there.
    @Test func `takes signals on its first thread alone`() throws {
        let server = try Server()
        defer { server.stop() }
        let monitor = try RecordingRun(on: server.name)
        let tasks = "/proc/\(monitor.run.identifier)/task"
        let others = try FileManager.default.contentsOfDirectory(atPath: tasks).filter {
            $0 != "\(monitor.run.identifier)"
        }
        #expect(others.count >= 4, "libjack's two, the collector and the recorder's worker")
        for thread in others {
            let status = try String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)
            let word = try #require(status.firstMatch(of: /SigBlk:\s*([0-9a-f]+)/)?.1)
            let mask = try #require(UInt64(word, radix: 16))
            func holds(_ number: CInt) -> Bool { mask & (1 << UInt64(number - 1)) != 0 }
            #expect([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH, SIGUSR1].allSatisfy(holds), "\(status)")
            #expect(![SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT].contains(where: holds), "\(status)")
        }
        _ = try monitor.end(by: SIGINT)
    }

    @Test func `ends with 69 where its server has gone meanwhile`() throws {
        let host = try Succession()
        let monitor = try RecordingRun(on: host.name, ["--reconnect", "never"])
        monitor.run.send(SIGTSTP)
        try waitUntil("it is stopped") { monitor.run.isStopped }
        try host.end(by: SIGKILL)
        monitor.run.send(SIGCONT)
        _ = try monitor.end(69)
        #expect(monitor.run.err.contains("went away"), "\(monitor.run.err)")
    }

    /// Nobody has asked to be heard on that one.
    @Test func `ends with 69 where another server is in the place of its own by then`() throws {
        let host = try Succession()
        let monitor = try RecordingRun(on: host.name, ["--reconnect", "never"])
        monitor.run.send(SIGTSTP)
        try waitUntil("it is stopped") { monitor.run.isStopped }
        try host.end(by: SIGKILL)
        try host.startAgain()
        monitor.run.send(SIGCONT)
        _ = try monitor.end(69)
        #expect(monitor.run.err.contains("went away"), "\(monitor.run.err)")
    }

    @Test func `waits for the next server where its own has gone meanwhile, as it was told to`() throws {
        let host = try Succession()
        let monitor = try RecordingRun(on: host.name)
        monitor.run.send(SIGTSTP)
        try waitUntil("it is stopped") { monitor.run.isStopped }
        try host.end(by: SIGKILL)
        monitor.run.send(SIGCONT)
        try monitor.wait(until: "the server is gone")
        try host.startAgain()
        try monitor.waitForSound()
        let report = try monitor.end(by: SIGINT)
        #expect(report["resets"] as? Int == 1)
        // The machine may be busy while the next server starts.
        #expect(abs(try unaccounted(report)) < 0.5)
    }

    @Test func `goes on by Ctrl-Z where no shell could continue it`() throws {
        let server = try Server(ServerConfiguration())
        defer { server.stop() }
        let monitor = try TerminalRun(["monitor", "--server", server.name, "--json"])
        try monitor.wait(until: "load")
        monitor.type("\u{1a}")
        // It is heard behind that.
        monitor.type("q")
        #expect(try monitor.end() == 0)
        #expect(try object(monitor.out)["resets"] as? Int == 0)
    }
}
