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
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../AudioStreamingTests/Receivers/relay.py").path
        let file = folder("port-\(UUID().uuidString)")
        let run = try CommandRun([script, file] + (token.map { [$0] } ?? []), program: "/usr/bin/python3")
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
        let run = try receive("ws://127.0.0.1:\(port)/stream", token: "sesame")
        let sender = try CommandRun([
            "send", "--server", server.name, "--name", "mouth", "--no-connect", "--seconds", "2.5", "--codec", codec,
            "ws://127.0.0.1:\(port)/send",
        ])
        try run.wait(until: "it receives") {
            run.err.contains("receiving from ws://127.0.0.1:\(port)/stream (\(codec)")
        }
        #expect(try sender.end() == 0, "\(sender.err)")
        try run.wait(until: "the sender left") { run.err.contains("the sender has left") }
        run.send(SIGINT)
        #expect(try run.end() == 130, "\(run.err)")
        let report = try object(run.out)
        func number(_ name: String) throws -> Int { try #require(report[name] as? Int, "\(name)") }
        #expect(try number("streams") == 1 && number("lostPackets") == 0 && number("damagedPackets") == 0)
        #expect(try number("receivedPackets") == number("playedPackets") + number("latePackets"))
        #expect(try number("playedFrames") > 24000)
        #expect(try #require(report["latencyMilliseconds"] as? Double) > 0)
        relay.send(SIGKILL)
        _ = try relay.end()
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
        let (gone, goneWords) = try failure(receive("--seconds", "1", "ws://127.0.0.1:\(port)/stream"))
        #expect(gone == 69 && goneWords.contains("it is tried again"), "\(goneWords)")
        let (name, nameWords) = try failure(receive("ws://no.such.name.invalid/stream"))
        #expect(name == 68 && nameWords.contains("cannot be resolved"), "\(nameWords)")
    }
}
