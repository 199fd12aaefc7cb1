import AudioFiles
import AudioIO
import AudioPlugins
import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing
import Threads

@testable import LiveRuns

/// `--freewheel`: a private or a named server runs as fast as it can, as long as the run does.
@Suite("--freewheel", .serialized, .ownServers) struct FreewheelTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func source(frames: Int = 100_000) throws -> String {
        var generator = SeededGenerator(seed: 20)
        var sound = generator.signal(count: frames, magnitude: 0.8)
        // Long enough for the tail of a filter to come so near to zero that only an audio thread takes it for that.
        for frame in frames / 4..<frames / 2 { sound[frame] = 0 }
        try SoundFile(sampleRate: 44_100, channels: [sound]).write(folder("in.wav"))
        return folder("in.wav")
    }

    /// Whether the server runs in time: it refuses to end what is not.
    private func expectInTime(_ server: Server, _ location: SourceLocation = #_sourceLocation) throws {
        let client = try Client(name: "watcher", server: server.name)
        #expect(throws: JackError.self, sourceLocation: location) { try client.setFreewheel(false) }
        try client.close()
    }

    @Test(arguments: [("64", []), ("1024", ["--sync"])])
    func `records the samples of the same run offline, from the source's first frame to its last`(
        period: String, words: [String]
    ) throws {
        let sound = [
            "--source", try source(), "--rate", "48000", "--shape", "asymmetric", "--drive", "12", "--antialias",
            "best",
            "--eq", "peak:40:24:10", "--eq", "lowpass:5k:5",
        ]
        let run = try CommandRun(
            ["monitor", "--dummy", "--freewheel", "--period", period, "--record", folder("a.wav"), "--json"] + words
                + sound)
        #expect(try run.end() == 0, "\(run.err)")
        let offline = try CommandRun(["monitor", "--offline", "--record", folder("b.wav")] + sound)
        #expect(try offline.end() == 0, "\(offline.err)")
        let files = try ["a.wav", "b.wav"].map { try Data(contentsOf: URL(fileURLWithPath: folder($0))) }
        #expect(files[0] == files[1])
        let report = try object(run.out)
        let recorded = try #require(report["recorded"] as? [String: Any])
        // 100 000 frames of 44.1 kHz.
        #expect(recorded["frames"] as? Int == 108_844 && recorded["freewheeledFrames"] as? Int == 108_844)
        #expect((report["source"] as? [String: Any])?["startFrame"] as? Int == 0)
        #expect((report["source"] as? [String: Any])?["underrunFrames"] as? Int == 0)
    }

    /// Of those that a block of silence before the first frame leaves as they are: on a server a run begins before its source.
    @Test(arguments: [
        ("64", ["amp-swh/amp,gain=-3"]), ("256", ["sapistaEQv2/matrix_lr2ms"]), ("64", ["dj_eq-swh/dj_eq,lo=-12"]),
        ("1024", ["sapistaEQv2/bassup", "lookahead_limiter-swh/lookaheadLimiter,limit=-20,delay_s=0.01"]),
        ("2048", ["mda/Delay", "single_para-swh/singlePara,gain=9"]),
    ])
    func `what plug-ins make is sample for sample what lv2apply makes, without their latency`(
        period: String, words: [String]
    ) throws {
        var generator = SeededGenerator(seed: 29)
        let noise = (0..<2).map { _ in generator.signal(count: 20_000, magnitude: 0.5) }
        try SoundFile(sampleRate: 48_000, channels: noise).write(folder("in.wav"))
        let run = try CommandRun(
            ["monitor", "--dummy", "--freewheel", "--period", period, "--source", folder("in.wav")]
                + words.flatMap { ["--plugin", $0] } + ["--record", folder("out.wav"), "--json"])
        #expect(try run.end() == 0, "\(run.err)")
        var wanted = noise
        var latency = 0
        for word in words {
            let parts = word.split(separator: ",").map(String.init)
            let plugin = try Plugin(parts[0], channels: 2)
            for setting in parts.dropFirst() {
                let (name, number) = (setting.prefix { $0 != "=" }, Double(setting.drop { $0 != "=" }.dropFirst()))
                let parameter = try #require(plugin.parameters.first { $0.info.name == name })
                try parameter.set(.number(try #require(number)))
            }
            let values = plugin.info.controls.map { port in
                let parameter = plugin.parameters.first { $0.info.name == port.symbol }
                return (port.symbol, parameter.map { port.number($0.value) } ?? 0)
            }
            let applied = AppliedPlugin(plugin.info.uri, bundle: plugin.info.bundle, values: values)
            wanted = try stride(from: 0, to: 2, by: plugin.info.inputs).flatMap {
                try applied.output(of: Array(wanted[$0..<$0 + plugin.info.inputs]))
            }
            latency += plugin.latencyFrames
        }
        let unit = try #require(try object(run.out)["unit"] as? [String: Any])
        #expect(unit["latencyFrames"] as? Int == latency)
        let made = try SoundFile(reading: folder("out.wav")).channels
        #expect(made.map(\.count) == [20_000, 20_000] && made != noise)
        for (made, wanted) in zip(made, wanted) {
            let late = wanted.dropFirst(latency)
            #expect(late.count == 20_000 - latency && latency < 1000)
            #expect(made.prefix(late.count).elementsEqual(late), "\(words)")
        }
    }

    @Test func `a length in seconds is one of sound`() throws {
        let words = ["--source", "noise", "--antialias", "4x", "--shape", "tanh", "--seconds", "30"]
        let run = try CommandRun(["monitor", "--dummy", "--freewheel", "--record", folder("a.wav"), "--json"] + words)
        #expect(try run.end() == 0, "\(run.err)")
        #expect(try SoundFileReader(path: folder("a.wav")).frames == 30 * 48_000)
        let frames = try #require(try object(run.out)["frames"] as? Int)
        #expect(frames >= 30 * 48_000)
    }

    @Test func `a named server is in time again at the end, after a signal and after a failure`() throws {
        let server = try Server()
        defer { server.stop() }
        let words = ["monitor", "--server", server.name, "--freewheel", "--source"]
        let run = try CommandRun(words + [try source()])
        #expect(try run.end() == 0, "\(run.err)")
        try expectInTime(server)

        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let endless = try CommandRun(words + ["noise", "--seconds", "999h"])
            try endless.wait(until: "it freewheels") { endless.err.contains("freewheeling") }
            endless.send(signal)
            #expect(try endless.end() == -signal, "\(endless.err)")
            try expectInTime(server)
        }
    }

    @Test(arguments: [[], ["--reconnect", "auto", "--reconnect-limit", "0.3"]])
    func `of a server that is killed it is said that it is gone, and not that it may freewheel`(words: [String]) throws
    {
        let server = try Server()
        defer { server.stop() }
        let run = try CommandRun(
            ["monitor", "--server", server.name, "--freewheel", "--source", "noise", "--seconds", "999h"] + words)
        try run.wait(until: "it freewheels") { run.err.contains("freewheeling") }
        server.signal(SIGKILL)
        #expect(try run.end() == 69)
        #expect(run.err.contains("the JACK server went away") && !run.err.contains("may freewheel"), "\(run.err)")
    }

    @Test func `nothing is said of a server that another program has put in time again`() throws {
        let server = try Server()
        defer { server.stop() }
        let run = try CommandRun([
            "monitor", "--server", server.name, "--freewheel", "--source", "noise", "--seconds", "999h",
        ])
        try run.wait(until: "it freewheels") { run.err.contains("freewheeling") }
        let other = try Client(name: "other", server: server.name)
        try other.setFreewheel(false)
        try run.wait(until: "it knows") {
            run.err.range(of: "freewheeling").map { run.err[$0.upperBound...].contains("iounit: running") } ?? false
        }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
        #expect(!run.err.contains("may freewheel"), "\(run.err)")
    }

    @Test func `a server that freewheels already is not ours to end`() throws {
        let server = try Server()
        defer { server.stop() }
        let other = try Client(name: "other", server: server.name)
        try other.setFreewheel(true)
        let refused = try CommandRun([
            "monitor", "--server", server.name, "--freewheel", "--source", "noise", "--seconds", "1",
        ])
        #expect(try refused.end() == 69)
        // JACK gives up on letting a client in after a while, and a busy machine may keep the server from its cycles for longer.
        let reasons = ["it freewheels already", "cannot activate iounit: JACK refused"]
        #expect(reasons.contains { refused.err.contains($0) }, "\(refused.err)")
        // The answer takes 10 s: so long jackd 1.9.21 waits for a client that has left while it freewheels.
        try other.setFreewheel(false)
    }

    @Test func `a disk that fills ends it, and the server is in time again`() throws {
        let server = try Server()
        defer { server.stop() }
        let run = try CommandRun(
            [
                "-m", "bash", "-c",
                """
                cd '\(folder.path)' && mkdir disk && mount -t tmpfs -o size=420k tmpfs disk || exit 99
                exec '\(CommandRun.program)' record --server \(server.name) --freewheel --seconds 60 disk/a.wav
                """,
            ], program: "/usr/bin/unshare")
        #expect(try run.end() == 74, "\(run.err)")
        try expectInTime(server)
    }

    @Test func `a suspended run leaves the server in time, and has it freewheel again when it goes on`() throws {
        let server = try Server()
        defer { server.stop() }
        let run = try CommandRun([
            "monitor", "--server", server.name, "--freewheel", "--source", "noise", "--seconds", "999h",
        ])
        func times() -> Int { run.err.components(separatedBy: "freewheeling:").count - 1 }
        try run.wait(until: "it freewheels") { times() == 1 }
        run.send(SIGTSTP)
        try waitUntil("it is stopped") {
            try String(contentsOfFile: "/proc/\(run.identifier)/stat", encoding: .utf8).contains(") T ")
        }
        try expectInTime(server)
        run.send(SIGCONT)
        try run.wait(until: "it freewheels again") { times() == 2 }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        try expectInTime(server)
    }

    @Test func `what is played to a recording is there to the frame, and the recording as long as asked for`() throws {
        let server = try Server()
        defer { server.stop() }
        try NumberedFrames.file(frames: 400_000).write(folder("numbered.wav"))
        let ear = try CommandRun([
            "record", "--server", server.name, "--name", "ear", "--no-connect", folder("a.wav"),
        ])
        try ear.wait(until: "it records") { ear.err.contains("recording") }
        let player = try CommandRun([
            "play", "--server", server.name, "--output", "^ear:in_", "--freewheel", folder("numbered.wav"),
        ])
        #expect(try player.end() == 0, "\(player.err)")
        try expectInTime(server)
        ear.send(SIGINT)
        #expect(try ear.end() == -SIGINT, "\(ear.err)")
        let numbers = NumberedFrames(in: try SoundFile(reading: folder("a.wav")))
        #expect(numbers.numbers == Array(1...400_000) && numbers.strays == 0)

        let fast = try CommandRun([
            "record", "--server", server.name, "--freewheel", "--seconds", "60", folder("b.wav"),
        ])
        #expect(try fast.end() == 0, "\(fast.err)")
        #expect(try SoundFileReader(path: folder("b.wav")).frames == 60 * 48_000)
        try expectInTime(server)
    }

    @Test func `files that are played follow each other without a gap`() throws {
        let path = try source(frames: 88_200)
        let run = try CommandRun(["play", "--dummy", "--freewheel", "--json", path, path, path])
        #expect(try run.end() == 0, "\(run.err)")
        let report = try object(run.out)
        #expect(report["playedFrames"] as? Int == 288_000 && report["underrunFrames"] as? Int == 0)
    }

    @Test(arguments: [
        (["monitor", "--source", "noise", "--seconds", "1"], "--server"),
        (["record", "--seconds", "1", "a.wav"], "--server"),
        (["play", "a.wav"], "--server"), (["monitor", "--dummy"], "--seconds"),
        (["record", "--dummy", "a.wav"], "--seconds"),
        (["play", "--dummy", "--loop", "a.wav"], "--loop"),
        (["play", "--dummy", "--transport", "a.wav"], "--transport"),
    ])
    func `is refused on the usual server, and where nothing would end it`(words: [String], word: String) throws {
        let run = try CommandRun(words + ["--freewheel"])
        #expect(try run.end() == 64)
        #expect(run.err.contains("--freewheel") && run.err.contains(word), "\(run.err)")
    }
}

