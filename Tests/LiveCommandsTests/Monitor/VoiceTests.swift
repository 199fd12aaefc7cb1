import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@testable import LiveRuns

@Suite("iounit monitor, record and send --voice")
struct VoiceTests {
    @Test(arguments: [
        ("monitor --dummy --voice best", "--voice takes off, webrtc, speex, webrtc:off, speex:off, not \"best\""),
        ("monitor --dummy --voice webrtc --voice-options reverb", "--voice-options takes echo"),
        ("monitor --dummy --voice webrtc --voice-options noise --far x", "--far is of echo"),
        ("monitor --dummy --voice webrtc --far=", "--far needs a pattern"),
        ("monitor --dummy --far x", "--far needs --voice"),
        ("monitor --dummy --voice-options gain", "--voice-options needs --voice"),
        ("record --dummy --voice echo /tmp/never.wav", "--voice takes off, webrtc, speex, webrtc:off, speex:off, not"),
        ("record --dummy --far x /tmp/never.wav", "--far needs --voice"),
        ("send --dummy --voice off --voice-options gain tcp://127.0.0.1:1", "--voice-options needs --voice"),
    ])
    func `what has no meaning is refused in a sentence`(words: String, sentence: String) throws {
        let run = try CommandRun(words.split(separator: " ").map(String.init))
        #expect(try run.end() == 64)
        #expect(run.err.contains(sentence), "\(run.err)")
        #expect(run.out.isEmpty)
    }

    @Test(arguments: [8000, 44_100, 192_000], ["webrtc", "speex"])
    func `works at any rate of the server, and says what it adds`(rate: Int, engine: String) throws {
        let run = try CommandRun.run(
            "monitor", "--dummy", "--rate", "\(rate)", "--period", "256", "--channels", "1", "--voice", engine,
            "--voice-options", "echo,noise=high,gain,highpass", "--loudness", "off", "--seconds", "0.5", "--json")
        #expect(run.code == 0, "\(run.err)")
        let voice = try #require(object(run.out)["voice"] as? [String: Any])
        #expect(voice["engine"] as? String == engine && voice["on"] as? Bool == true)
        #expect(voice["options"] as? String == "echo,noise=high,gain,highpass")
        #expect(voice["far"] as? [String] == ["outputs"])
        let latency = try #require(voice["latencyFrames"] as? Int)
        #expect(latency >= rate / 50 && latency < rate / 12)
    }

    @Test func `a far end that no port matches is none, and that is said`() throws {
        let run = try CommandRun.run(
            "monitor", "--dummy", "--voice", "speex", "--far", "nobody", "--far", "no one", "--seconds", "0.3", "--json"
        )
        #expect(run.code == 0, "\(run.err)")
        #expect(run.err.contains("no port that sends sound matches \"nobody\" or \"no one\", so there is no far end"))
        let voice = try #require(object(run.out)["voice"] as? [String: Any])
        #expect((voice["far"] as? [String])?.isEmpty == true && voice["delayMilliseconds"] is NSNull)
    }

    /// As those of plug-ins do, though voice processing takes three hundredths of a second.
    @Test(arguments: ["record", "monitor"], ["webrtc", "speex"])
    func `recordings of a source begin and end with it`(subcommand: String, engine: String) throws {
        let folder = try TemporaryFolder()
        var click = [Float](repeating: 0, count: 48_000)
        click[24_000] = 0.5
        try SoundFile(sampleRate: 48_000, channels: [click]).write(folder("click.wav"))
        let words = [
            "--dummy", "--freewheel", "--channels", "1", "--source", folder("click.wav"), "--voice", engine,
            "--voice-options", "highpass",
        ]
        let file = folder("a.wav")
        let run = try CommandRun([subcommand] + words + (subcommand == "record" ? [file] : ["--record", file]))
        #expect(try run.end() == 0, "\(run.err)")
        let made = try SoundFile(reading: file).channels[0]
        #expect(made.count == click.count)
        let place = try #require(made.indices.max { abs(made[$0]) < abs(made[$1]) })
        #expect(abs(place - 24_000) <= 48, "\(place)")
    }

    @Test func `record without a far end says that no echo is cancelled`() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun.run(
            "record", "--dummy", "--voice", "webrtc", "--seconds", "0.3", "--json", folder("a.wav"))
        #expect(run.code == 0, "\(run.err)")
        #expect(run.err.contains("there is no far end, so no echo is cancelled"))
        let voice = try #require(object(run.out)["voice"] as? [String: Any])
        #expect(voice["engine"] as? String == "webrtc")
    }

    /// By a client of its own beside the unit's.
    @Test func `hears the ports that are the far end`() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun.run(
            "record", "--dummy", "--voice", "speex", "--far", "capture", "--seconds", "2", "--json", folder("a.wav"))
        #expect(run.code == 0, "\(run.err)")
        let voice = try #require(object(run.out)["voice"] as? [String: Any])
        // Those of the beginning, and what the machine loses; without that client all of them.
        let missing = try #require(voice["missingFarFrames"] as? Int)
        #expect(missing < 48_000, "\(missing) of 96000")
    }

    @Test func `hears them under the longest name too, of which that client has the beginning`() throws {
        let run = try CommandRun.run(
            "monitor", "--dummy", "--name", String(repeating: "n", count: Client.longestName), "--voice", "speex",
            "--far", "capture", "--seconds", "0.3", "--json")
        #expect(run.code == 0, "\(run.err)")
        let voice = try #require(object(run.out)["voice"] as? [String: Any])
        #expect(voice["far"] as? [String] == ["system:capture_1", "system:capture_2"])
    }

    @Test(arguments: ["record FOLDER/a.wav", "send file:FOLDER/a.flac"])
    func `is turned on while it runs, with ports of others as the far end`(words: String) throws {
        let folder = try TemporaryFolder()
        let words = words.replacingOccurrences(of: "FOLDER", with: folder.path).split(separator: " ").map(String.init)
        let run = try CommandRun(
            words + ["--dummy", "--voice", "speex:off", "--far", "nobody", "--far", "capture", "--osc", "0", "--json"])
        let surface = try OSCSurface(run)
        #expect(try surface.ask(OSCMessage("/iounit/voice")).arguments == [.integer(0)])
        try surface.set(OSCMessage("/iounit/voice", .integer(1)))
        surface.send(OSCMessage("/iounit/end"))
        #expect(try run.end() == 0, "\(run.err)")
        #expect(run.err.contains("voice processing is on: speex, echo"), "\(run.err)")
        let voice = try #require(object(run.out)["voice"] as? [String: Any])
        #expect(voice["on"] as? Bool == true && voice["engine"] as? String == "speex")
        #expect(voice["far"] as? [String] == ["system:capture_1", "system:capture_2"])
    }
}
