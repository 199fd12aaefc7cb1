import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// Runs of a minute, for figures: `IOUNIT_LONG=1`, with `--filter SendAudienceTests`.
@Suite(
    "iounit beside a large audience", .serialized, .ownServers,
    .enabled(if: ProcessInfo.processInfo.environment["IOUNIT_LONG"] != nil))
struct SendAudienceTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Processor time of a process so far, in seconds.
    private func processorSeconds(_ process: pid_t) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        let ticks = [11, 12].compactMap { fields.count > $0 ? Double(fields[$0]) : nil }
        return ticks.reduce(0, +) / Double(sysconf(CInt(_SC_CLK_TCK)))
    }

    @Test(arguments: [("a.opus", 0), ("a.opus", 1000), ("a.mp3", 1000)])
    func `Icecast gives all of it to a thousand listeners, and a recording loses nothing`(_ mount: String, _ count: Int)
        throws
    {
        let icecast = try Icecast(listeners: 1000)
        let target = icecast.target(mount)
        let run = try CommandRun(
            [
                "monitor", "--dummy", "--source", "tone:1000", "--shape", "off", "--json", "--record", folder("a.wav"),
                "--bitrate", "128k", "--send", target,
            ], environment: ["IOUNIT_PASSWORD": Icecast.password])
        try run.wait(until: "it is reached") { run.err.contains("sending to \(target)") }
        try waitUntil("the mount is there") { try icecast.status()?[mount] != nil }
        let seconds = 20.0
        let audience = try CommandRun(
            [receiverScript("audience.py"), "127.0.0.1", "\(icecast.port)", mount, "\(max(1, count))", "\(seconds)"],
            program: "/usr/bin/python3")
        try waitUntil("all listen", within: 180) { audience.out.contains("all listen") }
        let server = try #require(icecast.identifier)
        func times() throws -> [Double] { try [run.identifier, server].map(processorSeconds) }
        let (before, begin) = (try times(), ContinuousClock.now)
        sleep(UInt32(seconds) - 2)
        let length = (ContinuousClock.now - begin) / .seconds(1)
        let spent = zip(try times(), before).map { ($0 - $1) / length }
        #expect(try audience.end() == 0, "\(audience.err)")
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let heard = try object(String(audience.out.split(separator: "\n").last ?? ""))
        #expect(heard["ended"] as? Int == 0 && heard["missingPages"] as? Int == 0, "\(heard)")
        #expect(mount == "a.mp3" || heard["pages"] as? Int ?? 0 > 0)
        let report = try object(run.out)
        let sent = try #require(((report["sent"] as? [String: Any])?["targets"] as? [[String: Any]])?.first)
        #expect(sent["lostPackets"] as? Int == 0 && (sent["error"] as? NSNull) != nil, "\(sent)")
        let recorded = try #require(report["recorded"] as? [String: Any])
        #expect(recorded["droppedFrames"] as? Int == 0, "\(recorded)")
        let words = zip(["iounit", "icecast2"], spent).map { name, part in
            "\(name) \(String(format: "%.2f", part * 100)) % of a core"
        }
        print(
            "\(mount), \(count) listeners: \(words.joined(separator: ", ")); \(heard); gaps \(recorded["gaps"] ?? "?"), xruns \(report["xruns"] ?? "?")"
        )
    }
}
