import Foundation
import Jack
import TestSupport
import Testing

/// `iounit receive` on a server, fed by `iounit send` on the same one, over networks good and bad.
@Suite("iounit receive", .serialized, .ownServers) struct ReceiveTests {
    private let folder: TemporaryFolder
    private let server: Server

    init() throws {
        folder = try TemporaryFolder()
        var configuration = ServerConfiguration()
        configuration.periodFrames = 256
        server = try Server(configuration)
        // A tone of -6 dB on both channels, longer than any test.
        let tone = (0..<48000 * 20).map { Float(0.5 * sin(2 * .pi * 1000 * Double($0) / 48000)) }
        try SoundFile(sampleRate: 48000, channels: [tone, tone]).write(folder("tone.wav"))
    }

    private func receive(_ words: String...) throws -> CommandRun {
        try CommandRun(["receive", "--server", server.name, "--name", "ear", "--no-connect", "--json"] + words)
    }

    /// Sends the tone for some seconds, and returns when that is over.
    private func send(_ words: String..., seconds: String = "3") throws {
        let sender = try CommandRun(
            ["send", "--server", server.name, "--name", "mouth", "--no-connect", "--seconds", seconds] + words)
        try sender.wait(until: "it sends") { sender.err.contains("sending to") }
        let player = try CommandRun(["play", "--server", server.name, "--output", "^mouth:in_", folder("tone.wav")])
        #expect(try sender.end() == 0, "\(sender.err)")
        player.send(SIGINT)
        _ = try player.end()
    }

    private func wait(for run: CommandRun, toListenAt port: Int) throws {
        let place = String(format: ":%04X ", port)
        try run.wait(until: "it listens") {
            (try? String(contentsOfFile: "/proc/net/udp", encoding: .utf8))?.contains(place) == true
        }
    }

    private func report(_ run: CommandRun) throws -> [String: Any] {
        run.send(SIGINT)
        #expect(try run.end() == 130, "\(run.err)")
        let report = try object(run.out)
        #expect(report["schema"] as? String == "iounit.receive/1")
        return report
    }

    private func number(_ report: [String: Any], _ name: String) throws -> Int {
        try #require(report[name] as? Int, "\(name)")
    }

    /// What must hold of the packets, whatever the network and the machine did.
    private func checkSums(_ report: [String: Any]) throws {
        let parts = try ["playedPackets", "latePackets", "duplicatePackets", "damagedPackets"].map {
            try number(report, $0)
        }
        #expect(try number(report, "receivedPackets") == parts.reduce(0, +))
    }

