import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("iounit monitor: the main job")
struct MonitorTests {
    @Test func `a run on a private server ends with one object whose figures add up`() throws {
        let run = try CommandRun(["monitor", "--dummy", "--json"])
        // Each second a line for those who watch a log.
        try run.wait(until: "a line of the log") { run.err.contains(/00:00:\d\d  peak/) }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let report = try object(run.out)
        #expect(
            Set(report.keys) == [
                "schema", "offline", "server", "unit", "cycles", "frames", "xruns", "overruns", "frameGaps",
                "lostNanoseconds",
                "absentNanoseconds", "resets", "endedWithoutServer", "events", "peakDecibels", "rmsDecibels",
                "clippedSamples",
                "nonFiniteSamples", "voice", "loudness", "recorded", "sent", "page", "midi", "osc",
                "source", "scheduling", "memoryLocked", "seconds", "provenance",
            ])
        #expect(report["schema"] as? String == "iounit.monitor/2")
        let server = try #require(report["server"] as? [String: Any])
        #expect(Set(server.keys) == ["name", "backend", "sampleRate", "periodFrames", "sync", "realtime"])
        #expect(server["backend"] as? String == "dummy" && server["sync"] as? Bool == false)
        let unit = try #require(report["unit"] as? [String: Any])
        #expect(
            Set(unit.keys) == [
                "channels", "gainDecibels", "driveDecibels", "shape", "antialias", "phase", "compensate", "equaliser",
                "bypass", "compressor", "limiter", "plugins", "latencyFrames",
            ])
        let scheduling = try #require(report["scheduling"] as? [String: Any])
        #expect(Set(scheduling.keys) == ["policy", "priority"])
        let source = try #require(report["source"] as? [String: Any])
        #expect(
            Set(source.keys) == [
                "name", "sampleRate", "channels", "downMix", "frames", "startFrame", "underrunFrames",
            ])
        #expect(source["name"] as? String == "tone:440")
        #expect(source["channels"] as? Int == 1 && source["downMix"] is NSNull)
        #expect(source["startFrame"] is NSNull, "without a recording there is no frame of it")
        #expect(report["recorded"] is NSNull)

        let cycles = try #require(report["cycles"] as? Int)
        let lost = try #require(report["lostNanoseconds"] as? Double)
        #expect(cycles > 0 && Double(cycles) * 64 / 48000 + lost / 1e9 > 0.13)
        #expect(report["frames"] as? Int == cycles * 64)
        // A sine of 0.25, which nothing has changed.
        let peaks = try #require(report["peakDecibels"] as? [Double])
        #expect(peaks.count == 2)
        for peak in peaks { #expect(abs(peak - 20 * log10(0.25)) < 0.05) }
    }

    /// The recording begins before the source, which a limiter lets through later.
    @Test func `the object tells at which frame of the recording the source is first heard`() throws {
        let folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: 48)
        let sound = generator.signal(count: 20_000, magnitude: 0.25)
        try SoundFile(sampleRate: 48_000, channels: [sound]).write(folder("in.wav"))
        // In sync mode the server skips no client, whatever else the machine does.
        let run = try CommandRun.run(
            "monitor", "--dummy", "--sync", "--period", "256", "--source", folder("in.wav"), "--record",
            folder("out.wav"), "--gaps", "cut", "--limiter", "ceiling=0", "--json")
        #expect(run.code == 0, "\(run.err)")
        let report = try object(run.out)
        let source = try #require(report["source"] as? [String: Any])
        let recorded = try #require(report["recorded"] as? [String: Any])
        #expect(source["frames"] as? Int == sound.count && source["underrunFrames"] as? Int == 0)
        let recording = try SoundFile(reading: folder("out.wav"))
        #expect(recorded["frames"] as? Int == recording.frames && recorded["droppedFrames"] as? Int == 0)
        let start = try #require(source["startFrame"] as? Int)
        try #require(recording.frames >= start + sound.count && recording.channels.count == 2)
        for channel in recording.channels {
            let isSilent = channel[..<start].allSatisfy { $0 == 0 }
            let isSame = channel[start..<(start + sound.count)] == sound[...]
            #expect(isSilent && isSame, "from frame \(start)")
        }
    }

    @Test func `silence is null and not a number`() throws {
        let run = try CommandRun.run("monitor", "--dummy", "--source", "silence", "--seconds", "0.3", "--json")
        let report = try object(run.out)
        let loudness = try #require(report["loudness"] as? [String: Any])
        #expect(loudness["momentaryLUFS"] is NSNull && loudness["integratedLUFS"] is NSNull)
        #expect(loudness["rangeLU"] is NSNull)
        for peaks in [report["peakDecibels"], loudness["truePeakDecibels"]] {
            #expect((peaks as? [Any])?.count == 2 && (peaks as? [Any])?.allSatisfy { $0 is NSNull } == true)
        }
    }

    @Test func `the loudness of what goes out is in the log, in the object and in the summary`() throws {
        let tone = ["monitor", "--dummy", "--sync", "--source=tone:1000", "--shape=off", "--gain=-6"]
        let run = try CommandRun(tone + ["--json"])
        // Behind two seconds: where the server was held up, one may have less than 0.4 s of the tone, which is softer.
        try run.wait(until: "a line with the loudness") {
            run.err.contains(/00:00:0[2-9]  .*dB  loudness -1\d\.\d \S+ \S+ LUFS  true peak -1\d\.\d dBTP  load/)
        }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let loudness = try #require(try object(run.out)["loudness"] as? [String: Any])
        #expect(
            Set(loudness.keys) == [
                "momentaryLUFS", "shortTermLUFS", "integratedLUFS", "maximumMomentaryLUFS", "maximumShortTermLUFS",
                "rangeLU", "truePeakDecibels", "droppedFrames",
            ])
        // A tone of −12.04 dBFS and 1 kHz on both channels, which is the level's loudness by definition.
        #expect(abs(try #require(loudness["maximumMomentaryLUFS"] as? Double) + 18.04) <= 0.1)
        #expect(abs(try #require(loudness["momentaryLUFS"] as? Double) + 18.04) <= 1)
        // Where JACK has lost a cycle, the tone jumps by up to twice its height.
        let peaks = try #require(loudness["truePeakDecibels"] as? [Double])
        #expect(peaks.count == 2 && peaks.allSatisfy { (-18.44 ... -10).contains($0) }, "\(peaks)")
        #expect(loudness["droppedFrames"] as? Int == 0)

        let summary = try CommandRun(tone + ["--seconds", "0.6"])
        #expect(try summary.end() == 0)
        #expect(summary.out.contains(/loudness \S+ LUFS \(at most \S+ for 0\.4 s, \S+ for 3 s\), range/))
        #expect(summary.out.contains(/LU, true peak -1\d\.\d dBTP\n/), "\(summary.out)")
    }

    /// The weighting filters ring out by thousands of decibels.
    @Test func `silence after a sound is no loudness, in the log and in the object`() throws {
        let folder = try TemporaryFolder()
        let frames = 48000 * 5
        let sound = (0..<frames).map { (frame: Int) -> Float in
            frame < 48000 / 2 ? 0.25 * Float(sin(Double(frame) * 0.1)) : 0
        }
        try SoundFile(sampleRate: 48000, channels: [sound]).write(folder("a.wav"))
        let run = try CommandRun.run("monitor", "--dummy", "--source", folder("a.wav"), "--json")
        #expect(run.code == 0)
        let loudness = try #require(try object(run.out)["loudness"] as? [String: Any])
        #expect(loudness["momentaryLUFS"] is NSNull && loudness["shortTermLUFS"] is NSNull, "\(loudness)")
        #expect(try #require(loudness["maximumMomentaryLUFS"] as? Double) > -30)
        #expect(run.err.contains(/loudness – \S+ -\d+\.\d LUFS/), "\(run.err)")
        for match in run.err.matches(of: /-\d{3,}\.\d/) { Issue.record("nonsense: \(match.output)") }
    }

    @Test func `a source of more channels than inputs is mixed down, and the user told how`() throws {
        let folder = try TemporaryFolder()
        let tone = (0..<24_000).map { Float(sin(Double($0) * 0.1)) }
        // All at full scale: what was added up without attenuation would be far beyond.
        try SoundFile(sampleRate: 48000, channels: [tone, tone, tone]).write(folder("a.wav"))
        let run = try CommandRun.run(
            "monitor", "--dummy", "--source", folder("a.wav"), "--shape", "off", "--json")
        #expect(run.code == 0)
        let told = run.err.split(separator: "\n").filter { $0.contains("mixed down") }
        #expect(
            told == [
                "iounit: the source's 3 channels are mixed down to 2 inputs (ITU-R BS.775): "
                    + "in_1 = 0.59 · ch 1 + 0.41 · ch 3, in_2 = 0.59 · ch 2 + 0.41 · ch 3"
            ])
        let report = try object(run.out)
        let mix = try #require((report["source"] as? [String: Any])?["downMix"] as? [String: Any])
        #expect(mix["law"] as? String == "ITU-R BS.775")
        let weights = try #require(mix["weights"] as? [[Double]])
        #expect(weights.map { $0.map { ($0 * 100).rounded() } } == [[59, 0, 41], [0, 59, 41]])
        let peaks = try #require(report["peakDecibels"] as? [Double])
        for peak in peaks { #expect(abs(peak) < 0.01, "full scale in, full scale out") }
    }

    /// On a server with so many ports of either kind: what a run says on stderr.
    private func said(ports: Int, _ test: ((_ said: (_ words: String...) throws -> String) throws -> Void)) throws {
        let name = "iounit-\(ports)-ports-\(getpid())"
        let server = try CommandRun(
            ["jackd", "-n", name, "-r", "-d", "dummy", "-C", "\(ports)", "-P", "\(ports)"], program: "/usr/bin/env")
        defer {
            server.send(SIGTERM)
            _ = try? server.end()
        }
        try server.wait(until: "the server answers") { (try? Client(name: "watcher", server: name)) != nil }
        try test { (words: String...) in
            let run = try CommandRun(["monitor", "--server", name, "--seconds", "0.2"] + words)
            #expect(try run.end() == 0)
            return run.err
        }
    }

    @Test func `inputs that no port is left for are told`() throws {
        try said(ports: 2) { said in
            #expect(try said("--channels", "3").contains("2 ports to hear and 3 inputs, so the last is silent"))
            #expect(try said("--channels", "5").contains("2 ports to hear and 5 inputs, so the last 3 are silent"))
            let others = try said("--channels", "3", "--source", "noise") + said("--channels", "1")
            #expect(!others.contains("silent"))
        }
    }

    @Test func `sides that nothing can be connected to are told, with what to do`() throws {
        try said(ports: 0) { said in
            let both = try said()
            #expect(
                both.contains("no capture ports") && both.contains("--input") && both.contains("--source"), "\(both)")
            #expect(both.contains("no playback ports") && both.contains("--output"))
            let played = try said("--source", "noise")
            #expect(!played.contains("no capture ports") && played.contains("no playback ports"))
            let wanted = try said("--no-connect")
            #expect(!wanted.contains("capture ports") && !wanted.contains("playback ports"))
        }
    }

    @Test(arguments: [
        (["--loudness", "off"], false), (["--channels", "6"], true), (["--channels", "7"], false),
        (["--channels", "7", "--loudness", "on"], true), (["--rate", "4000"], false),
    ])
    func `loudness is measured where it is asked for, or has a meaning`(_ words: [String], _ isMeasured: Bool) throws {
        let run = try CommandRun(["monitor", "--dummy", "--seconds", "0.1", "--json"] + words)
        #expect(try run.end() == 0)
        #expect((try object(run.out)["loudness"] is NSNull) != isMeasured)
    }

    @Test func `loudness that cannot be measured is a usage error`() throws {
        let run = try CommandRun.run("monitor", "--dummy", "--rate", "4000", "--loudness", "on", "--seconds", "1")
        #expect(run.code == 64 && run.out.isEmpty)
        #expect(run.err.contains("8000"))
    }

    @Test func `the summary for people tells what was heard and what went wrong`() throws {
        let run = try CommandRun.run("monitor", "--dummy", "--seconds", "0.5", "--channels=1", "--gain=-6", "--sync")
        #expect(run.code == 0)
        for word in ["sync", "gain -6.0 dB", "out_1: peak", "xruns", "lost", "played"] {
            #expect(run.out.contains(word), "\(run.out)")
        }
    }

    @Test func `a taken name is changed by JACK, and the user told`() throws {
        let server = try Server()
        defer { server.stop() }
        let holder = try Client(name: "guitar", server: server.name)
        let run = try CommandRun.run(
            "monitor", "--server", server.name, "--name", "guitar", "--seconds", "0.3")
        #expect(run.code == 0)
        #expect(run.err.contains("guitar-01"))
        try holder.close()
    }

    @Test func `the unit goes over to a port that is preferred when it comes, where routes are to be followed`() throws
    {
        let server = try Server()
        defer { server.stop() }
        let run = try CommandRun([
            "monitor", "--server", server.name, "--channels", "1", "--input", "^headset:", "--input", "^system:",
            "--follow-routes", "--json",
        ])
        func hears(_ source: String) -> Bool {
            (try? CommandTestSupport.connections("iounit", on: server.name))?.contains("iounit:in_1 \(source)") == true
        }
        try run.wait(until: "it hears the card") { hears("system:capture_1") }
        let inactive = try Client(name: "headset", server: server.name)
        _ = try inactive.register("capture_1", .output)
        let process: ProcessCallback = { _, _ in 0 }
        try inactive.setProcess(process, context: nil, keeping: server)
        let headset = try inactive.activate()
        try run.wait(until: "it hears the headset") { hears("headset:capture_1") }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
        let events = try #require(object(run.out)["events"] as? [[String: Any]])
        #expect(events.filter { $0["event"] as? String == "routeChanged" }.count == 1)
        try headset.close()
    }

    @Test func `the unit is wired to the physical ports, or as it is told`() throws {
        let server = try Server()
        defer { server.stop() }
        #expect(
            try connections(server) == [
                "in_1": ["system:capture_1"], "in_2": ["system:capture_2"],
                "out_1": ["system:playback_1"], "out_2": ["system:playback_2"],
            ])
        #expect(try connections(server, "--no-connect").values.allSatisfy(\.isEmpty))
        #expect(
            try connections(
                server, "--input", "headset", "--input", "capture_2", "--output", "none", "--channels", "1")
                == ["in_1": ["system:capture_2"], "out_1": []])
        // A source takes the physical inputs' place, and is heard beside those that are named.
        #expect(
            try connections(server, "--source", "noise") == [
                "in_1": [], "in_2": [], "out_1": ["system:playback_1"], "out_2": ["system:playback_2"],
            ])
        #expect(
            try connections(server, "--source", "noise", "--input", "capture_2", "--channels", "1")["in_1"]
                == ["system:capture_2"])
    }

    /// What each port of a running unit is connected to.
    private func connections(_ server: Server, _ words: String...) throws -> [String: [String]] {
        let run = try CommandRun(["monitor", "--server", server.name, "--seconds", "30"] + words)
        // The connections are all made before the log's first line.
        try run.wait(until: "the first line") { run.err.contains("peak") }
        let watcher = try Client(name: "watcher", server: server.name)
        var found: [String: [String]] = [:]
        for port in try watcher.ports(PortQuery(pattern: "^iounit:")) {
            found[String(port.name.dropFirst("iounit:".count))] = port.connections
        }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
        return found
    }

    @Test func `a pattern that matches nothing lists what is there`() throws {
        let run = try CommandRun.run("monitor", "--dummy", "--input", "headset", "--seconds", "1")
        #expect(run.code == 64)
        #expect(run.err.contains("headset") && run.err.contains("system:capture_1"))
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("iounit"), withIntermediateDirectories: true)
        for lines in ["output = headset", "input = headset\nwait-ports = 0.1"] {
            try "[monitor]\n\(lines)\n".write(toFile: folder("iounit/config"), atomically: true, encoding: .utf8)
            let kept = try CommandRun.run("monitor", "--dummy", environment: ["XDG_CONFIG_HOME": folder.path])
            #expect(kept.code == 78 && kept.err.contains("iounit/config:2: no port"), "\(lines): \(kept.err)")
        }
    }

    @Test func `a pattern that is no regular expression is a usage error`() throws {
        let run = try CommandRun.run("monitor", "--dummy", "--input", "capture_(", "--seconds", "1")
        #expect(run.code == 64)
        #expect(run.err.contains("regular expression"))
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("iounit"), withIntermediateDirectories: true)
        for line in ["input = (", "output = [", "far = (\nvoice = speex", "midi\nmidi-port = (", "send = foo://x"] {
            try "[monitor]\n\(line)\n".write(toFile: folder("iounit/config"), atomically: true, encoding: .utf8)
            let kept = try CommandRun.run("monitor", "--dummy", environment: ["XDG_CONFIG_HOME": folder.path])
            #expect(kept.code == 78 && kept.err.contains("iounit/config:"), "\(line): \(kept.err)")
        }
    }
}
