import AudioFiles
import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// `iounit record` on a server on which another program plays.
@Suite("iounit record", .serialized, .ownServers) struct RecordTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// A file of frames that tell where they stand.
    private func numbered(_ frames: Int) throws -> String {
        try NumberedFrames.file(frames: frames).write(folder("numbered.wav"))
        return folder("numbered.wav")
    }

    /// A patient one: it leaves out no cycle of what plays or what records, whichever of them the machine holds up.
    private func server() throws -> Server { try Listening.server() }

    private func record(on server: Server, _ words: [String], output: FileHandle? = nil) throws -> CommandRun {
        try CommandRun(
            ["record", "--server", server.name, "--name", "ear", "--no-connect"] + words, output: output)
    }

    private func play(_ path: String, on server: Server) throws -> CommandRun {
        try CommandRun(["play", "--server", server.name, "--output", "^ear:in_", path])
    }

    private func file(_ report: [String: Any], _ index: Int) throws -> [String: Any] {
        try #require(report["files"] as? [[String: Any]])[index]
    }

    @Test func `a preroll that is too much for memory at the server's rate is refused, and no file is made`() throws {
        var configuration = ServerConfiguration()
        configuration.sampleRate = 192_000
        configuration.periodFrames = 1024
        let server = try Server(configuration)
        // At 48 kHz it would be 1318 MiB.
        let run = try record(on: server, ["--preroll", "1h", folder("a.wav")])
        #expect(try run.end() == 64)
        #expect(run.err.contains("--preroll would hold 5273 MiB in memory"), "\(run.err)")
        #expect(folder.names.isEmpty)
    }

    @Test func `a report does not go where the sound goes, under another name too`() throws {
        let line = "'\(CommandRun.program)' record --dummy --json --seconds 0.1s --format wav /dev/stdout | cat"
        let run = try CommandRun(["-c", line], program: "/bin/sh")
        _ = try run.end()
        #expect(run.out.isEmpty && run.err.contains("--json prints on the standard output"), "\(run.err)")
    }

    @Test func `several files of other kinds hold the same frames, to the bit`() throws {
        let server = try server()
        defer { server.stop() }
        let paths = ["a.wav", "b.flac", "c.w64", "d.opus"].map { folder($0) }
        let run = try record(on: server, ["--json"] + paths)
        try run.wait(until: "it records") { run.err.contains("recording") }
        let player = try play(try numbered(50_000), on: server)
        #expect(try player.end() == 0, "\(player.err)")
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let report = try object(run.out)
        #expect(report["schema"] as? String == "iounit.record/2")
        let whole = try SoundFile(reading: paths[0])
        let numbers = NumberedFrames(in: whole)
        #expect(numbers.numbers == Array(1...50_000) && numbers.strays == 0)
        for (index, path) in paths.enumerated() {
            let entry = try file(report, index)
            #expect(entry["frames"] as? Int == whole.frames)
            #expect(entry["droppedFrames"] as? Int == 0 && entry["error"] is NSNull)
            if index < 3 { #expect(try SoundFile(reading: path).channels == whole.channels) }
        }
        #expect(try SoundFileReader(path: paths[3]).frames == whole.frames)
    }

    @Test func `sound leaves through the pipe as it comes, and the summary does not`() throws {
        let server = try server()
        defer { server.stop() }
        let run = try CommandRun(
            [
                "-c",
                "'\(CommandRun.program)' record --server \(server.name) --name ear --no-connect --seconds 6 --gaps cut "
                    + "--format flac -"
                    + " | flac --silent --decode --output-name '\(folder("out.wav"))' -",
            ], program: "/bin/sh")
        try run.wait(until: "it records") { run.err.contains("recording the standard output") }
        let player = try play(try numbered(30_000), on: server)
        #expect(try player.end() == 0)
        #expect(try run.end() == 0, "\(run.err)")
        #expect(run.out.isEmpty && run.err.contains("recorded 6.0 s"))
        let whole = try SoundFile(reading: folder("out.wav"))
        let numbers = NumberedFrames(in: whole)
        #expect(whole.frames == 288_000 && numbers.numbers.count == 30_000 && numbers.halves == 0)
    }

    @Test func `a reader that goes away ends the recording with a sentence, and the other file goes on`() throws {
        let run = try CommandRun(
            [
                "-c",
                "('\(CommandRun.program)' record --dummy --seconds 1 - '\(folder("a.wav"))'; echo code $? >&2) | head -c 1000"
                    + " > /dev/null",
            ], program: "/bin/sh")
        #expect(try run.end() == 0)
        #expect(run.err.contains("nobody reads the pipe any more") && run.err.contains("code 74"), "\(run.err)")
        #expect(try SoundFile(reading: folder("a.wav")).frames == 48_000)
    }

    @Test func `begins with a sound, keeps what came before, and ends after a silence`() throws {
        let server = try server()
        defer { server.stop() }
        let path = folder("a.wav")
        let run = try record(
            on: server, ["--json", "--threshold", "-60dB", "--preroll", "100ms", "--silence", "0.5s", path])
        try run.wait(until: "it waits") { run.err.contains("waiting for a sound of -60.0 dB") }
        #expect(!FileManager.default.fileExists(atPath: path))
        let start = Date()
        try run.wait(until: "it has heard a tenth of a second, and more") { Date().timeIntervalSince(start) > 0.5 }
        let player = try play(try numbered(20_000), on: server)
        #expect(try player.end() == 0)
        #expect(try run.end() == 0, "\(run.err)")
        let sound = try SoundFile(reading: path).channels[0]
        let report = try file(try object(run.out), 0)
        // What a machine that stalls has lost is filled.
        let filled = try #require(report["filledFrames"] as? Int)
        let begin = try #require(sound.firstIndex { $0 >= 0.001 })
        #expect((4800...4800 + filled).contains(begin), "behind a tenth of a second: \(begin), \(filled)")
        // The first frame that is as loud is number 1049; a later one where the server lost those before.
        let (before, first) = (sound[begin - 1] * 1_048_576, sound[begin] * 1_048_576)
        #expect(filled > 0 ? first >= 1049 && before <= 1048 : first == 1049 && before == 1048)
        #expect(sound.count - filled == 4800 + 20_000 - 1048 + 24_000)
        #expect(report["takes"] as? Int == 1)
    }

    @Test func `a signal begins it with the seconds before, and marks where that was`() throws {
        let path = folder("a.wav")
        let run = try CommandRun(["record", "--dummy", "--preroll", "1s", "--seconds", "1s", "--json", path])
        try run.wait(until: "it waits") { run.err.contains("waiting for the key space") }
        let start = Date()
        try run.wait(until: "two seconds have gone by") { Date().timeIntervalSince(start) > 2 }
        run.send(SIGUSR2)
        #expect(try run.end() == 0, "\(run.err)")
        let reader = try SoundFileReader(path: path)
        // Gaps of the private server may lie in the pre-roll, as silence. Before those of a second there is none.
        let lost = try #require(object(run.out)["lostNanoseconds"] as? Double)
        let marked = try #require(reader.markers.first { $0.label == "start" }?.frame)
        #expect(marked >= 48_000 || lost >= 1e9, "\(marked), and \(lost) ns lost")
        #expect(try #require(reader.frames) >= marked + 48_000)
    }

    @Test func `splits, names and dates its files, and the whole has one time line`() throws {
        let run = try CommandRun([
            "record", "--dummy", "--seconds", "2s", "--split", "0.5s", "--title", "Night", "--json",
            folder("take-{n:2}.wav"),
        ])
        #expect(try run.end() == 0, "\(run.err)")
        let entry = try file(try object(run.out), 0)
        #expect(entry["segments"] as? [String] == (1...4).map { folder("take-0\($0).wav") })
        var times: [UInt64] = []
        for number in 1...4 {
            let reader = try SoundFileReader(path: folder("take-0\(number).wav"))
            #expect(reader.frames == 24_000)
            #expect(reader.metadata[.title] == "Night" && reader.metadata[.software]?.contains("iounit") == true)
            times.append(try #require(reader.metadata.broadcast).timeReferenceFrames)
        }
        // But for jitter, and for what the server lost, each begins half a second behind the one before.
        for (first, second) in zip(times, times.dropFirst()) { #expect(abs(Int(second) - Int(first) - 24_000) < 4800) }
        let list = try object(String(contentsOfFile: folder("take-01.wav.json"), encoding: .utf8))
        let segments = try #require(list["segments"] as? [[String: Any]])
        #expect(segments.map { $0["startFrame"] as? Int } == [0, 24_000, 48_000, 72_000])
    }

    @Test func `a rate of its own is converted to, and the length is exact`() throws {
        let run = try CommandRun([
            "record", "--dummy", "--seconds", "1s", "--file-rate", "16k", "--bits", "16", folder("a.wav"),
            folder("b.opus"),
        ])
        #expect(try run.end() == 0, "\(run.err)")
        let reader = try SoundFileReader(path: folder("a.wav"))
        #expect(reader.sampleRate == 16_000 && reader.frames == 16_000 && "\(reader.fileFormat!)" == "wav pcm16")
        #expect(try SoundFileReader(path: folder("b.opus")).sampleRate == 16_000)
    }

    @Test func `a kind that lacks the server's rate gets the nearest it has`() throws {
        let run = try CommandRun(["record", "--dummy", "--rate", "44100", "--seconds", "1s", folder("a.opus")])
        #expect(try run.end() == 0, "\(run.err)")
        #expect(try SoundFileReader(path: folder("a.opus")).sampleRate == 48_000)
    }

    @Test func `waits for ports that are not there yet, where that is asked for, and begins with them`() throws {
        let server = try Server(ServerConfiguration())
        defer { server.stop() }
        let words = ["record", "--server", server.name, "--channels", "1", "--input", "^late:", "--json"]
        let now = try CommandRun(words + [folder("a.wav")])
        #expect(try now.end() == 64 && now.err.contains("; --wait-ports waits until there is one"), "\(now.err)")
        let brief = try CommandRun(words + ["--wait-ports=0.1", folder("a.wav")])
        #expect(try brief.end() == 64 && brief.err.contains("waited 0.1 s for it"), "\(brief.err)")
        let patient = try CommandRun(words + ["--wait-ports", folder("a.wav")])
        try patient.wait(until: "it waits") { patient.err.contains("waiting for ports: no port to take sound from") }
        patient.send(SIGINT)
        #expect(try patient.end() == -SIGINT)
        #expect(folder.names.isEmpty)

        let run = try CommandRun(words + ["--wait-ports", folder("a.wav")])
        try run.wait(until: "it waits") { run.err.contains("waiting for ports") }
        let late = try Client(name: "late", server: server.name)
        _ = try late.register("out", .output)
        let process: ProcessCallback = { _, _ in 0 }
        try late.setProcess(process, context: nil, keeping: server)
        let active = try late.activate()
        try run.wait(until: "it records") { run.err.contains("recording") }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        #expect(try SoundFile(reading: folder("a.wav")).frames > 0)
        try active.close()
    }

    @Test func `interrupted it leaves a whole file, says what it has, and ends by the signal`() throws {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let path = folder("\(signal).flac")
            let run = try CommandRun(["record", "--dummy", path])
            try run.wait(until: "it records") { run.err.contains("recording") }
            run.send(signal)
            #expect(try run.end() == -signal)
            #expect(run.out.contains("recorded") && run.out.contains("flac pcm24"))
            #expect(try CommandRun.tool("flac", "--silent", "-t", path).code == 0)
        }
    }

    @Test func `what was never begun leaves no file`() throws {
        let run = try CommandRun(["record", "--dummy", "--threshold", "-20dB", folder("a.wav")])
        try run.wait(until: "it waits") { run.err.contains("waiting") }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
        #expect(run.out.contains("nothing was recorded") && folder.names.isEmpty)
    }

    @Test func `what exists is kept, and no file is left where one of several cannot be made`() throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder("b.wav")))
        let (code, _, err) = try CommandRun.run("record", "--dummy", "--seconds", "1", folder("a.wav"), folder("b.wav"))
        #expect(code == 73 && err.contains("--force"), "\(err)")
        #expect(folder.names == ["b.wav"])
        let forced = try CommandRun.run("record", "--dummy", "--seconds", "0.2", "--force", folder("b.wav"))
        #expect(forced.code == 0, "\(forced.err)")
        #expect(try SoundFile(reading: folder("b.wav")).frames == 9600)
    }

    @Test func `no rights, no folder, too many channels and a terminal's output each have their sentence`() throws {
        for (words, code, reason) in [
            (["/proc/a.wav"], 73, "cannot record to"), ([folder("none/a.wav")], 73, "folder does not exist"),
            (["--channels", "12", folder("a.flac")], 64, "12 channels"), ([folder("a.xyz")], 64, ".xyz is not known"),
            (["--server", "no-such-server", folder("a.wav")], 69, "server"),
        ] as [([String], Int32, String)] {
            let dummy = words.contains("--server") ? [] : ["--dummy"]
            let run = try CommandRun(["record"] + dummy + ["--seconds", "0.1"] + words)
            let end = try run.end()
            #expect(run.err.contains(reason), "\(words): \(end) \(run.err)")
            #expect(end == code, "\(words): \(end) \(run.err)")
        }
        #expect(folder.names.isEmpty)
    }

    @Test func `a server that goes away and comes back leaves a gap of that length, in each file`() throws {
        let servers = try Succession()
        let paths = [folder("a.wav"), folder("b.flac")]
        let run = try record(on: servers.server, ["--json", "--reconnect", "auto"] + paths)
        try run.wait(until: "it records") { run.err.contains("recording") }
        let start = Date()
        try run.wait(until: "half a second") { Date().timeIntervalSince(start) > 0.5 }
        try servers.end(by: SIGKILL)
        try servers.startAgain()
        try run.wait(until: "it goes on") { run.err.contains("in the graph again") }
        let again = Date()
        try run.wait(until: "half a second") { Date().timeIntervalSince(again) > 0.5 }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let report = try object(run.out)
        let sounds = try paths.map { try SoundFile(reading: $0) }
        #expect(sounds[0].frames == sounds[1].frames)
        for index in 0..<2 {
            let entry = try file(report, index)
            #expect(try #require(entry["gaps"] as? Int) >= 1 && entry["frames"] as? Int == sounds[index].frames)
            let list = try object(String(contentsOfFile: "\(paths[index]).json", encoding: .utf8))
            let gaps = try #require(list["gaps"] as? [[String: Any]])
            #expect(gaps.contains { $0["cause"] as? String == "reset" })
        }
    }
    @Test func `a rate that the server had only at the end is said to be that`() throws {
        let servers = try Succession()
        let run = try record(on: servers.server, ["--reconnect", "auto", folder("a.wav")])
        try run.wait(until: "it records") { run.err.contains("recording") }
        var other = servers.server.configuration
        other.sampleRate = 44_100
        try servers.end(by: SIGKILL)
        try servers.startAgain(other)
        try run.wait(until: "it goes on") { run.err.contains("in the graph again") }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        #expect(run.out.contains(" at 44100 Hz at the end ("), "\(run.out)")
    }
}
