import AudioFiles
import Foundation
import TestSupport
import Testing

@testable import AudioStreaming

/// What comes to a server of WebSockets, which reads and decodes it with code that is not ours.
@Suite("A target of WebSockets") struct WebSocketTargetTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// One connection, as the server tells it.
    private struct Heard {
        var opening: [String: Any]
        var packets: [[String: Any]]
        var sound: Data

        init(_ connection: [String: Any]) throws {
            opening = try #require(connection["opening"] as? [String: Any])
            packets = try #require(connection["packets"] as? [[String: Any]])
            sound = try #require((connection["sound"] as? String).flatMap { Data(base64Encoded: $0) })
            #expect(connection["protocol"] as? String == "iounit.stream.1")
        }

        func numbers(_ key: String) -> [Int] { packets.compactMap { $0[key] as? Int } }

        /// Little-endian integers or floats of so many bytes, as floats.
        func samples(_ codec: Codec) -> [Float] {
            let width = codec == .pcm16 ? 2 : codec == .pcm24 || codec == .flac ? 3 : 4
            if width == 4 { return sound.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) } }
            let bytes = [UInt8](sound)
            return (0..<bytes.count / width).map { index in
                let part = bytes[(index * width)..<(index + 1) * width]
                let bits = part.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                let shift = UInt32(32 - 8 * width)
                return Float(Double(Int32(bitPattern: bits << shift)) / 2_147_483_648)
            }
        }
    }

    private func target(_ server: WebServer, secret: String? = nil, path: String = "/stream") throws -> StreamTarget {
        var target = try StreamTarget("\(server.address(path))")
        if let secret { target.access.secret = try Secret(secret) }
        return target
    }

    private func waitForFailure(_ target: StreamTarget) throws -> StreamError {
        let sender = try StreamSender(to: [target], CodecSettings(.pcm16), sampleRate: 48000, channels: 1)
        defer { sender.finish(within: 0) }
        try waitUntil("it is said") { sender.figures[0].failure != nil }
        return try #require(sender.figures[0].failure)
    }

    @Test(arguments: [(Codec.flac, 24), (.pcm16, 16), (.pcm24, 24), (.float, 24)])
    func `is brought what went in, to the bit, and says that it has it`(codec: Codec, bits: Int) throws {
        let server = try WebServer(folder: folder)
        let sound = steppedNoise(frames: 60_007, channels: 2, bits: bits)
        let sender = try StreamSender(
            to: [target(server)], CodecSettings(codec), sampleRate: 48000, channels: 2, firstFrame: 5)
        try sender.send(sound, channels: 2)
        sender.finish(within: 60)
        let figures = sender.figures[0]
        #expect(figures.state == .ended && figures.failure == nil)
        #expect(figures.lostPackets == 0 && figures.unconfirmedPackets == 0)
        let heard = try Heard(#require(try server.connections().first))
        #expect(heard.samples(codec) == sound)
        #expect(heard.opening["form"] as? String == "iounit.stream/1")
        #expect(heard.opening["codec"] as? String == codec.name && heard.opening["rate"] as? Int == 48000)
        #expect(heard.opening["channels"] as? Int == 2 && heard.opening["firstFrame"] as? Int == 5)
        #expect(heard.opening["wallNanoseconds"] as? Int == heard.numbers("wall").first)
        let packets = heard.packets.filter { $0["flags"] as? Int != 2 }
        let sequence: [Int] = packets.compactMap { $0["sequence"] as? Int }
        #expect(sequence == Array(0..<Int(figures.sentPackets)))
        #expect(packets.reduce(0) { $0 + ($1["frames"] as? Int ?? 0) } == 60_007)
        // FLAC alone needs something first.
        #expect(heard.packets.count - packets.count == (codec == .flac ? 1 : 0))
        #expect(packets.first?["flags"] as? Int == (codec.isLossless ? packets.first?["flags"] as? Int : 4))
    }

    @Test func `is brought Opus, which sounds as what went in`() throws {
        let server = try WebServer(folder: folder)
        var settings = CodecSettings(.opus)
        settings.bitRate = 128_000
        settings.frameMilliseconds = 10
        let sound = sine(1000, frames: 96_000, channels: 2, sampleRate: 48000)
        let sender = try StreamSender(to: [target(server)], settings, sampleRate: 48000, channels: 2)
        try sender.send(sound, channels: 2)
        sender.finish(within: 60)
        let heard = try Heard(#require(try server.connections().first))
        let samples = heard.samples(.opus)
        #expect(samples.count == sound.count)
        let error = errorDecibels(samples[20_000..<180_000], sound[20_000..<180_000])
        #expect(error < -25, "\(error) dB")
    }

    @Test func `is told of time without sound, and where it stands after that`() throws {
        let server = try WebServer(folder: folder)
        let sound = steppedNoise(frames: 9600, channels: 1, bits: 16)
        let sender = try StreamSender(to: [target(server)], CodecSettings(.flac), sampleRate: 48000, channels: 1)
        try sender.send(sound, channels: 1)
        try sender.gap(nanoseconds: 100_000_000, cause: "reset", wallNanoseconds: 7)
        try sender.send(sound, channels: 1)
        sender.finish(within: 60)
        let heard = try Heard(#require(try server.connections().first))
        let gaps = heard.packets.filter { $0["flags"] as? Int == 1 }
        #expect(gaps.map { $0["payload"] as? String } == ["reset"] && gaps.map { $0["wall"] as? Int } == [7])
        #expect(gaps.map { $0["frames"] as? Int } == [4800] && gaps.map { $0["first"] as? Int } == [9600])
        let next = try #require(heard.packets.first { ($0["first"] as? Int ?? 0) > 9600 })
        #expect(next["first"] as? Int == 14_400)
        #expect(heard.samples(.flac) == sound + sound)
    }

    @Test func `that takes nothing loses whole packets, and the next one says how many`() throws {
        let stalled = try WebServer(["--stall"], folder: folder)
        let server = try WebServer(folder: folder)
        let sender = try StreamSender(
            to: [target(stalled), target(server)], CodecSettings(.float), sampleRate: 48000, channels: 2,
            queueSeconds: 1)
        try waitUntil("both are reached") { sender.figures.allSatisfy { $0.state == .connected } }
        let sound = steppedNoise(frames: 60 * 48000, channels: 2, bits: 24)
        var isStalled = true
        for start in stride(from: 0, to: sound.count, by: 48000) {
            try waitUntil("the other one has room") { sender.figures[1].waitingPackets < 40 }
            try sender.send(Array(sound[start..<(start + 48000)]), channels: 2)
            #expect(sender.figures[0].waitingPackets <= 101)
            // No longer than it takes: one that says nothing for 15 s is given up.
            guard isStalled, sender.figures[0].lostPackets > 0 else { continue }
            isStalled = false
            stalled.receiver.go()
        }
        #expect(sender.figures[0].lostPackets > 0 && sender.figures[1].lostPackets == 0)
        sender.finish(within: 60)
        let figures = sender.figures
        #expect(figures[0].sentPackets + figures[0].lostPackets == 6000 && figures[1].sentPackets == 6000)
        #expect(figures.map(\.unconfirmedPackets) == [0, 0])
        let (lossy, whole) = try (
            Heard(#require(try stalled.connections().first)), Heard(#require(try server.connections().first))
        )
        #expect(whole.samples(.float) == sound)
        // What is missing between two numbers is what the second one says, and all of it is what the sender counts.
        var expected = 0
        var lost = 0
        for packet in lossy.packets {
            let sequence = try #require(packet["sequence"] as? Int)
            let said = try #require(packet["lost"] as? Int)
            #expect(sequence - expected == said && (packet["flags"] as? Int ?? 0) & 8 == (said > 0 ? 8 : 0))
            lost += said
            expected = sequence + 1
        }
        #expect(lossy.packets.count == Int(figures[0].sentPackets) && lost == Int(figures[0].lostPackets))
    }

    @Test func `that went away is opened again where it is then, and all packets are accounted for`() throws {
        let first = try WebServer(["--connections", "9"], folder: folder)
        let target = try target(first)
        let sender = try StreamSender(
            to: [target], CodecSettings(.pcm16), sampleRate: 48000, channels: 1, queueSeconds: 0.2)
        try waitUntil("it is reached") { sender.figures[0].state == .connected }
        let sound = steppedNoise(frames: 480, channels: 1, bits: 16)
        var sent = 0
        func send() throws {
            try sender.send(sound, channels: 1)
            sent += 1
            usleep(2000)
        }
        for _ in 0..<20 { try send() }
        // It reads all of it, and dies without a word.
        first.receiver.program.end()
        try waitUntil("its end is seen") {
            try send()
            return sender.figures[0].state == .connecting
        }
        #expect(sender.figures[0].failure?.kind == .network)
        let second = try WebServer(port: target.port, folder: folder)
        try waitUntil("it is reached again") {
            try send()
            return sender.figures[0].connections == 2
        }
        sender.finish(within: 60)
        let figures = sender.figures[0]
        let heard = try Heard(#require(try second.connections().first))
        let start = try #require(heard.numbers("first").first)
        #expect(heard.opening["firstFrame"] as? Int == start && start > 0)
        #expect(heard.samples(.pcm16).suffix(480) == sound[...])
        let sequence = heard.numbers("sequence")
        #expect(sequence == Array(sent - sequence.count..<sent))
        #expect(Int(figures.sentPackets + figures.lostPackets) == sent && figures.lostPackets > 0)
        // What the second has not was lost, or left by the first connection.
        #expect(Int(figures.sentPackets) - sequence.count >= Int(figures.unconfirmedPackets))
        #expect(heard.packets.first?["lost"] as? Int ?? 0 > 0)
    }

    @Test func `that was reached is tried again while the certificates of its authority cannot be read`() throws {
        let both = try WebServer.certificate(for: "DNS:localhost", in: folder)
        let authority = folder("certificate.pem")
        let first = try WebServer(["--connections", "9"], certificate: both, folder: folder)
        var target = try StreamTarget("\(first.address("/stream", host: "localhost"))")
        target.access.certificatesPath = authority
        let sender = try StreamSender(to: [target], CodecSettings(.pcm16), sampleRate: 48000, channels: 1)
        try waitUntil("it is reached") { sender.figures[0].state == .connected }
        try FileManager.default.moveItem(atPath: authority, toPath: folder("away.pem"))
        first.receiver.program.end()
        try waitUntil("it is told") { sender.figures[0].failure?.kind == .unreadable }
        let second = try WebServer(port: target.port, certificate: both, folder: folder)
        try FileManager.default.moveItem(atPath: folder("away.pem"), toPath: authority)
        try waitUntil("it is reached again") { sender.figures[0].connections == 2 }
        sender.finish(within: 10)
        second.receiver.program.end()
    }

    /// As one does whose cable was pulled: neither a byte nor an end comes from it. As a rule after 15 s.
    @Test func `that gives no answer any more is given up, however little is sent to it`() throws {
        let server = try WebServer(folder: folder)
        var encoder = try StreamEncoder(CodecSettings(.pcm16), sampleRate: 48000, channels: 1)
        var context = LinkContext(
            target: try target(server), settings: CodecSettings(.pcm16),
            opening: encoder.opening(firstFrame: 0, wallNanoseconds: 0), waits: { true })
        // From the connection on: a server on a busy machine takes its time too.
        context.answerSeconds = 2
        let link = try context.connect()
        let samples = [Float](repeating: 0.5, count: 480)
        var sent: UInt64 = 0
        func send() throws(StreamError) {
            for packet in try encoder.encode(samples, sampleRate: 48000, wallNanoseconds: 0) where try link.send(packet)
            {
                sent += 1
            }
        }
        try send()
        let first = sent
        try waitUntil("the server has it") {
            try link.idle()
            usleep(10_000)
            return link.unconfirmedPackets == 0
        }
        server.receiver.program.send(SIGSTOP)
        let error = #expect(throws: StreamError.self) {
            // At the pace of packets, and for 20 s at the most.
            for _ in 0..<2000 {
                try send()
                usleep(10_000)
            }
        }
        #expect(
            error?.kind == .network && error?.reason.contains("does not answer any more") == true, "\(error as Any)")
        #expect(link.unconfirmedPackets == sent - first)
        server.receiver.program.end()
    }

    @Test func `is given a token, and one that wants another is given up`() throws {
        let server = try WebServer(["--token", "abc", "--connections", "9"], folder: folder)
        let denied = try waitForFailure(target(server, secret: "another"))
        #expect(denied.kind == .denied && !denied.description.contains("another"))
        #expect(try waitForFailure(target(server)).reason.contains("give it with --token"))
        let sender = try StreamSender(
            to: [target(server, secret: "abc")], CodecSettings(.pcm16), sampleRate: 48000, channels: 1)
        try waitUntil("it is reached") { sender.figures[0].state == .connected }
        sender.finish(within: 10)
        #expect(!"\(sender.figures)".contains("abc"))
        let refused = try StreamSender(
            to: [target(server, secret: "another")], CodecSettings(.pcm16), sampleRate: 48000, channels: 1)
        try waitUntil("it is given up") { refused.figures[0].state == .failed }
        refused.finish(within: 0)
        #expect(refused.figures[0].state == .failed)
        server.receiver.program.end()
    }

    @Test(arguments: [
        ("ws://host:80", "ws://host:80", 80, "/"), ("ws://host", "ws://host:80", 80, "/"),
        ("wss://host/a/b?c=d", "wss://host:443/a/b?...", 443, "/a/b?c=d"),
        ("ws://[::1]/x", "ws://[::1]:80/x", 80, "/x"),
        ("ws://[::1]:9/", "ws://[::1]:9", 9, "/"), ("ws://host:8?a", "ws://host:8/?...", 8, "/?a"),
    ])
    func `is read as it is written`(_ word: String, _ shown: String, _ port: Int, _ path: String) throws {
        let target = try StreamTarget(word)
        #expect("\(target)" == shown && target.port == port && target.path == path)
        // What is left out where it is shown is all that is missing.
        #expect(
            try StreamTarget("\(target)".replacing("?...", with: target.path.trimmingPrefix { $0 != "?" })) == target)
    }

    @Test(arguments: [
        ("ws://host/?key=word", "ws://host/?..."), ("ws://host:1/?key=a@word", "ws://..."),
        ("http://me:wo?word@host/", "http://..."), ("icecast://me:wo?word@host/a", "icecast://...@host/a"),
        ("tcp://me:word@host:1", "tcp://...@host:1"), ("file:word?", "file:word?"),
    ])
    func `is named in messages without what may be a secret`(word: String, shown: String) {
        #expect(StreamTarget.harmless(word) == shown)
    }

    @Test(arguments: [
        "ws://", "ws:///a", "ws://:80/", "ws://host:0/", "ws://host:99999", "ws://me:word@host/", "ws://host/a b",
        "ws://host/ä", "ws://host/#a", "ws://host/#token=word", "ws://host/?token=word", "wss://host/?a=b&token=word",
        "ws://host/?%74oken=word",
        "ws://host/?a&tok%65n=word%ff", "ws://host/?token%3Dword", "ws://ho\0st/",
        "ws://host/\r\nX: y", "ws://[::1", "ws://\(String(repeating: "h", count: 200))/",
        "ws://host/\(String(repeating: "h", count: 2000))",
    ])
    func `is refused where it is none`(word: String) {
        let error = #expect(throws: StreamError.self) { try StreamTarget(word) }
        #expect(error?.kind == .unsupported && error?.description.contains("word") == false)
    }

    @Test func `has no packets of more than a receiver takes`() throws {
        var settings = CodecSettings(.float)
        settings.frameMilliseconds = 1000
        let targets = [try StreamTarget("ws://host:1")]
        #expect(throws: Never.self) {
            try StreamSender.check(targets, settings, sampleRate: 48000, channels: 2)
        }
        #expect(throws: StreamError.self) {
            try StreamSender.check(targets, settings, sampleRate: 48000, channels: 8)
        }
    }
}
