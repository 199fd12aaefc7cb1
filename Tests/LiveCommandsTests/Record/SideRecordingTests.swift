import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@testable import CommandSyntax
@testable import LiveCommands
@testable import LiveRuns

/// `--record` of subcommands whose own work is another.
@Suite("A recording beside other work", .serialized, .ownServers) struct SideRecordingTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `of play has what was played, sample for sample`() throws {
        let (source, copy) = (folder("noise.wav"), folder("copy.wav"))
        let made = try CommandRun.run(
            "monitor", "--offline", "--source", "noise", "--seconds", "0.5", "--record", source)
        #expect(made.code == 0, "\(made.err)")
        // At no clock, nothing is lost.
        let run = try CommandRun.run("play", source, "--dummy", "--freewheel", "--record", copy, "--json")
        #expect(run.code == 0, "\(run.err)")
        let recorded = try #require(try object(run.out)["recorded"] as? [String: Any])
        #expect(recorded["path"] as? String == copy && recorded["droppedFrames"] as? Int == 0)
        let (played, heard) = (try SoundFile(reading: source), try SoundFile(reading: copy))
        #expect(recorded["frames"] as? Int == 24000 && heard.frames == 24000)
        #expect(heard.channels == played.channels)
        let two = try CommandRun.run("play", source, "-", "--dummy", "--freewheel", "--record", folder("two.wav"))
        #expect(two.code == 64 && two.err.contains("records files, or the standard input alone"), "\(two.err)")
        for words in [["play", source], ["monitor", "--source", source]] {
            let same = try CommandRun(words + ["--dummy", "--freewheel", "--record", source, "--force"])
            #expect(try same.end() == 64 && same.err.contains("name the same file"), "\(same.err)")
        }
        #expect(try SoundFile(reading: source).frames == 24000)
    }

    @Test
    func `of a list that a freewheeling server plays has its files one behind the other, without a frame between`()
        throws
    {
        // Each is shorter than what is scheduled takes.
        let lengths = (1...40).map { 40 + 7 * $0 }
        let sounds = lengths.enumerated().map { file, length in
            (0..<length).map { Float(file + 1) / 64 + Float($0) / 65536 }
        }
        for (file, sound) in sounds.enumerated() {
            try FloatFile.write([sound], to: folder("part-\(100 + file).wav"))
        }
        let list = lengths.indices.map { folder("part-\(100 + $0).wav") }
        let run = try CommandRun(["play"] + list + ["--dummy", "--freewheel", "--record", folder("all.wav"), "--json"])
        #expect(try run.end() == 0, "\(run.err)")
        #expect(try SoundFile(reading: folder("all.wav")).channels[0] == sounds.flatMap(\.self))
    }

    @Test func `that is all of the work has a source's file, sample for sample, where the server freewheels`() throws {
        let (source, copies) = (folder("noise.wav"), [folder("a.wav"), folder("b.wav")])
        let made = try CommandRun.run(
            "monitor", "--offline", "--source", "noise", "--seconds", "0.5", "--record", source)
        #expect(made.code == 0, "\(made.err)")
        let run = try CommandRun.run("record", "--dummy", "--freewheel", "--source", source, copies[0], copies[1])
        #expect(run.code == 0, "\(run.err)")
        let played = try SoundFile(reading: source)
        for copy in copies { #expect(try SoundFile(reading: copy).channels == played.channels) }
        let part = try CommandRun.run(
            "record", "--dummy", "--freewheel", "--source", source, "--seconds", "0.25", folder("c.wav"))
        #expect(part.code == 0, "\(part.err)")
        let heard = try SoundFile(reading: folder("c.wav")).channels[0]
        #expect(heard == Array(played.channels[0].prefix(12_000)))
        let sine = try CommandRun.run(
            "record", "--dummy", "--freewheel", "--source", "tone:440", "--seconds", "0.25", folder("e.wav"))
        #expect(sine.code == 0, "\(sine.err)")
        let tone = try SoundFile(reading: folder("e.wav"))
        #expect(tone.frames == 12_000 && tone.channels[0].prefix(20).contains { abs($0) > 0.01 })
        let endless = try CommandRun.run(
            "record", "--dummy", "--freewheel", "--source", source, "--loop", folder("d.wav"))
        #expect(endless.code == 64 && endless.err.contains("needs an end"), "\(endless.err)")
    }

    @Test func `of play goes by the clock as the sound does`() throws {
        let (source, copy) = (folder("noise.wav"), folder("copy.wav"))
        let made = try CommandRun.run(
            "monitor", "--offline", "--source", "noise", "--seconds", "0.3", "--record", source)
        #expect(made.code == 0, "\(made.err)")
        let run = try CommandRun.run("play", source, source, "--dummy", "--record", copy, "--json")
        #expect(run.code == 0, "\(run.err)")
        let (played, heard) = (try SoundFile(reading: source), try SoundFile(reading: copy))
        let first = try #require(heard.channels[0].firstIndex { $0 != 0 })
        // What the server lost is silence in the recording, and the player goes on behind it.
        #expect(heard.frames - first >= 2 * played.frames)
        #expect(heard.channels[0][first] == played.channels[0].first { $0 != 0 })
    }

    @Test(arguments: ["beat", "tune"]) func `of who listens has what was heard`(subcommand: String) throws {
        let path = folder("heard.flac")
        let run = try CommandRun.run(subcommand, "--dummy", "--seconds", "0.5", "--record", path, "--json")
        #expect(run.code == 0, "\(run.err)")
        let recorded = try #require(try object(run.out)["recorded"] as? [String: Any])
        let file = try SoundFile(reading: path)
        #expect(recorded["frames"] as? Int == file.frames && file.frames > 0 && file.channels.count == 1)
    }

    @Test(arguments: [[String](), ["--freewheel"]]) func `has the nearest rate where its format lacks the server's`(
        words: [String]
    ) throws {
        let (source, copy) = (folder("noise.wav"), folder("copy.opus"))
        let made = try CommandRun.run(
            "monitor", "--offline", "--source", "noise", "--seconds", "0.3", "--record", source)
        #expect(made.code == 0, "\(made.err)")
        let run = try CommandRun(["play", source, "--dummy", "--rate", "44100", "--record", copy] + words)
        #expect(try run.end() == 0, "\(run.err)")
        #expect(try SoundFile(reading: copy).sampleRate == 48_000)
    }

    @Test(arguments: [["--dummy", "--freewheel"], ["--dummy"], ["--offline"]])
    func `of monitor has it too`(words: [String]) throws {
        let path = folder("copy.opus")
        let run = try CommandRun(
            ["monitor", "--rate", "44100", "--source", "tone", "--seconds", "0.5", "--record", path, "--json"] + words)
        #expect(try run.end() == 0, "\(run.err)")
        let recorded = try #require(try object(run.out)["recorded"] as? [String: Any])
        let file = try SoundFile(reading: path)
        #expect(file.sampleRate == 48_000 && file.frames > 0)
        #expect(try #require(recorded["frames"] as? Int) > 0 && recorded["droppedFrames"] as? Int == 0)
    }

    @Test func `is an error where it is removed while it is made`() throws {
        let path = folder("lost.wav")
        let run = try CommandRun(["tune", "--dummy", "--record", path])
        try run.wait(until: "it records") { (FileManager.default.contents(atPath: path)?.count ?? 0) > 4096 }
        try FileManager.default.removeItem(atPath: path)
        run.send(SIGINT)
        #expect(
            try run.end() == 74 && run.err.contains("was removed, renamed or replaced while it was made"), "\(run.err)")
    }

    @Test(arguments: ["tune", "play"]) func `that fails is told of at once, and the work goes on`(subcommand: String)
        throws
    {
        let sound = folder("sound.wav")
        try FloatFile.write([[Float](repeating: 0.25, count: 48_000)], to: sound)
        let words = subcommand == "play" ? "play '\(sound)' --loop" : subcommand
        let server = try Server(ServerConfiguration())
        defer { server.stop() }
        // The limit on a file's size stands for a disk that is full.
        let command = "'\(CommandRun.program)' \(words) --server \(server.name)"
        let run = try CommandRun(
            ["-c", "ulimit -f 200; exec \(command) --record '\(folder("full.wav"))'"], program: "/bin/sh")
        try run.wait(until: "it is told") { run.err.contains("is the disk full?") }
        run.send(SIGINT)
        #expect(try run.end() == 74, "\(run.err)")
    }

    @Test func `that fails is seen in the live view, while the work goes on`() throws {
        let server = try Server(ServerConfiguration())
        defer { server.stop() }
        let path = folder("full.wav")
        let run = try TerminalRun(["tune", "--server", server.name, "--record", path])
        try waitUntil("it records") { (FileManager.default.contents(atPath: path)?.count ?? 0) > 4096 }
        let limit = try CommandRun.tool("prlimit", "--pid", "\(run.identifier)", "--fsize=200000")
        #expect(limit.code == 0, "\(limit.err)")
        // The line may be broken between any two words.
        try run.wait(until: "full?")
        run.type("q")
        #expect(try run.end() == 74)
    }

    @Test func `is told in each subcommand what becomes of gaps, and of another rate`() throws {
        let words = ["--record", "a.wav", "--force", "--gaps", "cut", "--on-rate-change", "convert"]
        let recordings = try [
            MonitorOptions(words).recording,
            MonitorOptions(words, servesPage: true).recording,
            PlayOptions(["b.wav"] + words).unit.parts[SideRecording.self],
            SendOptions(["rtp://127.0.0.1:5004"] + words).unit.parts[SideRecording.self],
            ReceiveOptions(["rtp://127.0.0.1:5004"] + words).unit.parts[SideRecording.self],
            ListenOptions(Arguments(words, BeatListener.syntax), BeatListener.syntax).unit.parts[SideRecording.self],
            TuneOptions(words).listen.unit.parts[SideRecording.self],
        ]
        for recording in recordings {
            let settings = try #require(recording?.settings)
            #expect(settings.gapFill == .cut && settings.rateChange == .convert && settings.replaces)
        }
        #expect(throws: Failure.self) { try TuneOptions(["--gaps", "cut"]) }
    }

    /// The standard output has the report.
    @Test(arguments: ["", "-"]) func `is a file, and no pipe`(_ path: String) {
        let readings: [() throws -> Void] = [
            { _ = try MonitorOptions(["--record", path]) }, { _ = try PlayOptions(["a.wav", "--record", path]) },
            { _ = try TuneOptions(["--record", path]) },
        ]
        for read in readings {
            #expect {
                try read()
            } throws: {
                ($0 as? Failure)?.message == "--record needs the name of a file"
            }
        }
    }

    @Test func `replaces no file unless it is told to`() throws {
        let path = folder("kept.wav")
        try "a take".write(toFile: path, atomically: true, encoding: .utf8)
        let refused = try CommandRun.run("tune", "--dummy", "--seconds", "0.1", "--record", path)
        #expect(refused.code == 73 && refused.err.contains("--force"), "\(refused.err)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "a take")
        let forced = try CommandRun.run("tune", "--dummy", "--seconds", "0.1", "--record", path, "--force")
        #expect(forced.code == 0, "\(forced.err)")
        #expect(try SoundFile(reading: path).frames > 0)
        let idle = try CommandRun.run("tune", "--dummy", "--force")
        #expect(idle.code == 64 && idle.err.contains("--force needs --record"), "\(idle.err)")
    }
}
