import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// `iounit receive` of streams that have the form of a file: from the own page, an Icecast, ffmpeg, a web server, and by TCP.
@Suite("iounit receive by HTTP and TCP", .serialized, .ownServers) struct ReceiveBodyTests {
    private let folder: TemporaryFolder
    private let server: Server

    init() throws {
        folder = try TemporaryFolder()
        var configuration = ServerConfiguration()
        configuration.periodFrames = 256
        server = try Server(configuration)
    }

    private func receive(_ words: String...) throws -> CommandRun {
        try CommandRun(["receive", "--server", server.name, "--name", "ear", "--no-connect", "--json"] + words)
    }

    private func report(_ run: CommandRun, code: Int32) throws -> [String: Any] {
        #expect(try run.end() == code, "\(run.err)")
        return try object(run.out)
    }

    private func number(_ report: [String: Any], _ name: String) throws -> Double {
        try #require(report[name] as? Double ?? (report[name] as? Int).map(Double.init), "\(name)")
    }

    @Test func `plays what iounit serve gives to any player`() throws {
        defer { server.stop() }
        let page = try CommandRun([
            "serve", "--server", server.name, "--name", "web", "--no-connect", "--port", "0", "--source", "tone:1000",
            "--shape", "off", "--gain", "0",
        ])
        try page.wait(until: "the page is there") { page.err.contains("the page is at ") }
        let url = String(page.err.split(separator: "the page is at ")[1].prefix { $0 != "\n" })
        for (name, container, codec) in [
            ("stream.opus", "ogg", "opus"), ("stream.flac", "flac", "flac"), ("stream.wav", "wav", "pcm16"),
        ] {
            let take = GrowingTake(path: folder("\(name).wav"))
            let run = try receive("\(url)\(url.hasSuffix("/") ? "" : "/")\(name)", "--record", take.path)
            try take.wait(for: run, toHear: 24_000)
            run.send(SIGINT)
            let heard = try report(run, code: -SIGINT)
            #expect(heard["container"] as? String == container && heard["codec"] as? String == codec, "\(heard)")
            #expect(try number(heard, "lostPackets") == 0 && number(heard, "damagedPackets") == 0)
            #expect(try number(heard, "playedFrames") > 24000)
            let peak = try #require((heard["peakDecibels"] as? [Double])?.first)
            #expect(abs(peak + 12) < 1.5, "\(peak) dB")
        }
        page.send(SIGINT)
        _ = try page.end()
    }

