import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("The audio thread while everything is sent", .serialized, .ownServers) struct SendAudioThreadTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// How often each thread of libjack's has gone to sleep by itself.
    private func sleeps(_ process: pid_t) throws -> [String: Int] {
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
        var sleeps: [String: Int] = [:]
        for thread in threads {
            // One may end meanwhile.
            guard let status = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/status", encoding: .utf8),
                status.contains("Name:\tiounit-jack\n")
            else { continue }
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            sleeps[thread] = line?.split(separator: "\t").last.flatMap { Int($0) }
        }
        return sleeps
    }

    /// The one that is called for each period: of libjack's threads it sleeps most often.
    private func audioThread(_ process: pid_t) throws -> String {
        let before = try sleeps(process)
        var found: String?
        try waitUntil("a thread is called for each period") {
            found = try sleeps(process).first { thread, count in count > (before[thread] ?? count) + 200 }?.key
            return found != nil
        }
        return try #require(found)
    }

    private func file(_ name: String) throws -> String { try String(contentsOfFile: folder(name), encoding: .utf8) }

    /// A recording, streams to a WebSocket, by TCP, RTP and to Icecast, and a page.
    @Test(.disabled(if: !canTrace, "no process may be traced here"))
    func `makes no system call but to wait for its turn, and to end it`() throws {
        let relay = try CommandRun([receiverScript("relay.py"), folder("port")], program: "/usr/bin/python3")
        let input = Pipe()
        let sockets = try CommandRun(
            [receiverScript("drain.py")], program: "/usr/bin/python3", input: input.fileHandleForReading)
        try relay.wait(until: "it listens") { FileManager.default.fileExists(atPath: folder("port")) }
        try sockets.wait(until: "it listens") { sockets.out.hasSuffix("\n") }
        let ports = sockets.out.split(whereSeparator: \.isWhitespace)
        let icecast = try Icecast()
        let targets = try [
            "ws://127.0.0.1:\(file("port"))/send", "tcp://127.0.0.1:\(ports[1])", "rtp://127.0.0.1:\(ports[2])",
            icecast.target("a.opus"), icecast.target("a.mp3"),
        ]
        let run = try CommandRun(
            [
                "monitor", "--dummy", "--source", "tone", "--record", folder("a.wav"), "--serve", "127.0.0.1:0",
                "--json",
            ] + targets.flatMap { ["--send", $0] }, environment: ["IOUNIT_PASSWORD": Icecast.password])
        try run.wait(until: "all are reached") { run.err.components(separatedBy: "sending to ").count == 6 }
        let url = try #require(run.err.split(separator: "the page is at ").last?.prefix { $0 != "\n" })
        let listener = try CommandRun(
            ["-s", "-o", folder("heard.opus"), "\(url)stream.opus"], program: "/usr/bin/curl")
        try listener.wait(until: "the page is heard") { FileManager.default.fileExists(atPath: folder("heard.opus")) }
        let trace = try CommandRun(
            ["-qq", "-p", try audioThread(run.identifier), "-o", folder("trace")], program: "/usr/bin/strace")
        try trace.wait(until: "it was called some hundred times") {
            (try? file("trace"))?.split(separator: "\n").count ?? 0 > 500
        }
        trace.send(SIGINT)
        _ = try trace.end()
        let calls = try file("trace").split(separator: "\n")
        #expect(calls.allSatisfy { $0.contains("futex") }, "\(calls.filter { !$0.contains("futex") })")
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let report = try object(run.out)
        let sent = try #require((report["sent"] as? [String: Any])?["targets"] as? [[String: Any]])
        // Slowed by the tracer it may lose some.
        #expect(sent.allSatisfy { $0["sentPackets"] as? Int ?? 0 > 0 }, "\(sent)")
        try input.fileHandleForWriting.close()
        for each in [relay, sockets, listener] { each.send(SIGKILL) }
    }

    private static let canTrace: Bool = {
        let run = try? CommandRun.tool("strace", "-qq", "-e", "trace=none", "true")
        // Some machines only let parents trace.
        let scope = try? String(contentsOfFile: "/proc/sys/kernel/yama/ptrace_scope", encoding: .utf8)
        return run?.code == 0 && (geteuid() == 0 || scope == nil || scope == "0\n")
    }()
}
