import AudioFiles
import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// `iounit send` on a server on which another program plays, and foreign programs that receive.
@Suite("iounit send", .serialized, .ownServers) struct SendTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Patient: each frame that is played is counted, however long the machine holds a client up.
    private func server() throws -> Server { try Listening.server() }

    private func send(on server: Server, _ words: [String]) throws -> CommandRun {
        try CommandRun(["send", "--server", server.name, "--name", "ear", "--no-connect", "--json"] + words)
    }

    /// Plays frames that tell where they stand, to the end.
    private func play(on server: Server, frames: Int = 50_000) throws {
        try NumberedFrames.file(frames: frames).write(folder("numbered.wav"))
        let player = try CommandRun(["play", "--server", server.name, "--output", "^ear:in_", folder("numbered.wav")])
        #expect(try player.end() == 0, "\(player.err)")
    }

    private func targets(_ run: CommandRun) throws -> [[String: Any]] {
        let report = try object(run.out)
        #expect(report["schema"] as? String == "iounit.send/2")
        return try #require(report["targets"] as? [[String: Any]])
    }

    @Test func `listeners at TCP ports get all of it to the bit, each in its form`() throws {
        let server = try server()
        defer { server.stop() }
        let listeners = [try StreamListener(in: folder), try StreamListener(in: folder)]
        let file = folder("a.wav")
        let run = try send(on: server, listeners.map(\.target) + ["file:\(file)"])
        try run.wait(until: "all are reached") {
            (listeners.map(\.target) + ["file:\(file)"]).allSatisfy { run.err.contains("sending to \($0) (") }
        }
        try play(on: server)
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        for sound in try listeners.map({ try $0.heard(in: folder) }) + [SoundFile(reading: file)] {
            let numbers = NumberedFrames(in: sound)
            #expect(numbers.numbers == Array(1...50_000) && numbers.strays == 0 && sound.sampleRate == 48_000)
        }
        let targets = try targets(run)
        #expect(targets.map { $0["codec"] as? String } == ["flac", "flac", "float"])
        for target in targets {
            #expect(target["state"] as? String == "connected" && target["lostPackets"] as? Int == 0)
            #expect(target["reconnections"] as? Int == 0 && target["error"] is NSNull)
            #expect(try #require(target["sentPackets"] as? Int) > 100)
        }
        #expect(targets[2]["sentBytes"] as? Int == bytesOnDisk(file))
    }

    @Test func `plug-ins stand before the encoder, and are told of`() throws {
        let server = try server()
        defer { server.stop() }
        let bundle = try ProbeBundle.folder()
        let file = folder("a.wav")
        let run = try CommandRun(
            [
                "send", "--server", server.name, "--name", "ear", "--no-connect", "--json", "--plugin",
                "probe/probe,gain=2,delay=64", "file:\(file)",
            ], environment: ["LV2_PATH": bundle.path])
        try run.wait(until: "it sends") { run.err.contains("sending to file:") }
        try play(on: server, frames: 20_000)
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let heard = NumberedFrames(in: try SoundFile(reading: file))
        #expect(heard.numbers == (1...20_000).map { 2 * $0 } && heard.strays == 0)
        let plugins = try #require(try object(run.out)["plugins"] as? [[String: Any]])
        #expect(plugins.map { $0["latencyFrames"] as? Int } == [64])
    }

    /// What ffmpeg receives by the description while a file is played.
    private func received(_ words: [String], playing: (Server) throws -> Void) throws -> (SoundFile, CommandRun) {
        let server = try server()
        defer { server.stop() }
        let port = try freePorts()
        let run = try send(on: server, ["rtp://127.0.0.1:\(port)", "--sdp", folder("a.sdp")] + words)
        try run.wait(until: "it sends") { run.err.contains("sending to rtp://127.0.0.1:\(port)") }
        let receiver = try CommandRun(
            [
                "-nostdin", "-v", "error", "-protocol_whitelist", "file,udp,rtp", "-i", folder("a.sdp"),
                // It is ended when the player has, however slowly a busy machine starts that.
                "-t", "60", "-c:a", "pcm_f32le", "-flush_packets", "1", folder("heard.wav"),
            ], program: "/usr/bin/ffmpeg")
        let place = String(format: ":%04X ", port)
        try receiver.wait(until: "it listens") {
            (try? String(contentsOfFile: "/proc/net/udp", encoding: .utf8))?.contains(place) == true
        }
        try playing(server)
        // A receiver tells of no event when the last packets have come: they have when two seconds of the silence behind are there.
        let secondBytes = 48000 * 2 * MemoryLayout<Float>.size
        let before = bytesOnDisk(folder("heard.wav"))
        try receiver.wait(until: "silence follows") { bytesOnDisk(folder("heard.wav")) > before + 2 * secondBytes }
        receiver.send(SIGINT)
        // How ffmpeg ends by a signal, with a whole file.
        #expect(try receiver.end() == 255, "\(receiver.err)")
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        return (try SoundFile(reading: folder("heard.wav")), run)
    }

    @Test func `ffmpeg receives RTP from the description, sample by sample`() throws {
        let (sound, run) = try received(["--codec", "pcm24"]) { try play(on: $0) }
        let numbers = NumberedFrames(in: sound)
        // A machine that is busy may lose some datagrams, and never mix two.
        #expect(numbers.isInOrder && numbers.strays == 0 && numbers.halves == 0)
        #expect(numbers.numbers.count > 12_000, "\(numbers.numbers.count)")
        let target = try targets(run)[0]
        let packets = try #require(target["sentPackets"] as? Int)
        // 10 ms of stereo with 24 bits each, or less before each gap of a busy server; of those before anybody listened the
        // kernel said so.
        let lost = try #require(target["lostPackets"] as? Int)
        #expect(lost > 0 && packets > 80)
        let bytes = try #require(target["sentBytes"] as? Int)
        let heard = 6 * numbers.numbers.count
        #expect((heard...(packets + lost) * 2880).contains(bytes) && bytes.isMultiple(of: 6), "\(target)")
    }

    @Test func `ffmpeg receives Opus from the description, at the same pitch`() throws {
        let tone = (0..<96_000).map { 0.5 * Float(sin(2 * Double.pi * 1000 * Double($0) / 48_000)) }
        try SoundFile(sampleRate: 48_000, channels: [tone]).write(folder("tone.wav"))
        let (sound, _) = try received(["--bitrate", "96k"]) { server in
            let player = try CommandRun([
                "play", "--server", server.name, "--channels", "2", "--output", "^ear:in_", folder("tone.wav"),
            ])
            #expect(try player.end() == 0, "\(player.err)")
        }
        let loud = sound.channels[0].drop { abs($0) < 0.1 }.dropFirst(4800).prefix(48_000)
        #expect(abs(SoundFile(sampleRate: 48_000, channels: [Array(loud)]).pitch - 1000) < 2)
        // Of a sine 99 % are below 0.9995 of its peak. The rest may be where a busy machine has lost a datagram.
        #expect(abs(loud.sorted()[loud.count * 99 / 100] - 0.5) < 0.1)
    }

    @Test func `a receiver that goes away is tried again, and gets what comes then`() throws {
        let server = try server()
        defer { server.stop() }
        let first = try StreamListener(in: folder)
        let other = try StreamListener(in: folder)
        let run = try send(on: server, [first.target, other.target, "--codec", "pcm24"])
        try run.wait(until: "both are reached") {
            [first, other].allSatisfy { run.err.contains("sending to \($0.target) (pcm24, 48000 Hz)") }
        }
        first.kill()
        try run.wait(until: "its end is told") { run.err.contains("; it is tried again") }
        let second = try StreamListener(in: folder, port: first.port)
        try run.wait(until: "it is reached again") {
            run.err.contains("sending to \(first.target) (pcm24, 48000 Hz) again")
        }
        try play(on: server)
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        for listener in [second, other] {
            let numbers = NumberedFrames(in: try listener.heard(in: folder))
            #expect(numbers.numbers == Array(1...50_000) && numbers.strays == 0)
        }
        let targets = try targets(run)
        #expect(targets.map { $0["reconnections"] as? Int } == [1, 0])
        #expect(targets.map { $0["state"] as? String } == ["connected", "connected"])
        #expect(try #require(targets[0]["lostPackets"] as? Int) > 0 && targets[1]["lostPackets"] as? Int == 0)
        #expect(targets[0]["error"] is String && targets[1]["error"] is NSNull)
    }

    @Test func `a named pipe brings it to another program`() throws {
        let pipe = folder("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let server = try server()
        defer { server.stop() }
        let run = try send(on: server, ["file:\(pipe)"])
        try run.wait(until: "nobody reads yet") { run.err.contains("nobody reads from it") }
        let reader = try CommandRun(
            ["--silent", "--decode", "--output-name", folder("out.wav"), pipe], program: "/usr/bin/flac")
        try run.wait(until: "it is read") { run.err.contains("sending to file:\(pipe) (flac") }
        try play(on: server)
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT && reader.end() == 0, "\(run.err) \(reader.err)")
        #expect(NumberedFrames(in: try SoundFile(reading: folder("out.wav"))).numbers == Array(1...50_000))
    }
}
