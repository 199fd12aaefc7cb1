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

    /// What ffmpeg hears of a mount until the source ends. Of MP3 it would look at nine seconds before it plays any.
    private func listener(_ mount: String) throws -> Receiver {
        let haste = mount.hasSuffix(".mp3") ? ["-f", "mp3", "-probesize", "4000"] : []
        return try Receiver(
            "/usr/bin/ffmpeg",
            ["-nostdin", "-v", "error"] + haste + [
                "-i", icecast.address(mount), "-f", "s32le", "-c:a", "pcm_s32le", "-",
            ],
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

    @Test(arguments: [Codec.opus, .mp3])
    func `is brought Ogg Opus or MP3, which a listener hears at the same pitch`(_ codec: Codec) throws {
        var settings = CodecSettings(codec)
        settings.bitRate = 128_000
        let mount = "live.\(codec.name)"
        let sender = try StreamSender(to: [target(mount)], settings, sampleRate: 48000, channels: 2)
        let sound = sine(1000, frames: 96_000, channels: 2, sampleRate: 48000)
        let listener = try send(sound, sender, hearing: mount)
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

    /// What waits when the stream ends is brought, and the stream ended as its form has it.
    @Test(arguments: [Codec.flac, .opus, .mp3])
    func `is brought the last sound before the end`(_ codec: Codec) throws {
        let file = folder("port")
        let mount = try Receiver(
            "/usr/bin/python3", [Receiver.script("mount.py"), "--port-file", file], folder: folder)
        try waitUntil("it listens") { FileManager.default.fileExists(atPath: file) }
        let port = try String(contentsOfFile: file, encoding: .utf8)
        let target = try StreamTarget("icecast://source:word@127.0.0.1:\(port)/a")
        let sender = try StreamSender(
            to: [target], CodecSettings(codec), sampleRate: 48000, channels: 2, queueSeconds: 5)
        try waitUntil("it is reached") { sender.figures[0].state == .connected }
        let sound = steppedNoise(frames: 100_003, channels: 2, bits: 24)
        try sender.send(sound, channels: 2)
        sender.finish(within: 30)
        #expect(sender.figures[0].lostPackets == 0 && sender.figures[0].failure == nil)
        try mount.heard().write(to: URL(fileURLWithPath: folder("a")))
        let raw = try Program.output(
            of: "/usr/bin/ffmpeg", ["-v", "error", "-i", folder("a"), "-f", "s32le", "-c:a", "pcm_s32le", "-"])
        let heard = try #require(raw).withUnsafeBytes { bytes in
            bytes.bindMemory(to: Int32.self).map { Float(Double($0) / 2_147_483_648) }
        }
        if codec == .flac { #expect(heard == sound) }
        // The delays of the others are in it: of Opus the last packet's rest too.
        #expect(heard.count >= sound.count && heard.count < sound.count + 2 * 4000, "\(heard.count / 2)")
        let last = heard[..<sound.count].suffix(2000)
        #expect(last.contains { abs($0) > 0.1 })
    }

    /// Between the bytes of the sound, and in what stands before them.
    @Test func `of MP3 shows the listeners what the stream is called`() throws {
        var settings = CodecSettings(.mp3)
        settings.bitRate = 96_000
        var target = try target("a.mp3")
        target.station.title = "Töne & Klang; 100% + x=y"
        let sender = try StreamSender(to: [target], settings, sampleRate: 48000, channels: 1)
        try waitUntil("it is reached") { sender.figures[0].state == .connected }
        try waitUntil("icecast has the title") {
            try sender.send([Float](repeating: 0, count: 4800), channels: 1, speed: 1)
            return try icecast.status()?["a.mp3"]?["title"] as? String == target.station.title
        }
        let facts = try #require(try icecast.status()?["a.mp3"])
        #expect(
            facts["genre"] as? String == "test" && facts["server_type"] as? String == "audio/mpeg"
                && facts["bitrate"] as? Int == 96)
        let listener = try Receiver(
            "/usr/bin/python3", [Receiver.script("icy.py"), icecast.address("a.mp3")], folder: folder)
        try waitUntil("a listener has it") {
            try sender.send([Float](repeating: 0, count: 4800), channels: 1, speed: 1)
            return !listener.program.isRunning
        }
        // Icecast says it in ISO 8859-1 where its mount has no other.
        let said = try String(data: listener.heard(), encoding: .isoLatin1)
        #expect(said == "StreamTitle='Töne & Klang; 100% + x=y';")
        sender.finish(within: 5)
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
