import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// Whether the machine stood still for so long that of one stream two are made, and what lay between is lost: who is silent for two
/// seconds has left.
func hasStoodStill(_ report: [String: Any]) throws -> Bool {
    try #require(report["lostNanoseconds"] as? Int) > 1_500_000_000
}

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
        let tone = sine(1000, frames: 48000 * 20)
        try SoundFile(sampleRate: 48000, channels: [tone, tone]).write(folder("tone.wav"))
    }

    private func receive(_ words: String...) throws -> CommandRun {
        try CommandRun(["receive", "--server", server.name, "--name", "ear", "--no-connect", "--json"] + words)
    }

    /// Sends the tone for some seconds, and returns when that is over.
    @discardableResult
    private func send(_ words: [String], seconds: String = "3") throws -> String {
        let sender = try CommandRun(
            ["send", "--server", server.name, "--name", "mouth", "--no-connect", "--seconds", seconds] + words)
        try sender.wait(until: "it sends") { sender.err.contains("sending to") }
        let player = try CommandRun([
            "play", "--server", server.name, "--loop", "--output", "^mouth:in_", folder("tone.wav"),
        ])
        #expect(try sender.end(within: 60 + (Double(seconds) ?? 0)) == 0, "\(sender.err)")
        player.send(SIGINT)
        _ = try player.end()
        return sender.out
    }

    private func wait(for run: CommandRun, toListenAt port: Int) throws {
        let place = String(format: ":%04X ", port)
        try run.wait(until: "it listens") {
            (try? String(contentsOfFile: "/proc/net/udp", encoding: .utf8))?.contains(place) == true
        }
    }

    private func report(_ run: CommandRun) throws -> [String: Any] {
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let report = try object(run.out)
        #expect(report["schema"] as? String == "iounit.receive/2")
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
        try send(["rtp://127.0.0.1:\(port)", "--codec", codec])
        try run.wait(until: "the sender left") { run.err.contains("the sender has left") }
        let report = try report(run)
        try checkSums(report)
        guard try !hasStoodStill(report) else { return }
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

    /// What a network does to a stream that goes through it.
    private struct Fate: Decodable {
        var taken, lost, doubled, overtaken, trailing, span, lastBytes, tail: Int
    }

    /// - Parameter codec: with its options.
    private func throughNetwork(_ codec: [String], seconds: String, receiver words: [String] = []) throws -> (
        fate: Fate, sent: [String: Any], report: [String: Any]
    ) {
        let (port, front) = (try freePorts(), try freePorts())
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../AudioStreamingTests/Receivers/network.py").path
        let network = try CommandRun(
            [script, "\(front)", "\(port)", "7", "0.05", "50", "20", "0.02"], program: "/usr/bin/python3")
        try network.wait(until: "it listens") { network.out.contains("ready") }
        let run = try CommandRun(
            ["receive", "--server", server.name, "--name", "ear", "--no-connect", "--json", "rtp://127.0.0.1:\(port)"]
                + codec.prefix(2) + words)
        try wait(for: run, toListenAt: port)
        let sent = try send(["rtp://127.0.0.1:\(front)", "--json"] + codec, seconds: seconds)
        try run.wait(until: "the sender left") { run.err.contains("the sender has left") }
        network.send(SIGTERM)
        #expect(try network.end() == 0, "\(network.err)")
        let fate = try JSONDecoder().decode(Fate.self, from: Data(network.out.dropFirst("ready\n".count).utf8))
        return (fate, try object(sent), try report(run))
    }

    /// Each datagram is one of played, late and lost, and each frame between the first and the last that came one of played,
    /// concealed, silent and of a gap: no more and no less than the network knows.
    private func check(_ report: [String: Any], against fate: Fate, framesOfLast: Int) throws {
        try checkSums(report)
        #expect(try number(report, "receivedPackets") == fate.taken - fate.lost + fate.doubled)
        #expect(try number(report, "duplicatePackets") == fate.doubled)
        #expect(try number(report, "lostPackets") == fate.lost - fate.trailing)
        #expect(
            try number(report, "playedPackets") + number(report, "latePackets")
                + number(report, "damagedPackets") == fate.taken - fate.lost)
        let frames = try ["playedFrames", "concealedFrames", "silentFrames", "gapFrames"].map {
            try number(report, $0)
        }
        // Where the good-bye is late, for a machine that stands still, there is silence behind the last frame until it comes.
        let tail = frames.reduce(0, +) - fate.span - framesOfLast
        #expect(tail == 0 || (fate.tail > 480 && (0...fate.tail + 480).contains(tail)), "\(frames), \(fate)")
        #expect(try number(report, "damagedPackets") == 0 && number(report, "streams") == 1)
    }

    @Test(arguments: [["--codec", "opus", "--frame", "10", "--fec"], ["--codec", "pcm16"]])
    func `5 % of loss, delays of 50 ± 20 ms and packets twice: the sound goes on, and all adds up`(codec: [String])
        throws
    {
        defer { server.stop() }
        let (fate, _, report) = try throughNetwork(codec, seconds: "6")
        guard try !hasStoodStill(report) else { return try checkSums(report) }
        let isOpus = codec[1] == "opus"
        try check(report, against: fate, framesOfLast: isOpus ? 480 : fate.lastBytes / 4)
        #expect(fate.taken > 300 && fate.lost > 5 && fate.doubled > 0 && fate.overtaken > 20, "\(fate)")
        #expect(try number(report, "reorderedPackets") > 20)
        // What is missing was made up for, and most of it was no silence.
        if isOpus {
            #expect(try number(report, "concealedFrames") > 480 * number(report, "lostPackets") / 2)
        } else {
            #expect(try number(report, "concealedFrames") == 0 && number(report, "silentFrames") > 0)
        }
        #expect(try number(report, "playedFrames") > 4 * 48000)
        // It has found out how large it must be.
        #expect(try #require(report["bufferMilliseconds"] as? Double) > 15)
    }

    /// By hand, with the number of minutes in IOUNIT_NETWORK_MINUTES; the figures are printed.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["IOUNIT_NETWORK_MINUTES"] != nil),
        arguments: [["--codec", "opus", "--frame", "10", "--fec"], ["--codec", "pcm16"]])
    func `for minutes, through the same network: all adds up, and the place does not drift`(codec: [String]) throws {
        defer { server.stop() }
        let minutes = Double(ProcessInfo.processInfo.environment["IOUNIT_NETWORK_MINUTES"] ?? "") ?? 10
        let (fate, _, report) = try throughNetwork(
            codec, seconds: "\(Int(minutes * 60))",
            receiver: ["--buffer", "60", "--record", folder("heard.wav")])
        try check(report, against: fate, framesOfLast: codec[1] == "opus" ? 480 : fate.lastBytes / 4)
        let heard = try SoundFile(reading: folder("heard.wav")).channels[0]
        // In milliseconds: a turn of the tone. The first minute is for the loop to settle.
        let places = Array(phases(heard).map { $0 / (2 * .pi) }.dropFirst(60).dropLast(5))
        let trend = try #require(PlaceTrend(places))
        print("\(codec): \(fate)\n\(report)\n\(trend) in \(places.count) s")
        #expect(trend.isLevel, "\(trend)")
    }

    /// Of the tone of 1 kHz in each second, one after the other without a step.
    private func phases(_ heard: [Float]) -> [Double] {
        var (phases, turns): ([Double], Double) = ([], 0)
        for start in stride(from: 0, to: heard.count - 48000, by: 48000) {
            var (sine, cosine) = (0.0, 0.0)
            for frame in 0..<48000 {
                let angle = 2 * Double.pi * Double(frame % 48) / 48
                sine += Double(heard[start + frame]) * sin(angle)
                cosine += Double(heard[start + frame]) * cos(angle)
            }
            var phase = atan2(cosine, sine) + turns
            if let last = phases.last {
                let step = ((phase - last) / (2 * .pi)).rounded() * 2 * .pi
                phase -= step
                turns -= step
            }
            phases.append(phase)
        }
        return phases
    }

    /// What it reports by the wall clocks is what a signal takes, within 5 ms of some 60 on a machine that is busy: 0.2 ms
    /// where nobody else is at work. There the place moves meanwhile, which the reports of each moment tell.
    @Test func `the latency that is reported is the one that is measured`() throws {
        defer { server.stop() }
        let port = try freePorts()
        let run = try receive(
            "rtp://127.0.0.1:\(port)", "--codec", "pcm16", "--buffer", "40", "--serve=127.0.0.1:0")
        try wait(for: run, toListenAt: port)
        let sender = try CommandRun([
            "send", "--server", server.name, "--name", "mouth", "--no-connect", "--codec", "pcm16",
            "rtp://127.0.0.1:\(port)",
        ])
        try run.wait(until: "it receives") { run.err.contains("receiving from") }
        func probe(_ seconds: String) throws -> CommandRun {
            try CommandRun([
                "latency", "--server", server.name, "--send", "mouth:in_1", "--return", "ear:out_1", "--seconds",
                seconds, "--json",
            ])
        }
        // Meanwhile the loop settles for the most part.
        _ = try probe("3").end()
        let url = run.err.split(separator: "the page is at ")[1].prefix { $0 != "\n" }
        var reported: [Double] = []
        var lost: [Double] = []
        func note(_ report: [String: Any]) throws {
            reported.append(try #require(report["latencyMilliseconds"] as? Double))
            lost.append(try #require(report["lostNanoseconds"] as? Double) / 1e6)
        }
        func note() throws {
            let page = try CommandRun(["-s", "-f", "-m", "10", "\(url)status.json"], program: "/usr/bin/curl")
            #expect(try page.end() == 0)
            try note(object(page.out))
        }
        let probe = try probe("6")
        try note()
        while probe.isRunning { try note() }
        _ = try probe.end()
        let measured = try object(probe.out)
        try note(report(run))
        sender.send(SIGINT)
        _ = try sender.end()
        // Where the place moved meanwhile, the signal is heard at several.
        let several = measured["candidateFrames"] as? [Double] ?? []
        let frames = ((measured["latency"] as? [String: Any])?["frames"] as? Double).map { [$0] } ?? several
        #expect(!frames.isEmpty, "\(measured)")
        // What was on its way while the server stood still was so much longer on it, of which a count of frames knows nothing; and
        // what waited behind it came so much later, until the loop had settled again.
        let stood = try #require(lost.last) - (lost.min() ?? 0)
        let (least, most) = try (#require(reported.min()) - stood, #require(reported.max()) + stood)
        for place in frames.map({ $0 / 48 }) {
            #expect(place > least - 5 && place < most + 5, "\(place) ms, and \(reported) reported, \(lost) lost")
        }
    }

    @Test func `a sender that leaves and comes back is heard again`() throws {
        defer { server.stop() }
        let port = try freePorts()
        let run = try receive("rtp://127.0.0.1:\(port)", "--codec", "pcm24")
        try wait(for: run, toListenAt: port)
        for time in 1...2 {
            try send(["rtp://127.0.0.1:\(port)", "--codec", "pcm24"], seconds: "1")
            try run.wait(until: "the sender left") {
                run.err.components(separatedBy: "the sender has left").count > time
            }
        }
        let report = try report(run)
        let streams = try number(report, "streams")
        #expect(try streams == 2 || streams > 2 && hasStoodStill(report), "\(streams)")
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
        #expect(code == 73 && words.contains("the port \(port) is in use"), "\(words)")
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
            ("v=0\nc=IN IP4 127.0.0.1\nm=audio +5004 RTP/AVP 96\n", "names no port"),
        ] {
            try text.write(toFile: folder("bad.sdp"), atomically: true, encoding: .utf8)
            let (code, words) = try failure(folder("bad.sdp"))
            #expect(code == 65 && words.contains(word) && words.contains("bad.sdp"), "\(words)")
        }
        try "v=0\nc=IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n".write(
            toFile: folder("law.sdp"), atomically: true, encoding: .utf8)
        let (law, lawWords) = try failure(folder("law.sdp"))
        #expect(law == 64 && lawWords.contains("payload 0 is not said to be opus, L16 or L24"), "\(lawWords)")

        // A pipe whose writer says nothing; the writer is there as soon as somebody reads.
        #expect(mkfifo(folder("pipe.sdp"), 0o600) == 0)
        let waiting = try CommandRun(["receive", "--server", server.name, "--no-connect", folder("pipe.sdp")])
        var writer: CInt = -1
        try waiting.wait(until: "the pipe is read") {
            writer = open(folder("pipe.sdp"), O_WRONLY | O_NONBLOCK)
            return writer >= 0
        }
        defer { close(writer) }
        try waitUntil("a signal ends the wait") {
            waiting.send(SIGINT)
            return !waiting.isRunning
        }
        #expect(try waiting.end() == 66 && waiting.err.contains("Interrupted system call"), "\(waiting.err)")
    }
}
