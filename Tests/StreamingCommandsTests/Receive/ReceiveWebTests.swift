import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// `iounit receive` from a server of WebSockets, to which `iounit send` sends.
@Suite("iounit receive by WebSocket", .serialized, .ownServers) struct ReceiveWebTests {
    private let folder: TemporaryFolder
    private let server: Server

    init() throws {
        folder = try TemporaryFolder()
        var configuration = ServerConfiguration()
        configuration.periodFrames = 256
        server = try Server(configuration)
    }

    private func relay(token: String? = nil) throws -> (run: CommandRun, port: Int) {
        try program("relay.py", token.map { [$0] } ?? [])
    }

    private func program(_ name: String, _ words: [String]) throws -> (run: CommandRun, port: Int) {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../AudioStreamingTests/Receivers/\(name)").path
        let file = folder("port-\(UUID().uuidString)")
        let run = try CommandRun([script, file] + words, program: "/usr/bin/python3")
        try run.wait(until: "it listens") { FileManager.default.fileExists(atPath: file) }
        return (run, try #require(Int(String(contentsOfFile: file, encoding: .utf8))))
    }

    private func receive(_ words: String..., token: String? = nil) throws -> CommandRun {
        try CommandRun(
            ["receive", "--server", server.name, "--name", "ear", "--no-connect", "--json"] + words,
            environment: token.map { ["IOUNIT_TOKEN": $0] } ?? [:])
    }

    @Test(arguments: ["flac", "opus", "float"]) func `packets are played, none is lost, and the end is known`(
        codec: String
    ) throws {
        defer { server.stop() }
        let (relay, port) = try relay(token: "sesame")
        let take = GrowingTake(path: folder("heard.wav"))
        let run = try receive("ws://127.0.0.1:\(port)/stream", "--record", take.path, token: "sesame")
        let sender = try CommandRun([
            "monitor", "--server", server.name, "--name", "mouth", "--no-connect", "--source", "tone:1000", "--codec",
            codec, "--send", "ws://127.0.0.1:\(port)/send",
        ])
        try run.wait(until: "it receives") {
            run.err.contains("receiving from ws://127.0.0.1:\(port)/stream (\(codec)")
        }
        try take.wait(for: run, toHear: 48_000)
        sender.send(SIGINT)
        #expect(try sender.end() == -SIGINT, "\(sender.err)")
        try run.wait(until: "the sender left") { run.err.contains("the sender has left") }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let report = try object(run.out)
        func number(_ name: String) throws -> Int { try #require(report[name] as? Int, "\(name)") }
        let isOne = try number("streams") == 1 && number("lostPackets") == 0
        #expect(try isOne || hasStoodStill(report))
        #expect(try number("damagedPackets") == 0)
        #expect(try number("receivedPackets") == number("playedPackets") + number("latePackets"))
        #expect(try number("playedFrames") > 24000)
        #expect(try #require(report["latencyMilliseconds"] as? Double) > 0)
        relay.send(SIGKILL)
        _ = try relay.end()
    }

    /// The page's stream says with a packet of its own how long there was no sound.
    @Test func `a reset of the sender's server is a gap of that length, and the sound goes on behind it`() throws {
        defer { server.stop() }
        let host = try Succession()
        let page = try CommandRun([
            "serve", "--server", host.name, "--name", "mouth", "--no-connect", "--reconnect", "auto", "--port", "0",
            "--source", "tone:1000", "--shape", "off",
        ])
        try page.wait(until: "the page is there") { page.err.contains("the page is at http://") }
        let place = page.err.split(separator: "the page is at http://")[1].prefix { $0 != "/" }
        let take = GrowingTake(path: folder("heard.wav"))
        let run = try receive("ws://\(place)/stream?codec=pcm16", "--record", take.path)
        try take.wait(for: run, toHear: 48_000)
        try host.end(by: SIGKILL)
        try page.wait(until: "it waits") { page.err.contains("the server is gone") }
        let before = take.frames
        // Much longer than a buffer.
        try run.wait(until: "a second has gone by") { take.frames > before + 48_000 }
        try host.startAgain()
        try page.wait(until: "it is back") { page.err.contains("in the graph again") }
        try take.wait(for: run, toHear: 48_000)
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        page.send(SIGINT)
        #expect(try page.end() == -SIGINT, "\(page.err)")
        let report = try object(run.out)
        func number(_ name: String) throws -> Int { try #require(report[name] as? Int, "\(name)") }
        // A busy machine may cost some packets; the gap would be more than a hundred.
        #expect(try number("lostPackets") < 25 && number("damagedPackets") == 0, "\(run.out)")
        // Only a sender that is silent for two seconds has left: a server that starts slowly makes it so long.
        #expect(try number("streams") == 1 || number("gapFrames") > 96_000, "\(run.out)")
        // Silence is played before anybody can know why: the sender tells of the gap when it is over.
        #expect(try number("gapFrames") > 0 && number("gapFrames") + number("silentFrames") > 24_000, "\(run.out)")
        // What lay with the sender meanwhile is no measure of the network: it would be the whole outage, and no machine that is busy
        // adds as much.
        let outageMilliseconds = try Double(number("gapFrames") + number("silentFrames")) / 48
        #expect(
            try #require(report["bufferMilliseconds"] as? Double) < outageMilliseconds * 2 / 3,
            "\(outageMilliseconds), \(run.out)")
        let heard = try SoundFile(reading: take.path).channels[0]
        #expect(heard.suffix(24_000).contains { abs($0) > 0.05 }, "the sound goes on")
    }

    @Test func `a sender of a version that is not ours ends it with 76`() throws {
        defer { server.stop() }
        let (other, port) = try program("opening.py", [#"{"form":"iounit.stream/2","codec":"pcm16"}"#])
        let run = try receive("ws://127.0.0.1:\(port)/stream")
        #expect(try run.end() == 76)
        #expect(
            run.err.contains("of a form that this program does not know") && run.err.contains("iounit.stream/1"),
            "\(run.err)")
        other.send(SIGKILL)
        _ = try other.end()
    }

    @Test func `a wrong token, a page and a server that is not there are each told of`() throws {
        defer { server.stop() }
        let (relay, port) = try relay(token: "sesame")
        func failure(_ run: CommandRun) throws -> (Int32, String) { (try run.end(), run.err) }
        let (wrong, wrongWords) = try failure(receive("ws://127.0.0.1:\(port)/stream", token: "simsim"))
        #expect(wrong == 77 && wrongWords.contains("does not accept the token"), "\(wrongWords)")
        #expect(!wrongWords.contains("simsim"))
        let (none, noneWords) = try failure(receive("ws://127.0.0.1:\(port)/stream"))
        #expect(none == 77 && noneWords.contains("give it with --token"), "\(noneWords)")
        let (other, otherWords) = try failure(receive("ws://127.0.0.1:\(port)/other"))
        #expect(other == 76 && otherWords.contains("has no WebSocket at /other"), "\(otherWords)")
        relay.send(SIGKILL)
        _ = try relay.end()
        // A server may come later, so that it is tried again, and an error at the end alone.
        let gone = try receive("ws://127.0.0.1:\(port)/stream")
        try gone.wait(until: "its words") { gone.err.contains("it is tried again") }
        gone.send(SIGINT)
        #expect(try gone.end() == 69, "\(gone.err)")
        let (name, nameWords) = try failure(receive("ws://no.such.name.invalid/stream"))
        #expect(name == 68 && nameWords.contains("cannot be resolved"), "\(nameWords)")
    }
}
