import AudioFiles
import Foundation
import TestSupport
import Testing

@testable import AudioStreaming

@Suite("A sender of streams") struct SenderTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func settings(_ codec: Codec) -> CodecSettings { CodecSettings(codec) }

    /// What a program of another's makes of a stream: samples of 32 bits.
    private func decoded(_ program: String, _ arguments: [String]) throws -> [Int32] {
        let data = try Program.output(of: "/usr/bin/\(program)", arguments)
        return try #require(data, "\(program) fails, or is not installed").withUnsafeBytes {
            Array($0.bindMemory(to: Int32.self))
        }
    }

    private func integers(_ samples: some Sequence<Float>) -> [Int32] {
        samples.map { Int32(Double($0) * 2_147_483_648) }
    }

    private func saved(_ data: Data, _ name: String) throws -> String {
        try data.write(to: URL(fileURLWithPath: folder(name)))
        return folder(name)
    }

    /// Holds all back, and then stops.
    private final class BrittleEncoder: PacketEncoder {
        let format: StreamFormat
        let frames = 480

        init(_: CodecSettings, inputRate _: Int, sampleRate: Int, channels: Int) {
            format = StreamFormat(sampleRate: sampleRate, channels: channels, sampleFormat: .int16)
        }

        func encode(_: PCMBuffer) -> [EncodedPayload] { [] }
        func finish() throws(StreamError) -> [EncodedPayload] { throw StreamError(.codec, "encode it", "it stopped") }
    }

    @Test func `says why what an encoder held back is lost`() throws {
        // Under the name of one that is known.
        let codec = Codec(
            name: "pcm16", isLossless: true, title: "Brittle", channels: 1...2, sampleFormat: { _ in .int16 },
            encoder: BrittleEncoder.self, decoder: PCMPacketDecoder.self, rtp: Codec.pcm16.rtp)
        let sender = try StreamSender(
            to: [StreamTarget("rtp://127.0.0.1:\(try freePorts())")], CodecSettings(codec), sampleRate: 48000,
            channels: 1)
        try sender.send(sine(440, frames: 480, channels: 1, sampleRate: 48000), channels: 1)
        #expect(sender.failure == nil)
        sender.finish(within: 0)
        #expect(sender.failure?.reason == "it stopped")
    }

    // MARK: What arrives

    @Test(arguments: [(Codec.flac, 24), (.pcm16, 16), (.pcm24, 24)])
    func `brings a listener at a TCP port what went in, to the bit`(codec: Codec, bits: Int)
        throws
    {
        let (receiver, target) = try Receiver.listening(folder: folder)
        let sound = steppedNoise(frames: 60_007, channels: 2, bits: bits)
        let sender = try StreamSender(to: [target], settings(codec), sampleRate: 48000, channels: 2)
        try sender.send(sound, channels: 2)
        sender.finish(within: 60)
        #expect(sender.figures.map(\.lostPackets) == [0] && sender.figures.map(\.state) == [.ended])
        let received = try receiver.heard()
        #expect(sender.figures.map(\.sentBytes) == [UInt64(received.count)])
        let path = try saved(received, codec == .flac ? "a.flac" : "a.wav")
        let ffmpeg = try decoded(
            "ffmpeg", ["-v", "error", "-i", path, "-f", "s32le", "-c:a", "pcm_s32le", "-"])
        #expect(ffmpeg == integers(sound))
        let sox = try decoded("sox", ["-V1", path, "-t", "s32", "-"])
        #expect(sox == integers(sound))
    }

    @Test func `brings Ogg Opus, in which opusinfo finds nothing wrong and opusdec all of the sound`()
        throws
    {
        let (receiver, target) = try Receiver.listening(folder: folder)
        let sound = sine(440, frames: 2 * 44_100, channels: 1, sampleRate: 44_100)
        let sender = try StreamSender(to: [target], settings(.opus), sampleRate: 44_100, channels: 1)
        try sender.send(sound, channels: 1, sampleRate: 44_100)
        sender.finish(within: 60)
        let path = try saved(receiver.heard(), "a.opus")
        let info = try #require(try Program.output(of: "/usr/bin/opusinfo", [path]))
        #expect(!String(decoding: info, as: UTF8.self).localizedCaseInsensitiveContains("warning"))
        #expect(
            try Program.output(of: "/usr/bin/opusdec", ["--quiet", "--float", path, folder("b.wav")])
                != nil)
        let reader = try SoundFileReader(path: folder("b.wav"))
        #expect(reader.frames == 96_000)
        var heard = [Float](repeating: 0, count: 96_000)
        #expect(try reader.read(96_000, into: &heard) == 96_000)
        let due = sine(440, frames: 96_000, channels: 1, sampleRate: 48_000)
        let error = errorDecibels(heard[10_000..<80_000], due[10_000..<80_000])
        #expect(error < -25, "\(error) dB")
    }

    @Test func `brings MP3 at the bit rate that was asked for, as a stream and as a file`() throws {
        let (receiver, target) = try Receiver.listening(folder: folder)
        var settings = settings(.mp3)
        settings.bitRate = 192_000
        let sound = sine(440, frames: 96_000, channels: 2, sampleRate: 96_000)
        let file = try StreamTarget("file:\(folder("a.mp3"))")
        let sender = try StreamSender(to: [target, file], settings, sampleRate: 96_000, channels: 2)
        try sender.send(sound, channels: 2, sampleRate: 96_000)
        sender.finish(within: 60)
        for path in [try saved(receiver.heard(), "b.mp3"), folder("a.mp3")] {
            let said = try Program.output(
                of: "/usr/bin/ffprobe",
                ["-v", "error", "-show_entries", "stream=codec_name,sample_rate,bit_rate", "-of", "csv=p=0", path])
            #expect(said.map { String(decoding: $0, as: UTF8.self) } == "mp3,48000,192000\n")
            #expect(try decoded("ffmpeg", ["-v", "error", "-i", path, "-f", "s32le", "-"]).count >= 2 * 48_000)
        }
    }

    @Test(arguments: [64_000, 320_000]) func `brings Opus in a file at about the bit rate that was asked for`(
        bitRate: Int
    ) throws {
        var settings = settings(.opus)
        settings.bitRate = bitRate
        let target = try StreamTarget("file:\(folder("a.opus"))")
        let sender = try StreamSender(to: [target], settings, sampleRate: 48_000, channels: 2)
        try sender.send(steppedNoise(frames: 96_000, channels: 2, bits: 16), channels: 2)
        sender.finish(within: 60)
        let bits = try 8 * Data(contentsOf: URL(fileURLWithPath: folder("a.opus"))).count / 2
        #expect((bitRate * 4 / 5...bitRate * 6 / 5).contains(bits), "\(bits)")
    }

    @Test func `writes a file, and into a named pipe when somebody reads it`() throws {
        #expect(mkfifo(folder("pipe"), 0o600) == 0)
        let targets = try ["file:\(folder("a.wav"))", "file:\(folder("pipe"))"].map {
            try StreamTarget($0)
        }
        let sound = steppedNoise(frames: 48_000, channels: 1, bits: 24)
        let sender = try StreamSender(
            to: targets, settings(.float), sampleRate: 48000, channels: 1, queueSeconds: 5)
        try waitUntil("the pipe has no reader") { sender.figures[1].failure != nil }
        #expect(sender.figures[1].failure?.description.contains("nobody reads from it") == true)
        let reader = try Receiver(
            "/usr/bin/sox", ["-V1", "-t", "wav", folder("pipe"), "-t", "s32", "-"], folder: folder)
        try waitUntil("the pipe is reached") { sender.figures[1].state == .connected }
        try sender.send(sound, channels: 1)
        sender.finish(within: 60)
        let heard = try reader.heard().withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
        #expect(heard == integers(sound))
        #expect(try decoded("sox", ["-V1", folder("a.wav"), "-t", "s32", "-"]) == integers(sound))
        #expect(sender.figures.map(\.lostFrames) == [0, 0], "\(sender.figures)")
    }

    @Test func `puts silence in the place of time that was not rendered`() throws {
        let (receiver, target) = try Receiver.listening(folder: folder)
        let sound = steppedNoise(frames: 9600, channels: 1, bits: 16)
        let sender = try StreamSender(to: [target], settings(.flac), sampleRate: 48000, channels: 1)
        try sender.send(sound, channels: 1)
        try sender.gap(nanoseconds: 100_000_000, cause: "reset", wallNanoseconds: 0)
        try sender.send(sound, channels: 1)
        sender.finish(within: 60)
        let path = try saved(receiver.heard(), "a.flac")
        let heard = try decoded(
            "ffmpeg", ["-v", "error", "-i", path, "-f", "s32le", "-c:a", "pcm_s32le", "-"])
        #expect(heard == integers(sound + [Float](repeating: 0, count: 4800) + sound))
    }

    // MARK: What does not

    @Test func `loses whole packets of a target that takes nothing, and none of another's`() throws {
        let (stalled, slow) = try Receiver.listening(["--stall"], folder: folder)
        let (receiver, target) = try Receiver.listening(folder: folder)
        let sender = try StreamSender(
            to: [slow, target], settings(.float), sampleRate: 48000, channels: 2, queueSeconds: 1)
        try waitUntil("both are reached") { sender.figures.allSatisfy { $0.state == .connected } }
        // More than a socket holds, as fast as the other one takes it.
        let sound = steppedNoise(frames: 40 * 48000, channels: 2, bits: 24)
        let due = integers(sound)
        for start in stride(from: 0, to: sound.count, by: 48000) {
            try waitUntil("the other one has room") { sender.figures[1].waitingPackets < 40 }
            try sender.send(Array(sound[start..<(start + 48000)]), channels: 2)
            // A stream begins with the first packet that is not lost.
            if start == 0 { try waitUntil("both have begun") { sender.figures.allSatisfy { $0.sentPackets > 0 } } }
        }
        #expect(sender.figures[0].lostPackets > 0 && sender.figures[1].lostPackets == 0)
        #expect(sender.figures[0].waitingPackets <= 101)
        stalled.go()
        sender.finish(within: 60)
        let figures = sender.figures
        #expect(
            figures[0].sentPackets + figures[0].lostPackets == 4000 && figures[1].sentPackets == 4000)
        #expect(figures[0].lostFrames == 480 * figures[0].lostPackets)
        #expect(
            try decoded("sox", ["-V1", saved(receiver.heard(), "a.wav"), "-t", "s32", "-"]) == due)
        // What was lost is silent, and all else is where it was.
        let heard = try decoded("sox", ["-V1", saved(stalled.heard(), "b.wav"), "-t", "s32", "-"])
        #expect(heard.count == due.count)
        let differing = zip(heard, due).filter { $0 != $1 }
        #expect(differing.allSatisfy { $0.0 == 0 })
        // Noise has a zero now and then.
        #expect(
            UInt64(differing.count) <= 2 * figures[0].lostFrames
                && differing.count > Int(figures[0].lostFrames))
    }

    @Test func `reaches a target again that went away, and says what it lost`() throws {
        let (first, target) = try Receiver.listening(folder: folder)
        let sender = try StreamSender(
            to: [target], settings(.pcm16), sampleRate: 48000, channels: 1, queueSeconds: 0.2)
        try waitUntil("it is reached") { sender.figures[0].state == .connected }
        let sound = steppedNoise(frames: 480, channels: 1, bits: 16)
        try sender.send(sound, channels: 1)
        first.program.end()
        try waitUntil("its end is seen") {
            try sender.send(sound, channels: 1)
            usleep(2000)
            return sender.figures[0].state == .connecting
        }
        #expect(sender.figures[0].failure?.kind == .network)
        let (second, _) = try Receiver.listening(["--port", "\(target.port)"], folder: folder)
        try waitUntil("it is reached again") {
            try sender.send(sound, channels: 1)
            usleep(2000)
            return sender.figures[0].connections == 2
        }
        sender.finish(within: 60)
        let heard = try decoded("sox", ["-V1", saved(second.heard(), "a.wav"), "-t", "s32", "-"])
        #expect(heard.suffix(480) == integers(sound)[...])
        #expect(sender.figures[0].lostPackets > 0)
    }

    /// After 90 s as a rule: a receiver may stall for a minute, and one whose machine is gone says nothing at all.
    @Test func `gives a connection up that has taken nothing for long`() throws {
        let (stalled, slow) = try Receiver.listening(["--stall"], folder: folder)
        defer { stalled.program.end() }
        var encoder = try StreamEncoder(settings(.float), sampleRate: 48000, channels: 2)
        let context = LinkContext(
            target: slow, settings: settings(.float), opening: encoder.opening(firstFrame: 0, wallNanoseconds: 0),
            waits: { true }, silenceSeconds: 0.5)
        let link = try context.connect()
        let error = #expect(throws: StreamError.self) {
            while true {
                let samples = [Float](repeating: 0.5, count: 96_000)
                for packet in try encoder.encode(samples, sampleRate: 48000, wallNanoseconds: 0) {
                    _ = try link.send(packet)
                }
            }
        }
        #expect(error?.kind == .network, "\(String(describing: error))")
        _ = try? link.close()
    }

    @Test func `fills no more than the first million frames of a gap where it is ended, and tells`() throws {
        let path = folder("gap.wav")
        let encoder = try StreamEncoder(settings(.pcm16), sampleRate: 48000, channels: 1)
        let context = LinkContext(
            target: try StreamTarget("file:\(path)"), settings: settings(.pcm16),
            opening: encoder.opening(firstFrame: 0, wallNanoseconds: 0), waits: { false })
        let link = try context.connect()
        func packet(_ flags: StreamPacket.Flags, _ first: UInt64, _ frames: UInt32, bytes: Int) -> StreamPacket {
            StreamPacket(
                flags: flags, sequence: 0, firstFrame: first, frames: frames, wallNanoseconds: 0,
                payload: [UInt8](repeating: 0, count: bytes))
        }
        #expect(try link.send(packet([], 0, 480, bytes: 960)))
        #expect(try link.send(packet(.gap, 480, 1 << 20, bytes: 0)))
        let error = #expect(throws: StreamError.self) {
            try link.send(packet(.gap, 480 + 1 << 20, 1 << 21, bytes: 0))
        }
        #expect(error?.kind == .file && error?.reason.contains("missing at its end") == true)
        try link.close()
        #expect(try SoundFileReader(path: path).frames == 480 + 2 << 20)
    }

    @Test func `ends soon though a target takes nothing`() throws {
        let (stalled, slow) = try Receiver.listening(["--stall"], folder: folder)
        defer { stalled.program.end() }
        let sender = try StreamSender(to: [slow], settings(.float), sampleRate: 48000, channels: 2)
        try waitUntil("it is reached") { sender.figures[0].state == .connected }
        try sender.send([Float](repeating: 0.5, count: 96_000 * 60), channels: 2)
        sender.finish(within: 0.3)
        #expect(sender.figures[0].state == .ended && sender.figures[0].waitingPackets == 0)
        #expect(sender.figures[0].lostPackets > 0)
    }

    @Test(arguments: [
        ("tcp://no.such.host.invalid:9", "cannot be resolved"),
        ("tcp://127.0.0.1:1", "nobody listens there"),
        ("file:/no/such/folder/a.wav", "its folder does not exist"),
    ])
    func `says in a sentence why a target is not reached`(word: String, reason: String) throws {
        let sender = try StreamSender(
            to: [StreamTarget(word)], settings(.pcm16), sampleRate: 48000, channels: 1)
        try waitUntil("it is said") { sender.figures[0].failure != nil }
        let said = "\(try #require(sender.figures[0].failure))"
        #expect(said.hasPrefix("cannot send to \(word): ") && said.contains(reason), "\(said)")
        sender.finish(within: 0)
    }

    @Test(arguments: [
        "", "tcp://", "tcp://host", "tcp://:80", "tcp://host:0", "tcp://host:65536", "tcp://host:+80",
        "rtp://[::1]:+80", "ws://host:+80/a", "icecast://host:+80/a",
        "tcp://host:80/path",
        "http://host:80", "rtp://user@host:80", "file:", "tcp://\0:8",
    ])
    func `takes no target that is none`(word: String) {
        #expect(#expect(throws: StreamError.self) { try StreamTarget(word) }?.kind == .unsupported)
    }

    @Test(arguments: ["tcp://host:80", "tcp://[::1]:80", "rtp://10.0.0.1:5004", "file:/a b.wav"])
    func `reads targets as they are written`(word: String) throws {
        #expect(try "\(StreamTarget(word))" == word)
    }
}
