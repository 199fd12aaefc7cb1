import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("iounit convert --plugin") struct ConvertPluginTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Noise in a file, as `in.wav`.
    private func noise(channels: Int = 2, frames: Int = 5000, rate: Int = 48_000) throws -> [[Float]] {
        var generator = SeededGenerator(seed: 29)
        let noise = (0..<channels).map { _ in generator.signal(count: frames, magnitude: 0.2) }
        try SoundFile(sampleRate: rate, channels: noise).write(folder("in.wav"))
        return noise
    }

    private func convert(
        _ words: [String], path: String? = nil, _ code: Int32 = 0, _ location: SourceLocation = #_sourceLocation
    ) throws -> CommandRun {
        let run = try CommandRun(
            ["convert", folder("in.wav"), folder("out.wav"), "--force"] + words,
            environment: path.map { ["LV2_PATH": $0] } ?? [:])
        #expect(try run.end(location) == code, "\(run.err)", sourceLocation: location)
        return run
    }

    private func made() throws -> [[Float]] { try SoundFile(reading: folder("out.wav")).channels }

    @Test(arguments: [
        ("mda/Overdrive", 2), ("fomp/reverb", 2), ("dj_eq-swh/dj_eq_mono", 1), ("amp-swh/amp", 2),
        ("hard_limiter-swh/hardLimiter", 1), ("mda/Dynamics", 2),
    ])
    func `gives sample for sample what lv2apply does`(_ name: String, _ channels: Int) throws {
        _ = try noise(channels: channels)
        let facts = try object(CommandRun.run("plugin", "info", name, "--json").out)
        let ports = try #require(facts["ports"] as? [[String: Any]])
        let plugin = try #require(facts["plugin"] as? [String: Any])
        let inputs = try #require(plugin["inputs"] as? Int)
        let values = ports.flatMap { port -> [String] in
            guard let symbol = port["symbol"] as? String, let initial = port["initial"] as? Double else { return [] }
            return ["-c", symbol, "\(initial)"]
        }
        // One that has fewer channels than the file is run for each.
        let wanted = try stride(from: 0, to: channels, by: inputs).flatMap { first -> [[Float]] in
            let part = Array(try SoundFile(reading: folder("in.wav")).channels[first..<first + inputs])
            try SoundFile(sampleRate: 48_000, channels: part).write(folder("part.wav"))
            let uri = try #require(plugin["uri"] as? String)
            // It sees no other bundle: it would run what is in some of them.
            try? FileManager.default.createDirectory(atPath: folder("lv2"), withIntermediateDirectories: true)
            try? FileManager.default.createSymbolicLink(
                atPath: folder("lv2/bundle.lv2"), withDestinationPath: try #require(plugin["bundle"] as? String))
            let words = ["-i", folder("part.wav"), "-o", folder("applied.wav")] + values + [uri]
            let path = "LV2_PATH=\(folder("lv2"))"
            #expect(try CommandRun.tool("env", [path, "/usr/bin/lv2apply"] + words).code == 0)
            return try SoundFile(reading: folder("applied.wav")).channels
        }
        _ = try convert(["--plugin", name])
        // It leaves the latency in.
        let latency = try #require(facts["latencyFrames"] as? Int)
        let sound = try made()
        #expect(sound.map(\.count) == Array(repeating: 5000, count: channels))
        #expect(sound.map { Array($0.dropLast(latency)) } == wanted.map { Array($0.dropFirst(latency)) })
    }

    @Test func `plug-ins stand in their order behind gain and curve, and the file is as long as it was`() throws {
        let bundle = try ProbeBundle.folder()
        let noise = try noise(frames: 3333)
        let run = try convert(
            ["--plugin", "probe/probe,gain=2,delay=333", "--plugin", "probe/probe,gain=0.25,delay=77", "--json"],
            path: bundle.path)
        #expect(try made() == noise.map { $0.map { 2 * $0 * 0.25 } })
        let file = try #require((try object(run.out)["files"] as? [[String: Any]])?.first)
        #expect(file["outputFrames"] as? Int == 3333 && file["nonFiniteSamples"] as? Int == 0)
        let plugins = try #require(file["plugins"] as? [[String: Any]])
        #expect(plugins.map { $0["latencyFrames"] as? Int } == [333, 77])
        #expect(plugins.allSatisfy { $0["uri"] as? String == "urn:iounit:probe" && $0["instances"] as? Int == 2 })
        #expect(plugins.map { ($0["setting"] as? String)?.prefix(18) } == ["probe/probe,gain=2", "probe/probe,gain=0"])
        try SchemaCheck.expect("convert", describes: run.out)
        // The command prints what the plug-in logs.
        #expect(run.err.contains("says: made at 48000 Hz"), "\(run.err)")
        // At the rate and with the channels of the output.
        let other = try convert(
            ["--plugin", "probe/probe", "--file-rate", "44100", "--channels", "1"], path: bundle.path)
        #expect(other.err.contains("made at 44100 Hz"), "\(other.err)")
        #expect(try made().count == 1)
        // The level is brought about behind it.
        _ = try convert(["--plugin", "probe/probe,gain=3", "--gain", "-20", "--normalise", "-6dB"], path: bundle.path)
        let peak = try made().joined().map { abs($0) }.max() ?? 0
        #expect(abs(peak - 0.501187) < 1e-4, "\(peak)")
    }

    @Test func `samples that are no numbers are counted`() throws {
        let bundle = try ProbeBundle.folder()
        _ = try noise(frames: 1000)
        let run = try convert(["--plugin", "probe/probe,broken=1", "--json"], path: bundle.path)
        let file = try #require((try object(run.out)["files"] as? [[String: Any]])?.first)
        #expect(file["nonFiniteSamples"] as? Int == 2000)
        #expect(try made().joined().allSatisfy { $0 == 0 })
    }

    @Test(
        arguments: [
            (["fomp/autowha"], 66, "did you mean fomp/autowah"), (["fomp/autowah,drove=3"], 64, "did you mean drive?"),
            (["fomp/autowah,drive=99"], 64, "takes a number from -20 to 20"),
            (["fomp/autowah,drive"], 64, "NAME=VALUE"),
            ([""], 64, "needs a plug-in"), (["mbeq-swh/mbeq"], 65, "undefined symbol: fftwf_execute"),
            (["mda/Overdrive"], 65, "use 2 channels"),
        ] as [([String], Int32, String)])
    func `says in one sentence why it cannot be had, and leaves the old file`(
        plugins: [String], code: Int32, part: String
    ) throws {
        _ = try noise(channels: 1, frames: 100)
        try Data("kept".utf8).write(to: URL(fileURLWithPath: folder("out.wav")))
        let run = try convert(plugins.flatMap { ["--plugin", $0] }, code)
        #expect(run.err.contains(part) && run.out.isEmpty, "\(run.err)")
        #expect(try String(contentsOfFile: folder("out.wav"), encoding: .utf8) == "kept")
    }
}
