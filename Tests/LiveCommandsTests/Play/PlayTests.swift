import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@testable import LiveRuns

/// `iounit play`, heard by another program on the same server.
@Suite("iounit play", .serialized, .ownServers) struct PlayTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// A file of frames that tell where they stand.
    private func file(_ name: String, _ range: Range<Int>, sampleRate: Int = 48000) throws -> String {
        let ramp = range.map { Float($0 + 1) / 1_048_576 }
        try SoundFile(sampleRate: sampleRate, channels: [ramp, ramp.map { -$0 }]).write(folder(name))
        return folder(name)
    }

    private func numbers(_ file: SoundFile, _ location: SourceLocation = #_sourceLocation) -> [Int] {
        let frames = NumberedFrames(in: file)
        #expect(frames.halves == 0 && frames.strays == 0, sourceLocation: location)
        return frames.numbers.map { $0 - 1 }
    }

    // The sound.

    @Test func `plays files one after the other to the bit, without a frame between them`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        let files = [
            try file("a.wav", 0..<20_001), try file("b.wav", 20_001..<20_018), try file("c.wav", 20_018..<50_000),
        ]
        let (report, heard) = try Listening(on: server, files).end()
        #expect(numbers(heard) == Array(0..<50_000))
        #expect(report["schema"] as? String == "iounit.play/2")
        #expect(report["playedFrames"] as? Int == 50_000 && report["underrunFrames"] as? Int == 0)
        #expect(report["outputs"] as? Int == 2 && report["clippedSamples"] as? Int == 0)
        #expect(try (0..<3).map { try playedFile(report, $0)["playedFrames"] as? Int } == [20_001, 17, 29_982])
    }

    @Test func `converts files of other rates, each to its exact length, and one channel goes to all outputs`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        let speech = folder("speech.wav")
        try #require(
            try CommandRun.tool("espeak-ng", "-w", speech, "Check, one, two.").code == 0,
            "espeak-ng is needed: run Tools/setup --tests")
        let frames = try SoundFile(reading: speech).frames
        let other = try file("other.wav", 0..<44_101, sampleRate: 44_100)
        let (report, heard) = try Listening(on: server, [speech, other]).end()
        let lengths = [frames * 48000, 44_101 * 48_000].enumerated().map { index, product in
            Int((Double(product) / (index == 0 ? 22_050 : 44_100)).rounded())
        }
        #expect(try (0..<2).map { try playedFile(report, $0)["playedFrames"] as? Int } == lengths)
        // What was not converted in time was silence.
        let late = try #require(report["underrunFrames"] as? Int)
        #expect(heard.frames <= lengths[0] + lengths[1] + late)
        #expect(heard.channels[0][..<(lengths[0] / 2)] == heard.channels[1][..<(lengths[0] / 2)])
    }

    @Test func `plays a part of each file, and again in a loop, and raises what it is told to`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        let files = [try file("a.wav", 0..<48_000), try file("b.wav", 48_000..<96_000)]
        let (report, heard) = try Listening(
            on: server, files + ["--start", "250ms", "--end", "0.5s"]
        ).end()
        #expect(numbers(heard) == Array(12_000..<24_000) + Array(60_000..<72_000))
        #expect(try playedFile(report, 1)["playedSeconds"] as? Double == 0.25)

        let looped = try Listening(on: server, files + ["--end", "10ms", "--loop", "--gain", "6.020599913279624"])
        try looped.wait(toHear: 6 * 960)
        looped.play.send(SIGINT)
        let (end, loud) = try looped.end(-SIGINT)
        let (first, second) = (try playedFile(end, 0), try playedFile(end, 1))
        let plays = try #require(first["plays"] as? Int)
        #expect(plays > 5 && [plays, plays - 1].contains(second["plays"] as? Int), "what was heard of, not read ahead")
        let frames = try [first, second].map { try #require($0["playedFrames"] as? Int) }
        #expect(frames[0] > (plays - 1) * 480 && frames[0] <= plays * 480)
        #expect(frames[0] + frames[1] == end["playedFrames"] as? Int)
        // Where a busy machine reads a file too late there is silence between the frames, which is counted. None of them is 0.
        let levels = loud.channels[0].filter { $0 != 0 }.prefix(4800)
        let round: [Int] = Array(1...480) + Array(48_001...48_480)
        let rounds = [[Int]](repeating: round, count: 5).joined().map { Float($0) / 524_288 }
        #expect(zip(levels, rounds).allSatisfy { abs($0 - $1) <= $1 * 1e-6 }, "twice as loud, round after round")
        #expect(end["gainDecibels"] as? Double == 6.021)
    }

    @Test func `tells of files that follow each other too quickly`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        let path = try file("a.wav", 0..<48_000)
        for (end, isTold) in [("2ms", true), ("5ms", false)] {
            let words = ["play", "--server", server.name, path, "--end", end, "--loop"]
            let run = try CommandRun(words)
            try run.wait(until: "it plays") { run.err.contains("playing") }
            run.send(SIGINT)
            #expect(try run.end() == -SIGINT, "\(run.err)")
            #expect(run.err.contains("files of 2.0 ms follow each other too quickly") == isTold, "\(run.err)")
        }
    }

    @Test func `mixes down to fewer outputs, counts what clips, and silences what is no number`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        let path = folder("hot.wav")
        var samples = [Float](repeating: 0.5, count: 4800)
        (samples[10], samples[11], samples[100], samples[200]) = (.nan, .infinity, 1.5, -2)
        try SoundFile(sampleRate: 48000, channels: [samples]).write(path)
        let (report, heard) = try Listening(on: server, channels: 1, [path]).end()
        let (clean, spoiled) = (heard.channels[0].prefix(10), heard.channels[0][10..<12])
        #expect(clean.allSatisfy { $0 == 0.5 } && spoiled.allSatisfy { $0 == 0 })
        #expect(heard.frames == 4800 && report["outputs"] as? Int == 1)
        #expect(report["clippedSamples"] as? Int == 2 && report["nonFiniteSamples"] as? Int == 2)

        let wide = folder("wide.wav")
        try SoundFile(sampleRate: 48000, channels: [[0.25, 0.25], [0.125, 0.5]]).write(wide)
        let (mixed, mono) = try Listening(on: server, channels: 1, [wide, "--channels", "1"]).end()
        let weights = try #require(
            (try playedFile(mixed, 0)["downMix"] as? [String: Any])?["weights"] as? [[Double]])
        let expected = [0.25 * weights[0][0] + 0.125 * weights[0][1], 0.25 * weights[0][0] + 0.5 * weights[0][1]]
        #expect(zip(mono.channels[0], expected).allSatisfy { abs(Double($0) - $1) < 1e-7 } && mono.frames == 2)
    }

    @Test func `plays what comes through a pipe, from its first blocks on, and counts the silence where it is slow`()
        throws
    {
        let server = try Listening.server()
        defer { server.stop() }
        let path = try file("a.wav", 0..<48_000)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let pipe = Pipe()
        let listening = try Listening(on: server, ["-"], input: pipe.fileHandleForReading)
        pipe.fileHandleForWriting.write(bytes.prefix(50_000))
        try listening.play.wait(until: "it plays what has come") {
            listening.play.err.contains("playing standard input")
        }
        try listening.waitForSilence()
        pipe.fileHandleForWriting.write(bytes.dropFirst(50_000))
        try pipe.fileHandleForWriting.close()
        let (report, heard) = try listening.end()
        #expect(numbers(heard) == Array(0..<48_000))
        #expect(try #require(report["underrunFrames"] as? Int) > 0)
        #expect(try playedFile(report, 0)["path"] as? String == "-")
    }

    @Test func `leaves out the beginning of a pipe, and plays a file behind it without a frame between`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        let (first, second) = (try file("a.wav", 0..<40_000), try file("b.wav", 40_000..<90_000))
        let input = try FileHandle(forReadingFrom: URL(fileURLWithPath: first))
        let (report, heard) = try Listening(
            on: server, ["-", second, "--start", "0.5"], input: input
        ).end()
        #expect(numbers(heard) == Array(24_000..<40_000) + Array(64_000..<90_000))
        #expect(report["underrunFrames"] as? Int == 0)
    }

    @Test(arguments: ["previous", "next"])
    func `a pipe that comes next is heard behind a file that begins again, or is left`(action: String) throws {
        let (first, second) = (try file("a.wav", 0..<288_000), try file("b.wav", 0..<9600))
        let run = try CommandRun(
            ["play", "--dummy", "--osc", "0", "--json", first, "-"],
            input: try FileHandle(forReadingFrom: URL(fileURLWithPath: second)))
        let surface = try OSCSurface(run)
        try run.wait(until: "it is heard, and the pipe is scheduled") {
            if case .float(let seconds)? = try? surface.ask(OSCMessage("/iounit/position")).arguments.first {
                seconds > 0.4
            } else {
                false
            }
        }
        surface.send(OSCMessage("/iounit/\(action)"))
        #expect(try run.end() == 0, "\(run.err)")
        let report = try object(run.out)
        #expect(try playedFile(report, 1)["playedFrames"] as? Int == 9600, "\(run.err)")
        #expect(try playedFile(report, 0)["plays"] as? Int == (action == "next" ? 1 : 2), "\(run.err)")
    }

    // Files that cannot be played.

    private func refused(
        _ code: Int32, _ says: String, _ words: String..., input: FileHandle = .nullDevice,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let run = try CommandRun(["play", "--dummy"] + words, input: input)
        #expect(try run.end() == code, "\(run.err)", sourceLocation: location)
        #expect(run.out.isEmpty && run.err.split(separator: "\n").count == 1, "\(run.err)", sourceLocation: location)
        #expect(run.err.contains(says), "\(run.err)", sourceLocation: location)
    }

    @Test func `names what is missing or no sound before anything sounds`() throws {
        let good = try file("good.wav", 0..<480)
        try refused(66, "there is no such file", good, folder("none.wav"))
        try Data("not a sound".utf8).write(to: URL(fileURLWithPath: folder("text.wav")))
        try refused(65, "text.wav", good, folder("text.wav"))
        try refused(66, "directory", folder("."))
        try refused(65, "ends after 0.01 s", good, "--start", "1")
        try refused(65, "ends after 0.001 s", try file("short.wav", 0..<1), "--start", "1")
        let empty = Pipe()
        try empty.fileHandleForWriting.close()
        try refused(65, "standard input", "-", input: empty.fileHandleForReading)
        try SoundFile(sampleRate: 48000, channels: Array(repeating: [0, 0], count: 65)).write(folder("many.wav"))
        try refused(65, "it has 65 channels", folder("many.wav"))
    }

    @Test func `plays the readable part of a broken file, and says what is left out`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        let (cut, good) = (try file("cut.wav", 0..<10_000), try file("good.wav", 50_000..<51_000))
        truncate(cut, 40_000)
        let listening = try Listening(on: server, [cut, good])
        let (report, heard) = try listening.end(65)
        let played = try #require(try playedFile(report, 0)["playedFrames"] as? Int)
        #expect(played > 4900 && played < 5000)
        #expect(numbers(heard) == Array(0..<played) + Array(50_000..<51_000))
        #expect(try #require(try playedFile(report, 0)["warnings"] as? [String]).count == 1)
        #expect(listening.play.err.contains("cut.wav: it is cut off"), "\(listening.play.err)")
        #expect(listening.play.err.contains("cut.wav is broken; what can be read of it was played"))
    }

    @Test func `of a pipe that ends too soon plays what has come, and ends with the code of a broken file`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        let whole = try Data(contentsOf: URL(fileURLWithPath: try file("a.wav", 0..<10_000)))
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(whole.prefix(40_000))
        try pipe.fileHandleForWriting.close()
        let listening = try Listening(on: server, ["-"], input: pipe.fileHandleForReading)
        let (report, heard) = try listening.end(65)
        let played = try #require(try playedFile(report, 0)["playedFrames"] as? Int)
        #expect(played > 4900 && played < 5000 && numbers(heard) == Array(0..<played))
        #expect(listening.play.err.contains("standard input is broken"), "\(listening.play.err)")
    }

    @Test func `tells of a file that is gone when its turn comes, plays the next, and ends with its code`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        let files = [
            try file("a.wav", 0..<192_000), try file("gone.wav", 0..<10), try file("c.wav", 192_000..<200_000),
        ]
        let listening = try Listening(on: server, files)
        try listening.play.wait(until: "the first") { listening.play.err.contains("playing 1 of 3") }
        unlink(files[1])
        let (report, heard) = try listening.end(66)
        #expect(numbers(heard) == Array(0..<200_000))
        #expect(try #require(try playedFile(report, 1)["error"] as? String).contains("there is no such file"))
        #expect(listening.play.err.contains("cannot play \(files[1]): there is no such file"), "\(listening.play.err)")
    }

    @Test func `does not try a list of nothing again and again`() throws {
        try SoundFile(sampleRate: 48000, channels: [[]]).write(folder("empty.wav"))
        let run = try CommandRun.run("play", "--dummy", "--loop", folder("empty.wav"), folder("empty.wav"))
        #expect(run.code == 65 && run.out.contains("played 0.0 s of 2 files"), "\(run.out)\(run.err)")
        #expect(run.err.contains("holds no frames"), "\(run.err)")
    }

    // Its end.

    @Test func `while the header of a pipe is waited for, Ctrl-Z stops the program, and Ctrl-C ends it`() throws {
        let pipe = Pipe()
        let run = try CommandRun(["play", "--dummy", "-"], input: pipe.fileHandleForReading)
        func names() -> [String] {
            let folder = "/proc/\(run.identifier)/task"
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return threads.compactMap { try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8) }
        }
        try run.wait(until: "it waits for the header") { names().contains("iounit-open\n") }
        run.send(SIGTSTP)
        try run.wait(until: "it is stopped") { run.isStopped }
        run.send(SIGCONT)
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        withExtendedLifetime(pipe) {}
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func `fades out when it is interrupted`(_ signal: Int32) throws {
        let server = try Listening.server()
        defer { server.stop() }
        let path = folder("ones.wav")
        let ones = [Float](repeating: 0.5, count: 480_000)
        try SoundFile(sampleRate: 48000, channels: [ones, ones]).write(path)
        let listening = try Listening(on: server, [path])
        try listening.play.wait(until: "it plays") { listening.play.err.contains("playing") }
        listening.play.send(signal)
        let (report, heard) = try listening.end(-signal)
        let played = try #require(report["playedFrames"] as? Int)
        #expect(played < 480_000 && heard.frames == played)
        let steps = zip(heard.channels[0], heard.channels[0].dropFirst()).map { $0 - $1 }
        #expect((steps.max() ?? 1) < 0.51 / 480 && (steps.min() ?? 1) == 0, "it fades within 10 ms")
    }

    @Test func `ends with the server, and with 69`() throws {
        let server = try Listening.server()
        let run = try CommandRun(["play", "--server", server.name, "--json", try file("a.wav", 0..<480_000)])
        try run.wait(until: "it plays") { run.err.contains("playing") }
        server.stop()
        #expect(try run.end() == 69)
        #expect(run.err.contains("the JACK server went away"), "\(run.err)")
        #expect(try #require(try object(run.out)["playedFrames"] as? Int) > 0)
    }

    @Test func `goes on where it was when the server is started again`() throws {
        let host = try Succession()
        let run = try CommandRun([
            "play", "--server", host.name, "--reconnect", "auto", "--json", try file("a.wav", 0..<96_000),
        ])
        try run.wait(until: "it plays") { run.err.contains("playing") }
        try host.end(by: SIGKILL)
        try run.wait(until: "it waits") { run.err.contains("the JACK server went away") }
        try host.startAgain()
        #expect(try run.end() == 0, "\(run.err)")
        let report = try object(run.out)
        #expect(report["playedFrames"] as? Int == 96_000 && report["resets"] as? Int == 1)
    }
}