@Suite("A run's wish that its server freewheels") struct FreewheelWishTests {
    @Test func `is put to a server that refuses it less and less often, and to another server at once`() throws {
        var (wish, requests) = (FreewheelWish(), 0)
        func refuse() throws(UnitError) {
            requests += 1
            throw .wrongState("no")
        }
        let start = MonotonicClock.nanoseconds()
        // Nobody wants it yet.
        wish.keep(in: .running, at: start, refuse)
        #expect(requests == 0)
        #expect(throws: UnitError.self) { try wish.make(refuse) }
        // For a minute.
        for turn in UInt64(0)..<1800 { wish.keep(in: .running, at: start + turn * 33_000_000, refuse) }
        #expect((5...16).contains(requests) && !wish.isGranted)
        let before = requests
        let end = start + 60_000_000_000
        wish.keep(in: .interrupted(.serverGone), at: end, refuse)
        wish.keep(in: .running, at: end, refuse)
        #expect(requests == before + 1)
        wish.keep(in: .interrupted(.suspended), at: end, refuse)
        for _ in 0..<3 { wish.keep(in: .running, at: end) { requests += 1 } }
        #expect(requests == before + 2 && wish.isGranted)
        let (first, second) = (wish.end(), wish.end())
        #expect(first && !second)
    }
}