    @Test func `listens for iounit send, and waits for it again`() throws {
        defer { server.stop() }
        let port = try freePorts()
        let take = GrowingTake(path: folder("heard.wav"))
        let run = try receive("tcp-listen://\(port)", "--record", take.path)
        let place = String(format: ":%04X ", port)
        try run.wait(until: "it listens") {
            (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8))?.contains(place) == true
        }
        for count in 1...2 {
            let sender = try CommandRun([
                "monitor", "--server", server.name, "--name", "mouth", "--no-connect", "--source", "tone:1000",
                "--send", "tcp://127.0.0.1:\(port)",
            ])
            try take.wait(for: run, toHear: 48_000)
            sender.send(SIGINT)
            #expect(try sender.end() == -SIGINT, "\(sender.err)")
            try run.wait(until: "the sender left") {
                run.err.split(separator: "the sender has left; waiting for it").count == count + 1
            }
        }
        run.send(SIGINT)
        let heard = try report(run, code: -SIGINT)
        #expect(try number(heard, "streams") == 2 && number(heard, "playedFrames") > 90_000)
    }

    @Test func `plays a file to its end, and ends with it`() throws {
        defer { server.stop() }
        let (web, port) = try bodyServer()
        let raw = Data((0..<96_000).flatMap { [UInt8(0), UInt8($0 % 100)] })
        try raw.write(to: URL(fileURLWithPath: folder("raw")))
        let words = ["-v", "error", "-f", "s16le", "-ar", "48000", "-ac", "2", "-i", folder("raw"), folder("a.flac")]
        _ = try #require(try Program.output(of: "/usr/bin/ffmpeg", words))
        let run = try receive("http://127.0.0.1:\(port)/length/a.flac", "--record", folder("take.wav"))
        let heard = try report(run, code: 0)
        #expect(run.err.contains("the stream has come to its end") && heard["state"] as? String == "ended")
        #expect(try number(heard, "playedFrames") == 48000 && number(heard, "streams") == 1)
        web.send(SIGKILL)
        _ = try web.end()
    }

    private func bodyServer() throws -> (run: CommandRun, port: Int) {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../AudioStreamingTests/Receivers/body.py").path
        let file = folder("port")
        let run = try CommandRun([script, file, folder.path], program: "/usr/bin/python3")
        try run.wait(until: "it listens") { FileManager.default.fileExists(atPath: file) }
        return (run, try #require(Int(String(contentsOfFile: file, encoding: .utf8))))
    }

    @Test func `plays an Icecast mount, tells when it goes, and plays it again when it is back`() throws {
        defer { server.stop() }
        let icecast = try Icecast()
        let run = try receive(icecast.address("live.opus"))
        try run.wait(until: "it is not there") {
            run.err.contains("it has no stream at /live.opus; check the path; it is tried")
        }
        for count in 1...2 {
            let sender = try CommandRun(
                [
                    "send", "--server", server.name, "--name", "mouth", "--no-connect", "--codec", "opus",
                    icecast.target("live.opus"),
                ], environment: ["IOUNIT_PASSWORD": Icecast.password])
            try run.wait(until: "it is heard") { run.err.split(separator: "receiving from").count == count + 1 }
            sender.send(SIGINT)
            #expect(try sender.end() == -SIGINT, "\(sender.err)")
            try run.wait(until: "it is gone") {
                run.err.split(separator: "the sender has left; waiting for it").count == count + 1
            }
        }
        run.send(SIGINT)
        let heard = try report(run, code: -SIGINT)
        #expect(heard["container"] as? String == "ogg" && heard["codec"] as? String == "opus")
        #expect(try number(heard, "streams") == 2 && number(heard, "damagedPackets") == 0)
    }

    @Test func `says of a station that sends a page instead that it is tried again`() throws {
        defer { server.stop() }
        let (web, port) = try bodyServer()
        let words = ["-v", "error", "-f", "lavfi", "-i", "sine=1000", "-t", "1", "-c:a", "flac", folder("a.oga")]
        _ = try #require(try Program.output(of: "/usr/bin/ffmpeg", words))
        let run = try receive("http://127.0.0.1:\(port)/close/a.oga")
        try run.wait(until: "it receives") { run.err.contains("receiving from") }
        try Data("<html>no</html>".utf8).write(to: URL(fileURLWithPath: folder("a.oga")), options: .atomic)
        try run.wait(until: "the page") { run.err.contains("sends a page and no sound") }
        run.send(SIGINT)
        _ = try report(run, code: -SIGINT)
        let line = run.err.split(separator: "\n").first { $0.contains("sends a page and no sound") }
        #expect(line?.hasSuffix("; it is tried again") == true, "\(run.err)")
        web.send(SIGKILL)
        _ = try web.end()
    }

    @Test func `plays MP3 that ffmpeg sends as it is made`() throws {
        defer { server.stop() }
        let port = try freePorts()
        let source = try Program(
            "/usr/bin/ffmpeg",
            [
                "-v", "error", "-re", "-f", "lavfi", "-i", "sine=1000:sample_rate=44100", "-t", "20", "-b:a", "128k",
                "-f",
                "mp3", "-listen", "1", "http://127.0.0.1:\(port)/live.mp3",
            ])
        defer { source.end() }
        let take = GrowingTake(path: folder("heard.wav"))
        let run = try receive("http://127.0.0.1:\(port)/live.mp3", "--record", take.path)
        try run.wait(until: "it receives") { run.err.contains("(mp3, 44100 Hz, 1 channel)") }
        try take.wait(for: run, toHear: 48_000)
        run.send(SIGINT)
        let heard = try report(run, code: -SIGINT)
        #expect(heard["container"] as? String == "mp3" && heard["codec"] as? String == "float")
        #expect(try number(heard, "playedFrames") > 22050 && number(heard, "lostPackets") == 0)
    }

    @Test func `says each failure with its own code`() throws {
        defer { server.stop() }
        let (web, port) = try bodyServer()
        try Data("<html>no</html>".utf8).write(to: URL(fileURLWithPath: folder("page")))
        func failure(_ words: String...) throws -> (Int32, String) {
            let run = try CommandRun(["receive", "--server", server.name, "--no-connect"] + words)
            return (try run.end(), run.err)
        }
        /// Of one that is tried again: a failure at the end alone.
        func lateFailure(_ word: String, saying words: String) throws -> Int32 {
            let run = try CommandRun(["receive", "--server", server.name, "--no-connect", word])
            try run.wait(until: words) { run.err.contains(words) }
            run.send(SIGINT)
            return try run.end()
        }
        let (secret, secretWords) = try failure("http://127.0.0.1:\(port)/secret/page")
        #expect(secret == 77 && secretWords.contains("give it with --token"), "\(secretWords)")
        let (page, pageWords) = try failure("http://127.0.0.1:\(port)/length/page")
        #expect(page == 76 && pageWords.contains("sends a page and no sound"), "\(pageWords)")
        #expect(try lateFailure("http://127.0.0.1:\(port)/length/none", saying: "it is tried again") == 69)
        let (name, nameWords) = try failure("http://no.such.name.invalid/stream")
        #expect(name == 68 && nameWords.contains("cannot be resolved"), "\(nameWords)")
        let (tcpName, tcpWords) = try failure("tcp://no.such.name.invalid:1")
        #expect(tcpName == 68 && tcpWords.contains("cannot be resolved"), "\(tcpWords)")
        let nobody = try freePorts()
        #expect(try lateFailure("tcp://127.0.0.1:\(nobody)", saying: "use tcp-listen://") == 69)
        let (used, usedWords) = try failure("tcp-listen://\(port)")
        #expect(used == 73 && usedWords.contains("another program listens at that port"), "\(usedWords)")
        web.send(SIGKILL)
        _ = try web.end()
    }
}
