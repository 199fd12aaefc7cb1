import AudioDSP
import AudioFiles
import AudioPlugins
import CommandSyntax
import CommandTestSupport
import Foundation
import PluginCommands
import TestSupport
import Testing

@testable import LiveRuns

@Suite("iounit monitor --plugin") struct PluginRunTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// What a run offline makes of noise, and its report.
    private func run(_ words: String..., rate: Int = 48_000) throws -> (
        noise: [[Float]], made: [[Float]], report: [String: Any], err: String
    ) {
        var generator = SeededGenerator(seed: 29)
        let noise = [generator.signal(count: 4000, magnitude: 0.1), generator.signal(count: 4000, magnitude: 0.1)]
        try SoundFile(sampleRate: rate, channels: noise).write(folder("in.wav"))
        let run = try CommandRun(
            ["monitor", "--offline", "--source", folder("in.wav"), "--record", folder("out.wav"), "--force", "--json"]
                + words)
        #expect(try run.end() == 0, "\(run.err)")
        return (noise, try SoundFile(reading: folder("out.wav")).channels, try object(run.out), run.err)
    }

    @Test func `does what the plug-ins do, in the order of the words, and reports them`() throws {
        let (noise, made, report, _) = try run(
            "--plugin", "amp-swh/amp,gain=6", "--plugin", "hard_limiter-swh/hardLimiter,limit_db=-20")
        let gain = Float(Decibels.linear(6))
        // Limited behind the gain: what is loud is at the limit, and what is soft is louder.
        #expect(made.joined().allSatisfy { abs($0) <= 0.1001 } && made.joined().contains { abs($0) > 0.0999 })
        for (channel, signal) in noise.enumerated() {
            for frame in signal.indices where abs(signal[frame] * gain) < 0.09 {
                #expect(abs(made[channel][frame] - signal[frame] * gain) < 1e-5)
            }
        }
        let unit = try #require(report["unit"] as? [String: Any])
        let plugins = try #require(unit["plugins"] as? [[String: Any]])
        #expect(
            plugins.map { $0["uri"] as? String } == [
                "http://plugin.org.uk/swh-plugins/amp", "http://plugin.org.uk/swh-plugins/hardLimiter",
            ])
        #expect(plugins.allSatisfy { $0["instances"] as? Int == 2 && $0["nonFiniteSamples"] as? Int == 0 })
        #expect(plugins[0]["setting"] as? String == "amp-swh/amp,gain=6")
    }

    /// At any rate: the latency is one in seconds, and the recording begins before anything is rendered.
    @Test(
        arguments: [
            ("", 48_000, nil), (",delay_s=0.01", 48_000, 480.0), (",delay_s=0.01", 44_100, 441),
            (",delay_s=0.01", 96_000, 960),
        ] as [(String, Int, Double?)])
    func `a bypass changes no sample, and a latency that is told is made up for in the recording`(
        setting: String, rate: Int, expected: Double?
    ) throws {
        let (noise, made, report, _) = try run(
            "--plugin", "lookahead_limiter-swh/lookaheadLimiter\(setting)", "--bypass", rate: rate)
        let frames = try #require(((report["unit"] as? [String: Any])?["latencyFrames"] as? Double))
        #expect(made == noise && frames > 0)
        if let expected { #expect(abs(frames - expected) <= 1, "\(frames)") }
    }

    @Test(arguments: [
        ("fomp/autowha", 66, "did you mean fomp/autowah"), ("mbeq-swh/mbeq", 65, "undefined symbol: fftwf_execute"),
        ("fomp/autowah,drove=3", 64, "did you mean drive?"),
        ("fomp/autowah,drive=99", 64, "takes a number from -20 to 20"),
        ("fomp/autowah,drive", 64, "NAME=VALUE"), ("fomp/autowah,preset=Loud", 66, "it has none at all"),
        ("", 64, "needs a plug-in"),
    ])
    func `says in one sentence why there is no such plug-in`(_ word: String, _ code: Int32, _ part: String) throws {
        let run = try CommandRun(["monitor", "--offline", "--seconds", "0.1", "--plugin", word])
        #expect(try run.end() == code && run.err.contains(part), "\(run.err)")
    }

    @Test func `parameters are controls, each under the number of its plug-in, with one bypass`() throws {
        let choices = try ["fomp/autowah,drive=3", "fomp/autowah,drive=-4.25"].map { try PluginChoice($0) }
        let plugins = try choices.map { try $0.make(channels: 2, sampleRate: 48_000) }
        let table = ControlTable(
            Control.all(of: plugins.enumerated().map { ("plugin/\($0 + 1)/", $1) }))
        #expect(table.all.map(\.name).prefix(3) == ["bypass", "plugin/1/drive", "plugin/1/decay"])
        #expect(try table.control("plugin/2/drive").get() == .number(-4.25))
        try table.set("plugin/2/drive", .number(7), by: .page)
        try table.set("bypass", .flag(true), by: .page)
        #expect(plugins.map(\.isBypassed) == [true, true])
        #expect(choices[1].word(plugins[1]) == "fomp/autowah,drive=7,decay=0.5,range=0.5,freq=0.5,mix=0.5")
        let again = try PluginChoice(choices[1].word(plugins[1])).make(channels: 2, sampleRate: 48_000)
        #expect(again.parameters.dropFirst().map(\.value) == plugins[1].parameters.dropFirst().map(\.value))
    }
}
