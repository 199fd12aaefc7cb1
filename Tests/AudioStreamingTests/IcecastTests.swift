import AudioFiles
import AudioStreaming
import Foundation
import TestSupport
import Testing

/// A real icecast2 takes the stream, and ffmpeg listens to it.
@Suite("A target of Icecast") struct IcecastTests {
    private let folder: TemporaryFolder
    private let icecast: Icecast
    init() throws {
        folder = try TemporaryFolder()
        icecast = try Icecast()
    }

    private func target(_ mount: String, secret: String = Icecast.password) throws -> StreamTarget {
        var target = try StreamTarget(icecast.target(mount))
        target.access.secret = try Secret(secret)
        target.station.title = "Night tones"
        target.station.genre = "test"
        target.station.description = "größer"
        return target
    }

    /// What ffmpeg hears of a mount until the source ends.
    private func listener(_ mount: String) throws -> Receiver {
        try Receiver(
            "/usr/bin/ffmpeg",
            ["-nostdin", "-v", "error", "-i", icecast.address(mount), "-f", "s32le", "-c:a", "pcm_s32le", "-"],
            folder: folder)
    }

    private func listeners(_ mount: String) throws -> Int {
        try icecast.status()?[mount]?["listeners"] as? Int ?? 0
    }

    private func samples(_ receiver: Receiver) throws -> [Float] {
        try receiver.heard().withUnsafeBytes { bytes in
            bytes.bindMemory(to: Int32.self).map { Float(Double($0) / 2_147_483_648) }
        }
    }

    /// Sends as fast as it lasts until somebody listens, and then the sound.
    private func send(_ sound: [Float], _ sender: StreamSender, hearing mount: String) throws -> Receiver {
        try waitUntil("it is reached") { sender.figures[0].state == .connected }
        let silence = [Float](repeating: 0, count: 2 * 4800)
        var receiver: Receiver?
        try waitUntil("somebody listens") {
            try sender.send(silence, channels: 2, speed: 1)
            guard try icecast.status()?[mount] != nil else { return false }
            if receiver == nil { receiver = try listener(mount) }
            return try listeners(mount) == 1
        }
        try sender.send(silence + silence, channels: 2, speed: 1)
        try sender.send(sound, channels: 2, speed: 1)
        try sender.send(silence + silence, channels: 2, speed: 1)
        sender.finish(within: 10)
        return try #require(receiver)
    }

    @Test func `is brought Ogg FLAC, which a listener hears to the bit, and what the stream is called`() throws {
        let sender = try StreamSender(
            to: [target("live.flac")], CodecSettings(.flac), sampleRate: 48000, channels: 2)
        let sound = steppedNoise(frames: 48_000, channels: 2, bits: 24)
        let listener = try send(sound, sender, hearing: "live.flac")
        let heard = try samples(listener)
        let start = try #require(heard.firstIndex { $0 != 0 })
        #expect(start.isMultiple(of: 2) && Array(heard[start...].prefix(sound.count)) == sound)
        #expect(sender.figures[0].lostPackets == 0 && sender.figures[0].state == .ended)
    }

