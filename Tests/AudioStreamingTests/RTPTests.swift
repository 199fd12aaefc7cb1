import AudioFiles
import AudioStreaming
import Foundation
import TestSupport
import Testing

@Suite("RTP") struct RTPTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// What `rtp.py` prints.
    private struct Received: Decodable {
        struct Packet: Decodable {
            var version, marker, type, sequence, time, source: Int
            var payload: [UInt8]
        }
        struct Report: Decodable {
            var source, time, packets, bytes: Int
            var wall: Double
        }
        var packets: [Packet]
        var reports: [Report]
        var names: [String]
        var goodbyes: [Int]
    }

    /// Sends, with a gap of 100 ms behind the first `frames`, until the receiver has heard `count` packets.
    private func received(
        _ settings: CodecSettings, count: Int, sampleRate: Int, channels: Int = 2, frames: Int,
        after: Int
    ) throws -> Received {
        let port = try freePorts()
        let receiver = try Receiver(
            "/usr/bin/python3", [Receiver.script("rtp.py"), "\(port)", "\(count)"], folder: folder)
        // It has no way to say that it is ready: its port shows.
        try waitUntil("the receiver is there") { try Self.isBound(port + 1) }
        let sender = try StreamSender(
            to: [StreamTarget("rtp://127.0.0.1:\(port)")], settings, sampleRate: sampleRate,
            channels: channels)
        let sound = sine(440, frames: frames + after, channels: channels, sampleRate: sampleRate)
        try sender.send(
            Array(sound.prefix(frames * channels)), channels: channels, sampleRate: sampleRate, speed: 2)
        try sender.gap(nanoseconds: 100_000_000, cause: "reset", wallNanoseconds: 0)
        try sender.send(
            Array(sound.dropFirst(frames * channels)), channels: channels, sampleRate: sampleRate,
            speed: 2)
        sender.finish(within: 20)
        return try JSONDecoder().decode(Received.self, from: receiver.heard())
    }

    private static func isBound(_ port: Int) throws -> Bool {
        let hexadecimal = String(format: ":%04X", port)
        return try String(contentsOfFile: "/proc/net/udp", encoding: .utf8).contains(
            "0100007F\(hexadecimal)")
    }

    @Test func `has numbers, time stamps, marks and samples as its standards say`() throws {
        // 10 ms of stereo with 24 bits are sent in parts of up to 1400 bytes: 233, 233 and 14 frames.
        let all = try received(
            CodecSettings(.pcm24), count: 12, sampleRate: 48000, frames: 960, after: 960)
        let (packets, first) = (all.packets, all.packets[0])
        #expect(packets.allSatisfy { $0.version == 2 && $0.type == 96 && $0.source == first.source })
        #expect(packets.map { ($0.sequence - first.sequence) & 0xffff } == Array(0..<12))
        #expect(packets.map(\.marker) == [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0])
        let starts = [0, 233, 466, 480, 713, 946]
        #expect(
            packets.map { ($0.time - first.time) & 0xffff_ffff } == starts
                + starts.map { $0 + 960 + 4800 })
        let sound = sine(440, frames: 1920, channels: 2, sampleRate: 48000)
        let due = sound.flatMap { sample -> [UInt8] in
            let integer = Int32((Double(sample) * 8_388_608).rounded(.toNearestOrEven))
            return [16, 8, 0].map { UInt8(truncatingIfNeeded: integer >> Int32($0)) }
        }
        #expect(packets.flatMap(\.payload) == due)
        #expect(all.goodbyes == [first.source] && all.names == ["\(first.source)@iounit"])
        let report = try #require(all.reports.first)
        #expect(report.source == first.source && report.time == first.time && all.reports.count == 1)
        #expect(abs(report.wall - 1_700_000_000) < 0.001)
        #expect(report.packets == 3 && report.bytes == 480 * 6)
    }

    @Test(arguments: [(2.5, 48000), (20, 48000), (20, 16000)])
    func `of Opus has time stamps of 48 kHz that go on without a hole`(
        milliseconds: Double, rate: Int
    ) throws {
        var settings = CodecSettings(.opus)
        settings.frameMilliseconds = milliseconds
        let size = Int(milliseconds * Double(rate) / 1000)
        let all = try received(
            settings, count: 20, sampleRate: rate, channels: 1, frames: size * 10, after: size * 10)
        let first = all.packets[0]
        // Of the delay comes one packet more, or a few.
        let marked = all.packets.indices.filter { all.packets[$0].marker == 1 }
        #expect(marked.count == 2 && marked[0] == 0 && marked[1] > 10)
        let step = Int(milliseconds * 48)
        for (index, packet) in all.packets.enumerated() {
            let part = index < marked[1] ? index : index - marked[1]
            let start = index < marked[1] ? 0 : step * 10 + 4800
            #expect((packet.time - first.time) & 0xffff_ffff == start + part * step)
        }
    }

    /// What ffmpeg makes of a description and of what comes.
    private func heard(
        _ settings: CodecSettings, _ sound: [Float], channels: Int, sampleRate: Int = 48000, decoder: [String] = [],
        form: [String]
    ) throws -> Data {
        let port = try freePorts()
        let target = try StreamTarget("rtp://127.0.0.1:\(port)")
        let sender = try StreamSender(to: [target], settings, sampleRate: sampleRate, channels: channels)
        try sender.sessionDescriptions[0].text.write(
            toFile: folder("a.sdp"), atomically: true, encoding: .utf8)
        let receiver = try Receiver(
            "/usr/bin/ffmpeg",
            ["-v", "error", "-protocol_whitelist", "file,udp,rtp"] + decoder + [
                "-i", folder("a.sdp"), "-t", "1",
            ] + form
                + ["-"],
            folder: folder)
        try waitUntil("ffmpeg listens") {
            try String(contentsOfFile: "/proc/net/udp", encoding: .utf8).contains(
                String(format: ":%04X ", port))
        }
        // Until it has what it wants.
        let end = ContinuousClock.now + .seconds(60)
        while receiver.program.isRunning, ContinuousClock.now < end {
            try sender.send(sound, channels: channels, sampleRate: sampleRate, speed: 1)
        }
        sender.finish(within: 20)
        return try receiver.heard()
    }

    @Test(arguments: [(Codec.pcm16, 16), (.pcm24, 24)])
    func `is received by ffmpeg from the description, to the bit`(codec: Codec, bits: Int)
        throws
    {
        // So little of it that the kernel keeps it for a while where ffmpeg does not read.
        let sound = steppedNoise(frames: 8000, channels: 1, bits: bits)
        let data = try heard(
            CodecSettings(codec), sound, channels: 1, sampleRate: 16_000, form: ["-f", "s32le", "-c:a", "pcm_s32le"])
        let all = data.withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
        let due = sound.map { Int32(Double($0) * 2_147_483_648) }
        #expect(all.count == 16_000)
        // It begins where ffmpeg did, and the sound repeats itself.
        let start = try #require(
            due.indices.first { start in
                (0..<8).allSatisfy { all[$0] == due[(start + $0) % due.count] }
            })
        #expect(all.indices.allSatisfy { all[$0] == due[(start + $0) % due.count] })
    }

    @Test(arguments: [false, true])
    func `of Opus is received by ffmpeg from the description, at the same pitch`(corrects: Bool)
        throws
    {
        var settings = CodecSettings(.opus)
        settings.bitRate = 96_000
        settings.hasForwardErrorCorrection = corrects
        let sound = sine(1000, frames: 48_000, channels: 1, sampleRate: 48000)
        // Its own decoder makes noise of packets with forward error correction.
        let data = try heard(
            settings, sound, channels: 1, decoder: corrects ? ["-c:a", "libopus"] : [],
            form: ["-f", "f32le", "-ac", "2"])
        let both = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        let all = both.indices.filter { $0 % 2 == 0 }.map { both[$0] }.suffix(24_000)
        let crossings = zip(all, all.dropFirst()).filter { $0.0 < 0 && $0.1 >= 0 }.count
        #expect(abs(crossings - 500) <= 2)
        #expect(abs((all.max() ?? 0) - 0.5) < 0.05)
    }

    @Test func `is described for IPv6, Opus and correction too`() throws {
        var settings = CodecSettings(.opus)
        settings.hasForwardErrorCorrection = true
        let sender = try StreamSender(
            to: [StreamTarget("rtp://[::1]:5004")], settings, sampleRate: 44_100, channels: 1)
        let text = try #require(sender.sessionDescriptions.first).text
        for line in [
            "v=0", "c=IN IP6 ::1", "m=audio 5004 RTP/AVP 96", "a=rtpmap:96 opus/48000/2",
            "a=fmtp:96 sprop-stereo=0;useinbandfec=1", "a=ptime:20",
        ] { #expect(text.contains("\(line)\r\n"), "\(text)") }
        sender.finish(within: 0)
    }

    @Test(arguments: [Codec.flac, .float])
    func `does not carry what it has no form for`(codec: Codec) {
        let error = #expect(throws: StreamError.self) {
            _ = try StreamSender(
                to: [StreamTarget("rtp://127.0.0.1:5004")], CodecSettings(codec), sampleRate: 48000,
                channels: 2)
        }
        #expect(error?.kind == .unsupported)
    }
}