    @Test(arguments: ["pcm16", "opus"]) func `a stream by RTP is heard, and each packet is accounted for`(codec: String)
        throws
    {
        defer { server.stop() }
        let port = try freePorts()
        let run = try receive("rtp://127.0.0.1:\(port)", "--codec", codec, "--record", folder("heard.wav"))
        try wait(for: run, toListenAt: port)
        try send("rtp://127.0.0.1:\(port)", "--codec", codec)
        try run.wait(until: "the sender left") { run.err.contains("the sender has left") }
        let report = try report(run)
        try checkSums(report)
        #expect(report["codec"] as? String == codec && report["state"] as? String == "waiting")
        #expect(try number(report, "streams") == 1 && number(report, "lostPackets") == 0)
        #expect(try number(report, "playedFrames") > 48000)
        let peaks = try #require(report["peakDecibels"] as? [Double])
        for peak in peaks { #expect(abs(peak + 6) < 2, "\(peak)") }
        // Both are one machine, so that the clocks agree: it takes a time, and less than the patience of anybody.
        let latency = try #require(report["latencyMilliseconds"] as? Double)
        let delay = try #require(report["delayMilliseconds"] as? Double)
        #expect(latency > 0 && delay > 5, "\(latency), \(delay)")
        let heard = try SoundFile(reading: folder("heard.wav"))
        #expect(heard.channels.allSatisfy { $0.contains { abs($0) > 0.4 } })
    }

    @Test
    func
        `5 % of loss, delays of 50 ± 20 ms and packets twice: the sound goes on, and the losses are counted to the packet`()
        throws
    {
        defer { server.stop() }
        let (port, front) = (try freePorts(), try freePorts())
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../AudioStreamingTests/Receivers/network.py").path
        let network = try CommandRun(
            [script, "\(front)", "\(port)", "7", "0.05", "50", "20", "0.02"], program: "/usr/bin/python3")
        try network.wait(until: "it listens") { network.out.contains("ready") }
        let run = try receive("rtp://127.0.0.1:\(port)")
        try wait(for: run, toListenAt: port)
        try send("rtp://127.0.0.1:\(front)", "--codec", "opus", "--frame", "10", "--fec", seconds: "6")
        network.send(SIGTERM)
        #expect(try network.end() == 0, "\(network.err)")
        let done = try object(String(network.out.dropFirst("ready\n".count)))
        try run.wait(until: "the sender left") { run.err.contains("the sender has left") }
        let report = try report(run)
        try checkSums(report)
        let (taken, lost) = (try number(done, "taken"), try number(done, "lost"))
        #expect(taken > 300 && lost > 5, "\(done)")
        // Good-bye may overtake the last packets.
        let (received, duplicates) = (try number(report, "receivedPackets"), try number(report, "duplicatePackets"))
        #expect(received <= taken - lost + (try number(done, "doubled")) && received > (taken - lost) * 9 / 10)
        let heardLost = try number(report, "lostPackets")
        #expect(abs(heardLost - lost) <= taken - lost - (received - duplicates) + (try number(done, "trailing")))
        #expect(try number(report, "reorderedPackets") > 20 && duplicates > 0)
        // What is missing was made up for, and most of it was no silence.
        #expect(try number(report, "concealedFrames") > 480 * heardLost / 2)
        #expect(try number(report, "playedFrames") > 4 * 48000)
        // It has found out how large it must be.
        #expect(try #require(report["bufferMilliseconds"] as? Double) > 15)
    }

    @Test func `a sender that leaves and comes back is heard again`() throws {
        defer { server.stop() }
        let port = try freePorts()
        let run = try receive("rtp://127.0.0.1:\(port)", "--codec", "pcm24")
        try wait(for: run, toListenAt: port)
        for time in 1...2 {
            try send("rtp://127.0.0.1:\(port)", "--codec", "pcm24", seconds: "1")
            try run.wait(until: "the sender left") {
                run.err.components(separatedBy: "the sender has left").count > time
            }
        }
        let report = try report(run)
        #expect(try number(report, "streams") == 2)
        try checkSums(report)
    }

    @Test func `what cannot be received is said in a sentence, with its exit code`() throws {
        defer { server.stop() }
        let port = try freePorts()
        let first = try receive("rtp://127.0.0.1:\(port)")
        try wait(for: first, toListenAt: port)
        func failure(_ words: String...) throws -> (Int32, String) {
            let run = try CommandRun(["receive", "--server", server.name, "--no-connect"] + words)
            return (try run.end(), run.err)
        }
        let (code, words) = try failure("rtp://127.0.0.1:\(port)")
        #expect(code == 69 && words.contains("the port \(port) is in use"), "\(words)")
        first.send(SIGINT)
        #expect(try first.end() == 69 && first.err.contains("nothing came from"), "\(first.err)")

        let (other, otherWords) = try failure("rtp://192.0.2.1:\(port)")
        #expect(other == 69 && otherWords.contains("is no address of this machine"), "\(otherWords)")
        let (name, nameWords) = try failure("rtp://no.such.name.invalid:\(port)")
        #expect(name == 68 && nameWords.contains("cannot be resolved"), "\(nameWords)")
        let (none, noneWords) = try failure(folder("none.sdp"))
        #expect(none == 66 && noneWords.contains("No such file"), "\(noneWords)")
        for (text, word) in [
            ("hello", "does not begin with v=0"), ("v=0\nm=video 5004 RTP/AVP 96\n", "tells of no sound"),
            ("v=0\nc=IN IP4 127.0.0.1\nm=audio 0 RTP/AVP 96\n", "names no port"),
        ] {
            try text.write(toFile: folder("bad.sdp"), atomically: true, encoding: .utf8)
            let (code, words) = try failure(folder("bad.sdp"))
            #expect(code == 65 && words.contains(word) && words.contains("bad.sdp"), "\(words)")
        }
        try "v=0\nc=IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n".write(
            toFile: folder("law.sdp"), atomically: true, encoding: .utf8)
        let (law, lawWords) = try failure(folder("law.sdp"))
        #expect(law == 64 && lawWords.contains("payload 0 is not said to be L16, L24 or opus"), "\(lawWords)")
    }
}
