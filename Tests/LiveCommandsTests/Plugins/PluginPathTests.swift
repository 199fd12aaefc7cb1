import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// `--plugin` of record and play, by a plug-in whose gain is exact and whose delay is declared.
@Suite("--plugin on a server", .serialized, .ownServers) struct PluginPathTests {
    private let folder: TemporaryFolder
    private let bundle: TemporaryFolder
    init() throws {
        folder = try TemporaryFolder()
        bundle = try ProbeBundle.folder()
    }

    private func command(_ words: [String]) throws -> CommandRun {
        try CommandRun(words, environment: ["LV2_PATH": bundle.path])
    }

    /// The plug-ins that a report tells of, and their latency.
    private func expectPlugins(
        _ report: [String: Any], _ settings: [String], latency: [Int], _ location: SourceLocation = #_sourceLocation
    ) throws {
        let plugins = try #require(report["plugins"] as? [[String: Any]], sourceLocation: location)
        let starts = plugins.map { ($0["setting"] as? String)?.split(separator: ",").prefix(2).joined(separator: ",") }
        #expect(starts == settings, sourceLocation: location)
        #expect(plugins.map { $0["latencyFrames"] as? Int } == latency, sourceLocation: location)
        #expect(plugins.allSatisfy { $0["instances"] as? Int == 2 }, sourceLocation: location)
    }

    @Test func `record keeps what they make of the sound, without their latency, and tells of them`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        let run = try command([
            "record", "--server", server.name, "--name", "ear", "--no-connect", "--json",
            "--plugin", "probe/probe,gain=2,delay=300", "--plugin", "probe/probe,gain=0.5,delay=100", folder("a.wav"),
        ])
        try run.wait(until: "it records") { run.err.contains("recording") }
        // With silence behind it, so that the last of it has come through the plug-ins when the player ends.
        let numbered = NumberedFrames.file(frames: 30_000).channels.map { $0 + [Float](repeating: 0, count: 4800) }
        try SoundFile(sampleRate: 48_000, channels: numbered).write(folder("numbered.wav"))
        let player = try CommandRun(["play", "--server", server.name, "--output", "^ear:in_", folder("numbered.wav")])
        #expect(try player.end() == 0, "\(player.err)")
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let sound = try SoundFile(reading: folder("a.wav"))
        let heard = NumberedFrames(in: sound)
        #expect(heard.numbers == Array(1...30_000) && heard.strays == 0)
        let report = try object(run.out)
        try expectPlugins(report, ["probe/probe,gain=2", "probe/probe,gain=0.5"], latency: [300, 100])
        let file = try #require((report["files"] as? [[String: Any]])?.first)
        #expect(file["frames"] as? Int == sound.frames && file["droppedFrames"] as? Int == 0)
        #expect(run.err.contains("says: made at 48000 Hz"), "\(run.err)")
    }

    @Test(arguments: [0, 300]) func `a recording begins with the first frame that came to them`(delay: Int) throws {
        // The plug-in makes the number of each frame that it is given.
        let run = try command([
            "record", "--dummy", "--no-connect", "--seconds", "0.2", "--plugin", "probe/probe,counts=1,delay=\(delay)",
            folder("a.wav"),
        ])
        #expect(try run.end() == 0, "\(run.err)")
        let heard = try SoundFile(reading: folder("a.wav")).channels[0]
        // A machine that stalls leaves out cycles behind the first, and the plug-in does not count those.
        #expect(heard.count == 9600)
        // So many come with the first cycle of 64 frames, whatever is left out then.
        let numbers = heard.prefix(20).map { Int($0 * 1_048_576) }
        #expect(numbers == Array(delay..<delay + 20))
    }

    @Test func `play puts the sound through them, to its last frame`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        try NumberedFrames.file(frames: 30_000).write(folder("numbered.wav"))
        let listening = try Listening(
            on: server, ["--plugin", "probe/probe,gain=2,delay=500", "--gain", "0", folder("numbered.wav")],
            environment: ["LV2_PATH": bundle.path])
        let (report, heard) = try listening.end()
        #expect(heard.channels[0] == (1...30_000).map { Float($0) / 524_288 })
        try expectPlugins(report, ["probe/probe,gain=2"], latency: [500])
        #expect(report["playedFrames"] as? Int == 30_000)
        #expect(try #require(report["startFrame"] as? Int) >= 500)
    }

    @Test(arguments: ["record", "play"]) func `a plug-in that cannot be had leaves no file and no sound`(
        subcommand: String
    ) throws {
        try NumberedFrames.file(frames: 100).write(folder("a.wav"))
        let file = subcommand == "record" ? folder("b.wav") : folder("a.wav")
        let run = try command([subcommand, "--dummy", "--plugin", "probe/prob", file])
        #expect(try run.end() == 66 && run.err.contains("did you mean probe/probe?"), "\(run.err)")
        let usage = try command([subcommand, "--dummy", "--plugin", "probe/probe,gain=9", file])
        #expect(try usage.end() == 64 && usage.err.contains("takes a number from 0 to 4"), "\(usage.err)")
        let idle = try command([subcommand, "--dummy", "--plugin-only-safe", file])
        #expect(try idle.end() == 64 && idle.err.contains("--plugin-only-safe needs --plugin"), "\(idle.err)")
        #expect(folder.names == ["a.wav"])
    }
}
