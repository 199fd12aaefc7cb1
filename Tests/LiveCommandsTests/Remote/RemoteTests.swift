import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@testable import LiveRuns

/// `--osc`, `--midi` and the page of every subcommand that stays on a server.
@Suite("Control from outside", .serialized, .ownServers) struct RemoteTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func start(_ words: [String]) throws -> (run: CommandRun, surface: OSCSurface) {
        let run = try CommandRun(
            words + ["--dummy", "--osc", "0", "--json"], environment: ["XDG_CONFIG_HOME": folder.path])
        return (run, try OSCSurface(run))
    }

    private func get(_ url: String) throws -> String {
        let run = try CommandRun(["-s", "-f", "-m", "10", "--retry", "20", url], program: "/usr/bin/curl")
        _ = try run.end()
        return run.out
    }

    private func tone(_ name: String, seconds: Double) throws -> String {
        let (code, _, err) = try CommandRun.run(
            "monitor", "--offline", "--source", "tone:440", "--seconds", "\(seconds)", "--record", folder(name))
        #expect(code == 0, "\(err)")
        return folder(name)
    }

    private func number(_ address: String, _ surface: OSCSurface) throws -> Float {
        guard case .float(let number)? = try surface.ask(OSCMessage(address)).arguments.first else { return 0 }
        return number
    }

    /// What is given to each, and the code with which it ends: nothing comes to a receiver here.
    static let subcommands: [(words: [String], code: Int32)] = [
        (["monitor"], 0), (["serve", "--port", "0"], 0), (["record", "FOLDER/take.wav"], 0),
        (["send", "file:FOLDER/sent.flac"], 0), (["receive", "rtp://127.0.0.1:PORT"], 69), (["beat"], 0),
        (["tune"], 0), (["play", "FOLDER/tone.wav"], 0),
    ]

    @Test(arguments: subcommands)
    func `each has gain, figures and an end by OSC, ports for controllers, a page, and a stream`(
        words: [String], code: Int32
    ) throws {
        if words[0] == "play" { _ = try tone("tone.wav", seconds: 60) }
        let port = try freePorts()
        // Those whose own work is a stream have no other one.
        let sends = words[0] != "send" && words[0] != "receive"
        let (run, surface) = try start(
            words.map {
                $0.replacingOccurrences(of: "FOLDER", with: folder.path).replacingOccurrences(
                    of: "PORT", with: "\(port)")
            } + ["--midi"] + (words[0] == "serve" ? [] : ["--serve=127.0.0.1:0"])
                + (sends ? ["--send", "file:\(folder("beside.wav"))"] : []))
        #expect(try surface.ask(OSCMessage("/iounit/gain")) == OSCMessage("/iounit/gain", .float(0)))
        try surface.set(OSCMessage("/iounit/gain", .float(-6)))
        try surface.wait(for: OSCMessage("/iounit/state", .text("running")))
        #expect(try surface.ask(OSCMessage("/iounit/cycles")).arguments.count == 1)
        #expect(try surface.ask(OSCMessage("/iounit/meters")).address.hasPrefix("/iounit/meters/"))
        try run.wait(until: "the page is there") { run.err.contains("the page is at ") }
        let url = run.err.split(separator: "the page is at ")[1].prefix { $0 != "\n" }
        let status = try object(try get("\(url)status.json"))
        #expect(status["schema"] as? String == "iounit.\(words[0] == "serve" ? "monitor" : words[0])/2")
        #expect(try get("\(url)metrics").contains("\niounit_cycles_total "))
        // Where the server stands still for half a second, it is interrupted meanwhile.
        try waitUntil("it is healthy") { try get("\(url)healthz") == "running\n" }
        surface.send(OSCMessage("/iounit/end"))
        #expect(try run.end() == code, "\(run.err)")
        let report = try object(run.out)
        #expect(try #require(report["page"] as? [String: Any])["listenings"] as? Int == 0)
        if let gain = (report["unit"] as? [String: Any] ?? report)["gainDecibels"] as? Double { #expect(gain == -6) }
        let osc = try #require(report["osc"] as? [String: Any])
        #expect(osc["refusals"] as? Int == 0 && osc["malformed"] as? Int == 0)
        #expect(try #require(osc["changes"] as? Int) >= 2)
        #expect((report["midi"] as? [String: Any])?["mappings"] as? Int == 0)
        guard sends else { return }
        let targets = try #require((report["sent"] as? [String: Any])?["targets"] as? [[String: Any]])
        #expect(targets.map { $0["state"] as? String } == ["connected"])
        #expect(try SoundFile(reading: folder("beside.wav")).frames > 0)
    }

    @Test func `a recording begins, is marked, goes on in the next file, pauses and ends`() throws {
        let (run, surface) = try start(["record", folder("take.wav"), "--wait"])
        #expect(try surface.ask(OSCMessage("/iounit/record")).arguments == [.integer(0)])
        try surface.set(OSCMessage("/iounit/record", .integer(1)))
        // A split at the first frame makes no file, and while the server is held up no other frame comes.
        try waitUntil("it has begun") { try number("/iounit/recording/seconds", surface) > 0 }
        surface.send(OSCMessage("/iounit/mark"))
        surface.send(OSCMessage("/iounit/split"))
        try surface.wait(for: OSCMessage("/iounit/recording/file", .text(folder("take-2.wav"))))
        try surface.set(OSCMessage("/iounit/record", .integer(0)))
        surface.send(OSCMessage("/iounit/end"))
        #expect(try run.end() == 0, "\(run.err)")
        let file = try #require((try object(run.out)["files"] as? [[String: Any]])?.first)
        #expect(file["segments"] as? [String] == [folder("take.wav"), folder("take-2.wav")])
        let sidecar = try String(contentsOfFile: try #require(file["sidecar"] as? String), encoding: .utf8)
        #expect(sidecar.contains("mark 1"))
    }

    @Test(arguments: [["record", "FOLDER/take.wav"], ["monitor", "--record", "FOLDER/take.wav"]])
    func `of two requests that a recording has not acted on yet the last one counts`(words: [String]) throws {
        let server = try Server(ServerConfiguration())
        defer { server.stop() }
        let run = try CommandRun(
            words.map { $0.replacingOccurrences(of: "FOLDER", with: folder.path) }
                + ["--server", server.name, "--osc", "0", "--json"], environment: ["XDG_CONFIG_HOME": folder.path])
        let surface = try OSCSurface(run)
        try surface.wait(for: OSCMessage("/iounit/record", .integer(1)))
        try server.freeze()
        try surface.set(OSCMessage("/iounit/record", .integer(0)))
        try surface.set(OSCMessage("/iounit/record", .integer(1)))
        server.signal(SIGCONT)
        let before = try number("/iounit/recording/seconds", surface)
        try waitUntil("the recording goes on") { try number("/iounit/recording/seconds", surface) > before + 1 }
        surface.send(OSCMessage("/iounit/end"))
        #expect(try run.end() == 0, "\(run.err)")
    }

    @Test func `of two requests that the transport has not acted on yet the last one counts`() throws {
        let path = try tone("tone.wav", seconds: 60)
        let server = try Server(ServerConfiguration())
        defer { server.stop() }
        let run = try CommandRun(
            ["play", "--transport", path, "--server", server.name, "--osc", "0"],
            environment: ["XDG_CONFIG_HOME": folder.path])
        let surface = try OSCSurface(run)
        try surface.set(OSCMessage("/iounit/pause", .integer(0)))
        try server.freeze()
        surface.send(OSCMessage("/iounit/pause", .integer(1)))
        surface.send(OSCMessage("/iounit/pause", .integer(0)))
        // Both have come when this is answered.
        let before = try number("/iounit/position", surface)
        server.signal(SIGCONT)
        try waitUntil("the transport rolls on") { try number("/iounit/position", surface) > before + 1 }
        surface.send(OSCMessage("/iounit/end"))
        #expect(try run.end() == 0, "\(run.err)")
    }

    @Test func `a recording that has failed is off, and why is said to who turns it on`() throws {
        let server = try Server(ServerConfiguration())
        defer { server.stop() }
        // The limit on a file's size stands for a disk that is full.
        let command = "'\(CommandRun.program)' monitor --server \(server.name) --source tone --osc 0"
        let run = try CommandRun(
            ["-c", "ulimit -f 200; exec \(command) --record '\(folder("full.wav"))'"], program: "/bin/sh",
            environment: ["XDG_CONFIG_HOME": folder.path])
        let surface = try OSCSurface(run)
        try surface.wait(for: OSCMessage("/iounit/record", .integer(0)))
        try waitUntil("it is refused") {
            let answer = try surface.ask(OSCMessage("/iounit/record", .integer(1)))
            return answer.arguments.last?.text?.contains("is the disk full?") == true
        }
        surface.send(OSCMessage("/iounit/end"))
        #expect(try run.end() == 74, "\(run.err)")
    }

    @Test func `a server that stands still is trouble, and ends no pause`() throws {
        let server = try Server(ServerConfiguration())
        defer { server.stop() }
        let run = try CommandRun(
            ["monitor", "--server", server.name, "--osc", "0"], environment: ["XDG_CONFIG_HOME": folder.path])
        let surface = try OSCSurface(run)
        try surface.wait(for: OSCMessage("/iounit/state", .text("running")))
        try surface.set(OSCMessage("/iounit/pause", .integer(1)))
        try server.freeze()
        try surface.wait(for: OSCMessage("/iounit/state", .text("interrupted")))
        try waitUntil("it says why") {
            try surface.ask(OSCMessage("/iounit/trouble")).arguments.first?.text?.contains("stands still") == true
        }
        #expect(try surface.ask(OSCMessage("/iounit/pause")).arguments == [.integer(1)])
        server.signal(SIGCONT)
        try surface.wait(for: OSCMessage("/iounit/state", .text("paused")))
        try surface.set(OSCMessage("/iounit/pause", .integer(0)))
        surface.send(OSCMessage("/iounit/end"))
        #expect(try run.end() == 0, "\(run.err)")
    }

    @Test func `files are played on and back, again and again, and the next one after the last is the end`() throws {
        let names = ["one.wav", "two.wav"]
        let (run, surface) = try start(["play"] + names.map { try tone($0, seconds: 60) })
        try surface.wait(for: OSCMessage("/iounit/file", .text("one.wav")))
        surface.send(OSCMessage("/iounit/next"))
        try surface.wait(for: OSCMessage("/iounit/file", .text("two.wav")))
        surface.send(OSCMessage("/iounit/previous"))
        try surface.wait(for: OSCMessage("/iounit/file", .text("one.wav")))
        try surface.set(OSCMessage("/iounit/loop", .integer(1)))
        try surface.set(OSCMessage("/iounit/loop", .integer(0)))
        try surface.set(OSCMessage("/iounit/pause", .integer(1)))
        try surface.set(OSCMessage("/iounit/pause", .integer(0)))
        surface.send(OSCMessage("/iounit/next"))
        try surface.wait(for: OSCMessage("/iounit/file", .text("two.wav")))
        surface.send(OSCMessage("/iounit/next"))
        #expect(try run.end() == 0, "\(run.err)")
        let files = try #require(try object(run.out)["files"] as? [[String: Any]])
        #expect(files.allSatisfy { ($0["plays"] as? Int ?? 0) >= 1 && $0["error"] is NSNull })
    }

    @Test func `a port that is taken ends the run before anything is made`() throws {
        let (run, surface) = try start(["record", folder("first.wav")])
        let path = folder("second.wav")
        let (code, out, err) = try CommandRun.run("record", path, "--dummy", "--osc", "\(surface.port)")
        #expect(code == 73 && out.isEmpty && err.contains("\(surface.port)"), "\(err)")
        #expect(!FileManager.default.fileExists(atPath: path))
        surface.send(OSCMessage("/iounit/end"))
        #expect(try run.end() == 0, "\(run.err)")
    }
}
