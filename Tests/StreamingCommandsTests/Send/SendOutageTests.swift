import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// What is sent while the server goes away and comes back, and to the end.
@Suite("iounit send through a reset of the server", .serialized, .ownServers) struct SendOutageTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private struct Packets: Decodable {
        struct Packet: Decodable { var time, marker: Int }
        var packets: [Packet]
    }

    /// Two parts of a counted signal, with a reset between them: in the stream they are as far from each other as in a recording
    /// beside it, which the clocks fill, and the stream lasts as long as the run.
    @Test func `the receiver's clock stays right, and each frame is where it was played`() throws {
        let host = try Succession()
        let listener = try StreamListener(in: folder)
        let port = try freePorts()
        let receiver = try CommandRun(
            [receiverScript("rtp.py"), "\(port)", "1"], program: "/usr/bin/python3")
        try waitUntil("it listens") {
            try String(contentsOfFile: "/proc/net/udp", encoding: .utf8).contains(String(format: ":%04X ", port + 1))
        }
        // Its packets are not as long as the periods.
        let run = try CommandRun([
            "record", "--server", host.name, "--name", "ear", "--no-connect", "--reconnect", "auto", "--json",
            "--codec",
            "pcm24", "--send", listener.target, "--send", "rtp://127.0.0.1:\(port)", folder("a.wav"),
        ])
        try run.wait(until: "all are reached") { run.err.components(separatedBy: "sending to ").count == 3 }
        try NumberedFrames.file(frames: 30_000).write(folder("numbered.wav"))
        func play() throws {
            let player = try CommandRun(["play", "--server", host.name, "--output", "^ear:in_", folder("numbered.wav")])
            #expect(try player.end() == 0, "\(player.err)")
        }
        try play()
        try host.end(by: SIGKILL)
        try run.wait(until: "it waits") { run.err.contains("the server is gone") }
        try host.startAgain()
        try run.wait(until: "it is back") { run.err.contains("in the graph again") }
        try play()
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let report = try object(run.out)
        let seconds = try #require(report["seconds"] as? Double)
        #expect(report["resets"] as? Int == 1)

        let sent = try listener.heard(in: folder)
        let recorded = try SoundFile(reading: folder("a.wav"))
        let numbers = NumberedFrames(in: sent)
        #expect(numbers.numbers == NumberedFrames(in: recorded).numbers && numbers.strays == 0)
        // Each gap is rounded to a frame by itself.
        let gaps = try #require((report["files"] as? [[String: Any]])?.first?["gaps"] as? Int)
        func places(_ sound: SoundFile) -> [Int] {
            let loud = sound.channels[0].indices.filter { sound.channels[0][$0] != 0 }
            return [loud.first, loud.last].compactMap(\.self)
        }
        for (one, other) in zip(places(sent), places(recorded)) { #expect(abs(one - other) <= gaps) }
        #expect(abs(sent.frames - recorded.frames) <= gaps)
        #expect(abs(Double(sent.frames) / 48_000 - seconds) < 0.1, "\(sent.frames) frames in \(seconds) s")

        #expect(try receiver.end() == 0, "\(receiver.err)")
        let packets = try JSONDecoder().decode(Packets.self, from: Data(receiver.out.utf8)).packets
        let last = try #require(packets.last).time, first = packets[0].time
        let length = (last - first) & 0xffff_ffff
        // Up to the last datagram, which has a few frames of the last packet.
        #expect(length <= sent.frames && length > sent.frames - 480 - gaps, "\(length) of \(sent.frames)")
        #expect(packets.count { $0.marker == 1 } >= 2)
    }

    /// What is still in queues and encoders when the run ends is sent before the connections are closed.
    @Test(arguments: ["flac", "pcm24", "opus"])
    func `the last sound before the end arrives`(codec: String) throws {
        let listener = try StreamListener(in: folder)
        let run = try CommandRun.run(
            "monitor", "--dummy", "--source", "noise", "--seconds", "0.7", "--record", folder("a.wav"), "--codec",
            codec,
            "--send", listener.target, "--json")
        #expect(run.code == 0, "\(run.err)")
        let heard = try listener.heard(in: folder)
        let recorded = try SoundFile(reading: folder("a.wav"))
        let sent = try #require(try object(run.out)["sent"] as? [String: Any])
        #expect((sent["targets"] as? [[String: Any]])?.first?["lostPackets"] as? Int == 0)
        #expect(abs(heard.frames - recorded.frames) <= 2, "\(heard.frames) of \(recorded.frames)")
        #expect(heard.channels[0].suffix(200).contains { abs($0) > 0.01 })
    }
}
