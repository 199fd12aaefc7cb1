import AudioFiles
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AudioStreaming

/// RTP where nobody listens, by IPv6, and over a long time.
@Suite("RTP's sender") struct RTPFaultTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private struct Received: Decodable {
        struct Packet: Decodable { var sequence, time, marker: Int }
        struct Report: Decodable { var packets, bytes, time: Int }
        var packets: [Packet]
        var reports: [Report]
        var goodbyes: [Int]
    }

    private func listen(_ port: Int, packets: Int, _ address: String = "127.0.0.1") throws -> Receiver {
        let receiver = try Receiver(
            "/usr/bin/python3", [Receiver.script("rtp.py"), "\(port)", "\(packets)", address], folder: folder)
        let (file, place) = address == "::1" ? ("/proc/net/udp6", "01000000") : ("/proc/net/udp", "0100007F")
        try waitUntil("the receiver is there") {
            // A sender that is connected to the port is in the list too, with its own first.
            let sockets = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            return sockets.contains { $0.split(separator: " ")[1].hasSuffix(place + String(format: ":%04X", port + 1)) }
        }
        return receiver
    }

    /// 10 ms of one channel with 16 bits each: a datagram.
    private func packets(_ count: Int, at sender: StreamSender) throws {
        try sender.send(sine(440, frames: 480 * count, channels: 1, sampleRate: 48000), channels: 1)
    }

    @Test func `what nobody was there to receive counts as lost, to the packet`() throws {
        let port = try freePorts()
        let sender = try StreamSender(
            to: [StreamTarget("rtp://127.0.0.1:\(port)")], CodecSettings(.pcm16), sampleRate: 48000, channels: 1)
        try packets(10, at: sender)
        // Of the last one is known when the next goes.
        try waitUntil("all but one are known to be lost") { sender.figures[0].lostPackets == 9 }
        let receiver = try listen(port, packets: 20)
        try packets(20, at: sender)
        sender.finish(within: 20)
        let heard = try JSONDecoder().decode(Received.self, from: receiver.heard())
        let figures = sender.figures[0]
        #expect(heard.packets.count == 20 && figures.sentPackets == 20 && figures.lostPackets == 10)
        #expect(figures.lostFrames == 4800 && figures.sentBytes == 20 * 960)
        // The first that arrives is marked, for something is missing before it.
        #expect(heard.packets.map(\.marker) == [1] + [Int](repeating: 0, count: 19))
        #expect(figures.connections == 1 && figures.state == .ended)
    }

    @Test func `at the end all of it is lost where nobody ever came, also the last`() throws {
        // Three datagrams to a packet.
        let sender = try StreamSender(
            to: [StreamTarget("rtp://127.0.0.1:\(try freePorts())")], CodecSettings(.pcm24), sampleRate: 48000,
            channels: 2)
        try sender.send(sine(440, frames: 4800, channels: 2, sampleRate: 48000), channels: 2)
        sender.finish(within: 20)
        let figures = sender.figures[0]
        #expect(figures.sentPackets == 0 && figures.lostPackets == 10 && figures.lostFrames == 4800)
        #expect(figures.sentBytes == 0)
    }

    @Test func `goes by IPv6 too`() throws {
        let port = try freePorts()
        let receiver = try listen(port, packets: 10, "::1")
        let sender = try StreamSender(
            to: [StreamTarget("rtp://[::1]:\(port)")], CodecSettings(.pcm16), sampleRate: 48000, channels: 1)
        try packets(10, at: sender)
        sender.finish(within: 20)
        let heard = try JSONDecoder().decode(Received.self, from: receiver.heard())
        #expect(heard.packets.count == 10 && heard.goodbyes.count == 1 && heard.reports.count == 1)
        #expect(sender.figures[0].lostPackets == 0)
    }

    @Test func `says every five seconds which time belongs to which frame, and how much it has sent`() throws {
        let port = try freePorts()
        let receiver = try listen(port, packets: 6)
        let now = Mutex<UInt64>(1_000_000_000_000)
        var encoder = try StreamEncoder(CodecSettings(.pcm16), sampleRate: 48000, channels: 1)
        let context = LinkContext(
            target: try StreamTarget("rtp://127.0.0.1:\(port)"), settings: CodecSettings(.pcm16),
            opening: encoder.opening(firstFrame: 0, wallNanoseconds: 0), waits: { true },
            clock: { now.withLock { $0 } })
        let link = try context.connect()
        for milliseconds: UInt64 in [0, 4999, 1, 2500, 2499, 5000] {
            now.withLock { $0 += milliseconds * 1_000_000 }
            for packet in try encoder.encode([Float](repeating: 0.5, count: 480), sampleRate: 48000, wallNanoseconds: 0)
            {
                #expect(try link.send(packet))
            }
        }
        try link.close()
        let heard = try JSONDecoder().decode(Received.self, from: receiver.heard())
        #expect(heard.packets.count == 6 && heard.goodbyes.count == 1)
        // At 0, 5 and 14.999 s; at 9.999 s not yet.
        #expect(heard.reports.map(\.packets) == [1, 3, 6])
        #expect(heard.reports.map(\.bytes) == [960, 3 * 960, 6 * 960])
        #expect(heard.reports.map(\.time) == [0, 2, 5].map { heard.packets[$0].time })
    }

    @Test(arguments: [
        ("239.1.2.3", "c=IN IP4 239.1.2.3/1"), ("192.168.1.7", "c=IN IP4 192.168.1.7"),
        ("[ff02::7]", "c=IN IP6 ff02::7"),
    ])
    func `describes a group of IPv4 with how far its packets go`(host: String, line: String) throws {
        let sender = try StreamSender(
            to: [StreamTarget("rtp://\(host):5004")], CodecSettings(.opus), sampleRate: 48000, channels: 1)
        #expect(try #require(sender.sessionDescriptions.first).text.contains("\(line)\r\n"))
        sender.finish(within: 0)
    }
}
