import AudioFiles
import CommandSyntax
import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import LiveCommands

/// `iounit monitor --offline`: no server, and the same sound each time.
@Suite("iounit monitor --offline") struct OfflineTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Noise with a pause in it, at a rate of its own.
    private func source(frames: Int, sampleRate: Int) throws -> String {
        var generator = SeededGenerator(seed: 19)
        try SoundFile(sampleRate: sampleRate, channels: [generator.signal(count: frames)]).write(folder("in.wav"))
        return folder("in.wav")
    }

    @discardableResult
    private func run(_ words: [String], environment: [String: String] = [:]) throws -> (out: String, err: String) {
        let run = try CommandRun(["monitor", "--offline"] + words, environment: environment)
        #expect(try run.end() == 0, "\(run.err)")
        return (run.out, run.err)
    }

    private static let effects = [
        "--shape", "tanh", "--drive", "12", "--antialias", "best", "--eq", "peak:1k:6:2", "--eq", "highpass:80",
        "--compressor", "threshold=-30,ratio=3,makeup=6", "--limiter", "ceiling=-3",
    ]

    @Test(arguments: [
        (22_050, 33_075, nil, 64, 33_075), (22_050, 22_050, 48_000, 1000, 48_000), (48_000, 4_801, 96_000, 8192, 9_602),
        (44_100, 44_100, 8_000, 1, 8_000),
    ])
    func `records as many frames as the source has at the run's rate, whatever the period`(
        own: Int, frames: Int, rate: Int?, period: Int, expected: Int
    ) throws {
        let out = folder("out.wav")
        let (text, _) = try run(
            [
                "--source", try source(frames: frames, sampleRate: own), "--period", "\(period)", "--record", out,
                "--json",
            ]
                + (rate.map { ["--rate", "\($0)"] } ?? []) + Self.effects)
        let (report, file) = (try object(text), try SoundFile(reading: out))
        let offline = try #require(report["offline"] as? [String: Any])
        let latency = try #require((report["unit"] as? [String: Any])?["latencyFrames"] as? Double)
        #expect(file.frames == expected && file.sampleRate == rate ?? own)
        #expect((report["recorded"] as? [String: Any])?["frames"] as? Int == expected)
        #expect(offline["frames"] as? Int == expected + Int(latency.rounded()) && latency > 60)
        #expect(offline["sampleRate"] as? Int == rate ?? own && offline["periodFrames"] as? Int == period)
        #expect((report["source"] as? [String: Any])?["startFrame"] as? Int == 0)
    }

    /// At the usual rate it would be 24 000 frames, and half a frame.
    @Test(arguments: [(8_000, "500ms", 4000), (96_000, "0.03125ms", 3)])
    func `a period may be a time at the rate of the source's file`(own: Int, period: String, frames: Int) throws {
        let (text, _) = try run([
            "--source", try source(frames: 1000, sampleRate: own), "--period", period, "--json",
        ])
        #expect((try object(text)["offline"] as? [String: Any])?["periodFrames"] as? Int == frames)
        for words in [["--period", "9s"], ["--period", "x", "--source", folder("in.wav")]] {
            let run = try CommandRun(["monitor", "--offline", "--seconds", "1"] + words)
            #expect(try run.end() == 64)
            #expect(run.err.contains("--period takes a whole number from 1 to 8192 frames"), "\(run.err)")
        }
    }

    @Test func `a limiter keeps the true peak below its ceiling, and the report tells how all was set`() throws {
        let (text, _) = try run(
            ["--source", try source(frames: 20_000, sampleRate: 48_000), "--gain", "20", "--json"] + Self.effects)
        let report = try object(text)
        let unit = try #require(report["unit"] as? [String: Any])
        #expect((unit["compressor"] as? [String: Double])?["thresholdDecibels"] == -30)
        #expect((unit["compressor"] as? [String: Double])?.count == 6)
        #expect(unit["limiter"] as? [String: Double] == ["ceilingDecibels": -3, "releaseMilliseconds": 50])
        let loudness = try #require(report["loudness"] as? [String: Any])
        let peaks = try #require(loudness["truePeakDecibels"] as? [Double])
        #expect(peaks.count == 2 && peaks.allSatisfy { $0 <= -3 && $0 > -3.2 }, "\(peaks)")
    }

    @Test func `the recording is in line with the source, without the shaper's latency`() throws {
        // One sample of 1, far from both ends: where linear phase puts its highest sample.
        var sound = [Float](repeating: 0, count: 4000)
        sound[1000] = 0.5
        try SoundFile(sampleRate: 48_000, channels: [sound]).write(folder("in.wav"))
        try run([
            "--source", folder("in.wav"), "--shape", "cubic", "--antialias", "4x", "--limiter", "--record",
            folder("out.wav"),
        ])
        let recorded = try SoundFile(reading: folder("out.wav")).channels[0]
        let peak = try #require(recorded.indices.max { recorded[$0] < recorded[$1] })
        #expect(peak == 1000 && recorded.count == 4000)
    }

    /// Also as much later as a limiter lets it through, which the recording leaves out.
    @Test(arguments: [[], ["--bypass", "--drive", "40", "--eq", "peak:1k:-6"], ["--limiter", "ceiling=0"]])
    func `without a shape, with a bypass and below a ceiling every bit is left alone`(_ words: [String]) throws {
        var generator = SeededGenerator(seed: 20)
        let sound = generator.signal(count: 20_000, magnitude: 0.25)
        try SoundFile(sampleRate: 48_000, channels: [sound]).write(folder("in.wav"))
        try run(["--source", folder("in.wav"), "--record", folder("out.wav")] + words)
        let isSame = try SoundFile(reading: folder("out.wav")).channels == [sound, sound]
        #expect(isSame)
    }

    @Test func `two runs make the same file and the same figures, byte for byte, at another time of day too`() throws {
        let source = try source(frames: 20_000, sampleRate: 44_100)
        func figures(_ name: String, period: Int = 1024) throws -> NSDictionary {
            let words =
                ["--source", source, "--period", "\(period)", "--record", folder(name), "--json"] + Self.effects
            var report = try object(try run(words).out)
            for key in ["provenance", "offline", "recorded"] { report[key] = nil }
            return report as NSDictionary
        }
        let first = try figures("a.wav")
        let second = Int(Date().timeIntervalSince1970)
        try waitUntil("another second has begun") { Int(Date().timeIntervalSince1970) > second }
        #expect(try figures("b.wav") == first)
        // Levels are sums, whose last digit depends on the order.
        _ = try figures("c.wav", period: 77)
        let files = try ["a.wav", "b.wav", "c.wav"].map { try Data(contentsOf: URL(fileURLWithPath: folder($0))) }
        #expect(files[0] == files[1] && files[0] == files[2] && !files[0].isEmpty)
        #expect(Set(folder.names) == ["in.wav", "a.wav", "b.wav", "c.wav"], "no list of gaps beside it")
    }

    @Test func `needs no server and starts none, where none can be started`() throws {
        let run = try CommandRun(
            ["-m", "sh", "-c", "mount -t tmpfs -o size=0,nr_inodes=1 tmpfs /dev/shm && exec \"$@\"", "sh"]
                + [CommandRun.program, "monitor", "--offline", "--seconds", "0.5", "--source", "noise", "--json"],
            program: "/usr/bin/unshare", environment: ["PATH": "/usr/bin:/bin", "JACK_DEFAULT_SERVER": "iounit-none"])
        #expect(try run.end() == 0, "\(run.err)")
        #expect(run.err.isEmpty)
        #expect((try object(run.out)["offline"] as? [String: Any])?["frames"] as? Int == 24_000)
    }

    @Test func `the object has what has a meaning offline, and nothing of a server`() throws {
        let (text, _) = try run([
            "--source", try source(frames: 30_000, sampleRate: 48_000), "--record", folder("out.flac"), "--json",
        ])
        let report = try object(text)
        #expect(
            Set(report.keys) == [
                "schema", "offline", "unit", "peakDecibels", "rmsDecibels", "clippedSamples", "nonFiniteSamples",
                "loudness", "recorded", "source", "provenance",
            ])
        #expect(((report["unit"] as? [String: Any])?["equaliser"] as? [Any])?.isEmpty == true)
        try SchemaCheck.expect("monitor", describes: text)
        let complaints = try SchemaCheck.complaints(
            "monitor", about: text.replacing("\"offline\":{", with: "\"off\":{"))
        #expect(complaints.contains("'offline' is a required property"), "\(complaints)")
        let summary = try run(["--seconds", "1"]).out
        #expect(summary.contains(/1\.0 s offline at 48000 Hz, \S+ times real time/) && !summary.contains("xruns"))
    }

    @Test func `a recording may have the date and a number in its name`() throws {
        let summary = try run(["--seconds", "0.1", "--record", folder("take-{n:2}.wav")]).out
        #expect(
            folder.names == ["take-01.wav"] && summary.contains(folder("take-01.wav")), "\(folder.names) \(summary)")
        let refused = try CommandRun.run("monitor", "--offline", "--record", folder("{channel}.wav"))
        #expect(refused.code == 64 && refused.err.contains("--record makes one file"), "\(refused.err)")
    }

    @Test func `without a source it is silence, and a length in seconds is exact`() throws {
        try run(["--seconds", "0.5", "--rate", "44.1k", "--record", folder("a.wav")])
        #expect(
            try SoundFile(reading: folder("a.wav")).channels
                == Array(repeating: Array(repeating: 0, count: 22_050), count: 2))
        let source = try source(frames: 48_000, sampleRate: 48_000)
        try run(["--seconds", "0.25", "--source", source, "--record", folder("b.wav")] + Self.effects)
        #expect(try SoundFile(reading: folder("b.wav")).frames == 12_000)
        // It is a limit, and the source ends before.
        try run(["--seconds", "2", "--source", source, "--record", folder("c.wav")])
        #expect(try SoundFile(reading: folder("c.wav")).frames == 48_000)
    }

    @Test(arguments: [
        "--server=x", "--dummy", "--sync", "--freewheel", "--name=x", "--input=x", "--output=x", "--wait-ports",
        "--follow-routes", "--no-connect", "--voice=webrtc", "--far=x", "--midi", "--send=udp://h:1", "--gaps=cut",
        "--on-rate-change=split", "--osc=9000", "--serve", "--control", "--reconnect=auto",
    ])
    func `an option that means nothing offline is refused by its name`(option: String) throws {
        let run = try CommandRun.run("monitor", "--offline", "--seconds", "1", option)
        #expect(run.code == 64 && run.out.isEmpty)
        let name = option.prefix { $0 != "=" }
        #expect(
            run.err == "iounit: \(name) has no effect with --offline, which needs no server: leave one of them out\n")
    }

    /// Each of them would be refused as in the test above.
    @Test func `an option that makes, measures or keeps the sound is taken offline`() throws {
        let words = [
            "--rate=44.1k", "--period=64", "--channels=4", "--gain=1", "--drive=1", "--shape=tanh", "--shape-table=x",
            "--antialias=2x", "--phase=minimum", "--compensate=on", "--eq=notch:80", "--compressor", "--limiter",
            "--plugin=x", "--plugin-only-safe", "--bypass", "--source=x", "--loop", "--record=y", "--force",
            "--loudness=off", "--seconds=1", "--json", "--no-config",
        ]
        let arguments = try Arguments(["--offline"] + words, MonitorOptions.syntax)
        #expect(arguments.all.count == words.count + 1)
    }

    @Test(arguments: [[], ["--source", "tone"], ["--source", "FILE", "--loop"]])
    func `what would never end is a usage error`(words: [String]) throws {
        let source = try source(frames: 100, sampleRate: 48_000)
        let run = try CommandRun(["monitor", "--offline"] + words.map { $0 == "FILE" ? source : $0 })
        #expect(try run.end() == 64)
        #expect(run.err.contains("--source") && run.err.contains("--seconds"), "\(run.err)")
    }

    @Test func `settings about a server stand aside`() throws {
        let settings = folder("settings/iounit")
        try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
        try "server = stage\nrate = 96000\n\n[monitor]\nreconnect = auto\ninput = mic\ngain = -6\n".write(
            toFile: "\(settings)/config", atomically: true, encoding: .utf8)
        let environment = ["XDG_CONFIG_HOME": folder("settings")]
        let report = try object(try run(["--seconds", "0.1", "--json"], environment: environment).out)
        #expect((report["unit"] as? [String: Any])?["gainDecibels"] as? Double == -6)
    }

    /// A long run that records to out.flac.
    private func recording() throws -> CommandRun {
        let run = try CommandRun([
            "monitor", "--offline", "--source", "noise", "--seconds", "9h", "--record", folder("out.flac"), "--json",
        ])
        try run.wait(until: "it records") { bytesOnDisk(folder("out.flac")) > 100_000 }
        return run
    }

    @Test func `a signal ends it, and the file is whole`() throws {
        let run = try recording()
        run.send(SIGTERM)
        #expect(try run.end() == -SIGTERM, "\(run.err)")
        let recorded = try #require(try object(run.out)["recorded"] as? [String: Any])
        #expect(recorded["droppedFrames"] as? Int == 0)
        #expect(try SoundFileReader(path: folder("out.flac")).frames == recorded["frames"] as? Int)
        let test = try CommandRun.tool("flac", "--silent", "--test", folder("out.flac"))
        #expect(test.code == 0, "\(test.err)")
    }

    @Test func `Ctrl-Z stops it`() throws {
        let run = try recording()
        run.send(SIGTSTP)
        try run.wait(until: "it is stopped") { run.isStopped }
        run.send(SIGCONT)
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
    }

    @Test func `a source that is damaged in the middle is rendered to its end, and told`() throws {
        let (path, out) = (folder("in.flac"), folder("out.wav"))
        let convert = try CommandRun.run("convert", try source(frames: 96_000, sampleRate: 48_000), path)
        #expect(convert.code == 0, "\(convert.err)")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for place in bytes.count / 2..<bytes.count / 2 + 3000 {
            bytes[place] = UInt8(truncatingIfNeeded: place * place)
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        let run = try CommandRun(["monitor", "--offline", "--source", path, "--record", out])
        #expect(try run.end() == 65)
        #expect(run.err.contains("in.flac: it is damaged at frame "), "\(run.err)")
        #expect(try SoundFile(reading: out).frames == 96_000)
    }

    @Test func `a disk that fills ends it at once, with what it took and the code of an input or output error`() throws
    {
        let run = try CommandRun(
            [
                "-m", "bash", "-c",
                """
                cd '\(folder.path)' && mkdir disk && mount -t tmpfs -o size=420k tmpfs disk || exit 99
                '\(CommandRun.program)' monitor --offline --source noise --seconds 9h --record disk/a.wav --json; code=$?
                cp disk/a.wav . ; exit $code
                """,
            ], program: "/usr/bin/unshare")
        #expect(try run.end() == 74)
        #expect(run.err.contains("is the disk full?"), "\(run.err)")
        let written = try #require((try object(run.out)["recorded"] as? [String: Any])?["frames"] as? Int)
        #expect(try SoundFileReader(path: folder("a.wav")).frames == written && written > 24_000)
    }

    @Test func `a file that is longer than what may be held in memory is read as it is rendered`() throws {
        /// A file of one channel of 8 bits that is silent, which takes no room on the disk.
        func silence(_ name: String, frames: Int) throws -> String {
            func little(_ value: Int, _ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 255) } }
            var head = Array("RIFF".utf8) + little(36 + frames, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
            head += little(1, 2) + little(1, 2) + little(48_000, 4) + little(48_000, 4) + little(1, 2) + little(8, 2)
            head += Array("data".utf8) + little(frames, 4)
            try Data(head).write(to: URL(fileURLWithPath: folder(name)))
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder(name)))
            try file.truncate(atOffset: UInt64(44 + frames))
            return folder(name)
        }
        func kilobytes(_ source: String) throws -> Int {
            let script = """
                import resource, subprocess, sys
                code = subprocess.call(sys.argv[1:])
                print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
                sys.exit(code)
                """
            let run = try CommandRun(
                [
                    "-c", script, CommandRun.program, "monitor", "--offline", "--channels", "1", "--source", source,
                    "--loudness", "off", "--record", "\(source).flac", "--json",
                ], program: "/usr/bin/python3")
            #expect(try run.end() == 0, "\(run.err)")
            return try #require(run.out.split(separator: "\n").last.flatMap { Int($0) })
        }
        let brief = try kilobytes(try silence("brief.wav", frames: 480_000))
        let long = try kilobytes(try silence("long.wav", frames: 5_000_000))
        #expect(try SoundFileReader(path: folder("long.wav.flac")).frames == 5_000_000)
        #expect(long < brief + 10_000, "the samples alone would be 20 MB: \(brief) kB and \(long) kB")
    }

    @Test func `a session manager has no part in it`() throws {
        let (_, err) = try run(["--seconds", "0.1"], environment: ["NSM_URL": "osc.udp://127.0.0.1:9/"])
        #expect(err.isEmpty)
    }
}
