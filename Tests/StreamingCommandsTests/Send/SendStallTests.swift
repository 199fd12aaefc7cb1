import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// Receivers that stand still, die or are gone while others listen, and a recording goes on: for 6 s, and with IOUNIT_LONG=1 for
/// a minute.
@Suite("iounit send to receivers that stand still", .serialized, .ownServers) struct SendStallTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let isLong = ProcessInfo.processInfo.environment["IOUNIT_LONG"] != nil
    private static let seconds = isLong ? 60 : 6

    /// A server of WebSockets of others, and its target.
    private func relay(at cable: Cable? = nil) throws -> (run: CommandRun, target: String) {
        let (file, address) = (folder("port-\(UUID().uuidString)"), cable == nil ? "127.0.0.1" : Cable.farAddress)
        let words = ["/usr/bin/python3", receiverScript("relay.py"), file, "", address]
        let run = try cable?.start(words, at: .far) ?? CommandRun(words, program: "/usr/bin/env")
        try run.wait(until: "it listens") { FileManager.default.fileExists(atPath: file) }
        return (run, "ws://\(address):\(try String(contentsOfFile: file, encoding: .utf8))/send")
    }

    /// Waits so long, and until so much sound more is recorded, in samples of four bytes at 48 kHz: a server on a busy machine may give
    /// half of it in that time, and what waits is counted in sound.
    private func hear(seconds: Int, of run: CommandRun, channels: Int) throws {
        var bytes: Int { bytesOnDisk(folder("a.wav")) }
        let goal = bytes + seconds * 48000 * channels * 4
        // A recorder that was behind may write as much sooner: receivers are to stand still for that time at least.
        sleep(UInt32(seconds))
        try run.wait(until: "\(seconds) s are recorded", within: Double(20 + 4 * seconds)) { bytes >= goal }
    }

    /// In MiB.
    private func memory(_ run: CommandRun) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(run.identifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) >> 10
    }

    /// Ends a recording; returns what was sent by targets, which all got the same packets. The recording has dropped nothing.
    private func end(_ run: CommandRun) throws -> [[String: Any]] {
        run.send(SIGINT)
        _ = try run.end()
        let report = try object(run.out)
        let targets = try #require((report["sent"] as? [String: Any])?["targets"] as? [[String: Any]])
        let file = try #require((report["files"] as? [[String: Any]])?.first)
        #expect(file["droppedFrames"] as? Int == 0, "\(file)")
        let made = targets.map { ($0["sentPackets"] as? Int ?? 0) + ($0["lostPackets"] as? Int ?? 0) }
        #expect(Set(made).count == 1 && made[0] > 0, "each packet is sent or lost: \(targets)")
        print(
            targets.map {
                "\($0["target"] ?? ""): sent \($0["sentPackets"] ?? ""), lost \($0["lostPackets"] ?? ""), unconfirmed \($0["unconfirmedPackets"] ?? ""), reached again \($0["reconnections"] ?? "")"
            }.joined(separator: "; "))
        return targets
    }

    private func lost(_ target: [String: Any]) -> Int { target["lostPackets"] as? Int ?? -1 }

    /// Asks that a target that was read from all the time has lost nothing. What is made before a target is reached is kept for 2 s:
    /// on a busy machine that may take longer, and all that was made by then may be lost.
    ///
    /// - Parameters:
    ///   - waited: until all were reached.
    ///   - lasted: until the end.
    private func checkWhole(_ target: [String: Any], _ waited: Duration, of lasted: Duration) {
        let made = Double(lost(target) + (target["sentPackets"] as? Int ?? 0))
        let early = waited < .seconds(2) ? 0 : Int((made * (waited / lasted)).rounded(.up))
        #expect((0...early).contains(lost(target)), "\(waited) of \(lasted) until all were reached: \(target)")
        #expect(target["error"] is NSNull)
    }

    /// More than the kernel holds of each.
    @Test func `by WebSocket and TCP they lose packets to the last one that is counted, and others none`() throws {
        let (still, stillTarget) = try relay()
        let (other, otherTarget) = try relay()
        // Open as long as it is wanted.
        let input = Pipe()
        let sockets = try CommandRun(
            [receiverScript("drain.py")], program: "/usr/bin/python3", input: input.fileHandleForReading)
        try sockets.wait(until: "it listens") { sockets.out.hasSuffix("\n") }
        let tcp = "tcp://127.0.0.1:\(sockets.out.split(separator: " ")[1])"
        let begin = ContinuousClock.now
        let run = try CommandRun([
            "record", "--dummy", "--channels", "16", "--gaps", "cut", "--json", "--codec", "float", "--send",
            stillTarget, "--send", otherTarget, "--send", tcp, "--serve=127.0.0.1:0", folder("a.wav"),
        ])
        try run.wait(until: "all are reached") { run.err.components(separatedBy: "sending to ").count == 4 }
        let waited = ContinuousClock.now - begin
        let before = try memory(run)
        for each in [still, sockets] { each.send(SIGSTOP) }
        try hear(seconds: Self.seconds, of: run, channels: 16)
        // A busy machine may have recorded what came before all this while, and what is sent has a place of its own.
        let page = try #require(run.err.firstMatch(of: /the page is at (\S+)/)?.1)
        try run.wait(until: "both have lost packets", within: 60) {
            let status = try? CommandRun.tool("curl", "-s", "-f", "-m", "10", "\(page)status.json").out
            let sent = status.flatMap { try? object($0) }?["sent"] as? [String: Any]
            guard let targets = sent?["targets"] as? [[String: Any]], targets.count == 3 else { return false }
            return lost(targets[0]) > 0 && lost(targets[2]) > 0
        }
        // Of each two seconds wait, which are 6 MB, and the packets are the same.
        let grown = try memory(run) - before
        #expect(grown < 64, "\(grown) MiB more")
        for each in [still, sockets] { each.send(SIGCONT) }
        if Self.isLong {
            try waitUntil("the WebSocket is reached again", within: 60) {
                run.err.contains("sending to \(stillTarget) (float, 48000 Hz) again")
            }
        }
        let lasted = ContinuousClock.now - begin
        let targets = try end(run)
        #expect(lost(targets[0]) > 0 && lost(targets[2]) > 0)
        checkWhole(targets[1], waited, of: lasted)
        #expect(targets[1]["unconfirmedPackets"] as? Int == 0)
        #expect(targets.allSatisfy { $0["state"] as? String == "connected" })
        try input.fileHandleForWriting.close()
        for each in [still, other, sockets] { each.send(SIGKILL) }
        print("memory \(before) MiB and \(grown) MiB more")
    }

    /// One stands still, dies, and comes back.
    @Test func `by Icecast they are reached again, and others lose nothing`() throws {
        let icecast = try Icecast()
        let (other, otherTarget) = try relay()
        let target = icecast.target("a.flac")
        let begin = ContinuousClock.now
        let run = try CommandRun(
            [
                "record", "--dummy", "--gaps", "cut", "--json", "--codec", "flac", "--send", target, "--send",
                otherTarget, folder("a.wav"),
            ], environment: ["IOUNIT_PASSWORD": Icecast.password])
        try run.wait(until: "all are reached") { run.err.components(separatedBy: "sending to ").count == 3 }
        let waited = ContinuousClock.now - begin
        icecast.send(SIGSTOP)
        try hear(seconds: Self.seconds, of: run, channels: 2)
        icecast.send(SIGCONT)
        icecast.kill()
        try run.wait(until: "its end is told") { run.err.contains("; it is tried again") }
        try icecast.start()
        try run.wait(until: "it is reached again") { run.err.contains("sending to \(target) (flac, 48000 Hz) again") }
        let lasted = ContinuousClock.now - begin
        checkWhole(try end(run)[1], waited, of: lasted)
        other.send(SIGKILL)
    }

    /// A pulled cable says nothing: no end of the connection comes.
    @Test(.enabled(if: isLong && Cable.isPermitted, "for long runs, where network namespaces may be made"))
    func `whose cable is pulled is found out by a WebSocket that sends little, and reached again`() throws {
        let cable = try Cable()
        let (far, target) = try relay(at: cable)
        let otherTarget = "file:\(folder("b.flac"))"
        let run = try cable.start(
            [
                CommandRun.program, "record", "--dummy", "--json", "--codec", "flac", "--send", target, "--send",
                otherTarget, folder("a.wav"),
            ], at: .near)
        try run.wait(until: "both are reached") { run.err.components(separatedBy: "sending to ").count == 3 }
        let begin = ContinuousClock.now
        try cable.plug(false)
        try waitUntil("it is found out", within: 60) { run.err.contains("it does not answer any more") }
        print("found out after \(ContinuousClock.now - begin)")
        sleep(10)
        try cable.plug(true)
        try waitUntil("it is reached again", within: 60) {
            run.err.contains("sending to \(target) (flac, 48000 Hz) again")
        }
        let again = ContinuousClock.now
        print("reached again \(again - begin) after the cable was pulled")
        run.send(SIGINT)
        _ = try run.end()
        let report = try object(run.out)
        let targets = try #require((report["sent"] as? [String: Any])?["targets"] as? [[String: Any]])
        #expect(lost(targets[0]) > 0 && targets[0]["state"] as? String == "connected" && lost(targets[1]) == 0)
        let file = try #require((report["files"] as? [[String: Any]])?.first)
        #expect(file["droppedFrames"] as? Int == 0)
        print("\(targets)")
        far.send(SIGKILL)
    }
}
