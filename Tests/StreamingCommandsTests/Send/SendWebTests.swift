import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("iounit send to a WebSocket", .serialized, .ownServers) struct SendWebTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func secretFile(_ text: String = "hidden-word\n") throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder("token")))
        return "file:\(folder("token"))"
    }

    @Test(arguments: ["file", "env:MY_WORD", ""])
    func `a server gets all of it to the bit, and the token is seen nowhere else`(_ form: String) throws {
        // Patient: each frame that is played is counted, however long the machine holds a client up.
        let server = try Listening.server()
        defer { server.stop() }
        let listener = try WebListener(["--token", "hidden-word"], in: folder)
        let token = form.isEmpty ? [] : ["--token", form == "file" ? try secretFile() : form]
        let variable = form.isEmpty ? "IOUNIT_TOKEN" : "MY_WORD"
        let run = try CommandRun(
            ["send", "--server", server.name, "--name", "ear", "--no-connect", "--json", listener.target] + token,
            environment: form == "file" ? [:] : [variable: "hidden-word"])
        try run.wait(until: "it is reached") { run.err.contains("sending to \(listener.target) (flac, 48000 Hz)") }
        let words = try String(contentsOfFile: "/proc/\(run.identifier)/cmdline", encoding: .utf8)
        #expect(words.contains("--json") && !words.contains("hidden"))
        try NumberedFrames.file(frames: 50_000).write(folder("numbered.wav"))
        let player = try CommandRun(["play", "--server", server.name, "--output", "^ear:in_", folder("numbered.wav")])
        #expect(try player.end() == 0, "\(player.err)")
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        #expect(!run.out.contains("hidden") && !run.err.contains("hidden"))
        let (packets, samples) = try listener.heard()
        let channels = (0..<2).map { first in stride(from: first, to: samples.count, by: 2).map { samples[$0] } }
        let numbers = NumberedFrames(in: SoundFile(sampleRate: 48000, channels: channels))
        #expect(numbers.numbers == Array(1...50_000) && numbers.strays == 0 && numbers.halves == 0)
        let target = try #require((try object(run.out)["targets"] as? [[String: Any]])?.first)
        #expect(target["target"] as? String == listener.target && target["state"] as? String == "connected")
        #expect(target["lostPackets"] as? Int == 0 && target["unconfirmedPackets"] as? Int == 0)
        // But for what the decoder needs first.
        #expect(target["sentPackets"] as? Int == packets.count - 1)
    }

    @Test(arguments: [
        (["--token", "right"], Int32(77), "it does not accept the token"),
        (["--status", "404"], 76, "it has no WebSocket at /stream"), (["--status", "200"], 76, "answers with a page"),
    ])
    func `a server that refuses ends it with its own sentence and code`(
        _ arguments: [String], _ code: Int32, _ reason: String
    ) throws {
        let listener = try WebListener(arguments, in: folder)
        let run = try CommandRun.run("send", "--dummy", listener.target, "--token", secretFile())
        #expect(run.code == code && run.out.isEmpty, "\(run.code) \(run.err)")
        #expect(run.err.contains("cannot send to \(listener.target): ") && run.err.contains(reason), "\(run.err)")
        #expect(!run.err.contains("hidden"))
        listener.kill()
    }

    @Test func `a certificate that is not accepted ends it, and is no reason to end the others`() throws {
        let made = try CommandRun.tool(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
            "/CN=x", "-addext", "subjectAltName=DNS:localhost", "-keyout", folder("key"), "-out", folder("ca"))
        try #require(made.code == 0, "\(made.err)")
        let both = try ["key", "ca"].map { try String(contentsOfFile: folder($0), encoding: .utf8) }.joined()
        try Data(both.utf8).write(to: URL(fileURLWithPath: folder("both")))
        let listener = try WebListener(["--certificate", folder("both"), "--connections", "9"], in: folder)
        let target = "wss://localhost:\(listener.port)/stream"
        let run = try CommandRun.run("send", "--dummy", target)
        #expect(run.code == 76 && run.err.contains("its certificate is not accepted"), "\(run.code) \(run.err)")
        let file = folder("a.wav")
        let both2 = try CommandRun.run("send", "--dummy", "--seconds", "2", target, "file:\(file)")
        #expect(both2.code == 76 && both2.out.contains("GIVEN UP"), "\(both2.code) \(both2.err)")
        #expect(try SoundFile(reading: file).frames > 12_000)
        // Without an end of its own: one that reaches the server as it ends does not say so.
        let right = try CommandRun(["send", "--dummy", target, "--tls-ca", folder("ca")])
        try right.wait(until: "it is reached") { right.err.contains("sending to \(target) (flac") }
        right.send(SIGINT)
        #expect(try right.end() == -SIGINT, "\(right.err)")
        let missing = try CommandRun.run("send", "--dummy", target, "--tls-ca", folder("no"))
        #expect(missing.code == 66 && missing.err.contains("No such file"), "\(missing.err)")
        listener.kill()
    }

    @Test func `a token that cannot be read, or stands on the command line, is refused and not repeated`() throws {
        for (form, code, reason) in [
            ("hidden-word", Int32(64), "file:PATH or env:NAME"),
            ("file:/no/such/file", 66, "cannot read /no/such/file: No such file or directory"),
            ("file:/", 66, "cannot read /: Is a directory"),
            ("env:NO_SUCH_VARIABLE", 66, "NO_SUCH_VARIABLE"), ("file:", 64, "file:PATH or env:NAME"),
        ] {
            let run = try CommandRun.run("send", "--dummy", "ws://127.0.0.1:1", "--token", form)
            #expect(run.code == code && run.err.contains(reason) && !run.err.contains("hidden"), "\(run.err)")
        }
        let spaced = try CommandRun.run("send", "--dummy", "ws://127.0.0.1:1", "--token", secretFile("hidden word"))
        #expect(spaced.code == 64 && !spaced.err.contains("hidden"), "\(spaced.err)")
        let address = try CommandRun.run("send", "--dummy", "ws://127.0.0.1:1/?token=hidden")
        #expect(address.code == 64 && address.err.contains("--token") && !address.err.contains("hidden"))
    }
}