    @Test func `is brought Ogg Opus, which a listener hears at the same pitch`() throws {
        var settings = CodecSettings(.opus)
        settings.bitRate = 128_000
        let sender = try StreamSender(to: [target("live.opus")], settings, sampleRate: 48000, channels: 2)
        let sound = sine(1000, frames: 96_000, channels: 2, sampleRate: 48000)
        let listener = try send(sound, sender, hearing: "live.opus")
        let heard = try samples(listener)
        let left = stride(from: 0, to: heard.count, by: 2).map { heard[$0] }
        let start = try #require(left.firstIndex { abs($0) > 0.1 })
        let loud = Array(left[(start + 4800)..<(start + 4800 + 48_000)])
        // As often as it goes up through zero in a second.
        let crossings = zip(loud, loud.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect(abs(crossings - 1000) <= 1 && abs((loud.max() ?? 0) - 0.5) < 0.05)
        let end = try #require(left.lastIndex { abs($0) > 0.1 })
        #expect(abs(end - start - 96_000) < 2000, "\(end - start)")
    }

    @Test func `says what the stream is called`() throws {
        let sender = try StreamSender(
            to: [target("a.opus")], CodecSettings(.opus), sampleRate: 48000, channels: 1)
        try waitUntil("it is reached") { sender.figures[0].state == .connected }
        try sender.send([Float](repeating: 0, count: 9600), channels: 1)
        try waitUntil("icecast tells of it") { try icecast.status()?["a.opus"]?["subtype"] != nil }
        let facts = try #require(try icecast.status()?["a.opus"])
        #expect(facts["server_name"] as? String == "Night tones" && facts["genre"] as? String == "test")
        #expect(facts["server_description"] as? String == "größer" && facts["subtype"] as? String == "Opus")
        sender.finish(within: 5)
        try waitUntil("the mount is gone") { try icecast.status()?["a.opus"] == nil }
    }

    private func failure(_ target: StreamTarget) throws -> StreamError {
        let sender = try StreamSender(to: [target], CodecSettings(.opus), sampleRate: 48000, channels: 1)
        defer { sender.finish(within: 0) }
        try waitUntil("it is said") { sender.figures[0].failure != nil }
        return try #require(sender.figures[0].failure)
    }

    @Test func `is refused with the reason`() throws {
        let denied = try failure(target("a.opus", secret: "wrong-word"))
        #expect(denied.kind == .denied && !"\(denied)".contains("wrong-word"), "\(denied)")
        #expect(try failure(StreamTarget(icecast.target("a.opus"))).reason.contains("--password"))
        let first = try StreamSender(
            to: [target("a.opus")], CodecSettings(.opus), sampleRate: 48000, channels: 1)
        try waitUntil("it is reached") { first.figures[0].state == .connected }
        let used = try failure(target("a.opus"))
        #expect(used.kind == .network && used.reason.contains("another source sends to /a.opus"), "\(used)")
        first.finish(within: 0)
        icecast.kill()
        let gone = try failure(target("a.opus"))
        #expect(gone.kind == .network && gone.reason.contains("nobody listens"), "\(gone)")
        let name = try failure(StreamTarget("icecast://source:word@no.such.host.invalid/a"))
        #expect(name.kind == .unresolved)
    }

    @Test func `that went away is reached again, and another target loses nothing`() throws {
        let file = try StreamTarget("file:\(folder("a.flac"))")
        let sender = try StreamSender(
            to: [target("a.flac"), file], CodecSettings(.flac), sampleRate: 48000, channels: 2)
        try waitUntil("both are reached") { sender.figures.allSatisfy { $0.state == .connected } }
        let sound = steppedNoise(frames: 4800, channels: 2, bits: 24)
        var count = 0
        func send() throws {
            try sender.send(sound, channels: 2, speed: 4)
            count += 1
        }
        let broadcast = { sender.figures.first { $0.target.kind == .icecast } }
        for _ in 0..<10 { try send() }
        icecast.kill()
        try waitUntil("its end is seen") {
            try send()
            return broadcast()?.state == .connecting
        }
        try icecast.start()
        try waitUntil("it is reached again") {
            try send()
            return broadcast()?.connections == 2
        }
        sender.finish(within: 20)
        #expect(try #require(broadcast()).lostPackets > 0)
        let other = try #require(sender.figures.first { $0.target.kind == .file })
        #expect(other.lostPackets == 0 && other.failure == nil)
        let reader = try SoundFileReader(path: folder("a.flac"))
        #expect(reader.frames == count * 4800)
    }
}

@Suite("The name of a target of Icecast") struct IcecastNameTests {
    @Test(
        arguments: [
            ("icecast://host/a", "icecast://source@host:8000/a", nil),
            ("icecast://host:1/a.ogg", "icecast://source@host:1/a.ogg", nil),
            ("icecast://me@[::1]:9/a/b", "icecast://me@[::1]:9/a/b", nil),
            ("icecast://source:w/o:r@d@host:8000/a", "icecast://source@host:8000/a", "w/o:r@d"),
        ] as [(String, String, String?)])
    func `is read as it is written, and shown without its password`(_ word: String, _ shown: String, _ secret: String?)
        throws
    {
        let target = try StreamTarget(word)
        #expect("\(target)" == shown)
        #expect(try target.access.secret == secret.map { try Secret($0) })
    }

    @Test(arguments: [
        "icecast://host", "icecast://host/", "icecast://@host/a", "icecast://:hidden@host/a",
        "icecast://source:@host/a",
        "icecast://source:hid den@host/a", "icecast://source:hidden@/a", "icecast://source:hidden@host:0/a",
        "icecast://source:hidden@host/a?b", "icecast://ä:hidden@host/a",
    ])
    func `is refused where it is none, without its password`(word: String) {
        let error = #expect(throws: StreamError.self) { try StreamTarget(word) }
        #expect(
            error?.kind == .unsupported && error?.description.contains("hid") == false, "\(String(describing: error))")
    }
}
