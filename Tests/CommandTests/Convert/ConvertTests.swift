import Foundation
import TestSupport
import Testing

/// `iounit convert`, on files that sox makes and checks: it needs no server.
@Suite("iounit convert") struct ConvertTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func sox(_ words: String...) throws -> String {
        let run = try CommandRun(words, program: "/usr/bin/sox")
        #expect(try run.end() == 0, "\(run.err)")
        return run.out + run.err
    }

    private func tone(_ name: String, rate: Int = 44_100, seconds: Double = 2) throws -> String {
        _ = try sox(
            "-n", "-D", "-r", "\(rate)", "-c", "2", "-b", "16", folder(name), "synth", "\(seconds)", "sine", "997",
            "gain",
            "-6")
        return folder(name)
    }

    private func run(_ words: String...) throws -> (code: Int32, out: String, err: String) {
        let run = try CommandRun(["convert"] + words)
        let code = try run.end()
        return (code, run.out, run.err)
    }

    @Test func `makes a file that other programs read, and says what it made`() throws {
        let tone = try tone("a.wav")
        let made = try run(
            tone, folder("b.wav"), "--rate", "48k", "--channels", "1", "--bits", "24", "--normalise", "-3dB")
        #expect(made.code == 0 && made.err.isEmpty, "\(made.err)")
        #expect(made.out.contains("pcm24, 48000 Hz (from 44100), 1 channel (from 2), 00:00:02"), "\(made.out)")
        let facts = try sox("--info", folder("b.wav"))
        #expect(facts.contains("96000 samples") && facts.contains("48000") && facts.contains("24-bit"), "\(facts)")
        let level = try sox(folder("b.wav"), "-n", "stats")
        #expect(level.contains("Pk lev dB      -3.00"), "\(level)")
    }

    @Test func `makes many files in a folder, of one kind, and tells of each in JSON`() throws {
        let inputs = try (1...5).map { try tone("\($0).wav", seconds: 0.5) }
        try FileManager.default.createDirectory(atPath: folder("out"), withIntermediateDirectories: true)
        let run = try CommandRun(["convert"] + inputs + [folder("out"), "--format", "flac", "--jobs", "2", "--json"])
        #expect(try run.end() == 0, "\(run.err)")
        let object = try #require(JSONSerialization.jsonObject(with: Data(run.out.utf8)) as? [String: Any])
        let files = try #require(object["files"] as? [[String: Any]])
        #expect(object["schema"] as? String == "iounit.convert/1" && object["isComplete"] as? Bool == true)
        #expect(files.map { $0["input"] as? String } == inputs)
        for number in 1...5 {
            // sox compares nothing: the difference of the two must be silence.
            let rest = try sox(
                "-m", "-v", "1", folder("\(number).wav"), "-v", "-1", folder("out/\(number).flac"), "-n", "stat")
            #expect(rest.contains("Maximum amplitude:     0.000000"), "\(rest)")
        }
    }

    @Test func `goes on with the other files where one cannot be made, and says so at the end`() throws {
        let good = try tone("a.wav", seconds: 0.2)
        _ = FileManager.default.createFile(atPath: folder("bad.wav"), contents: Data("no sound".utf8))
        let made = try run(folder("bad.wav"), good, folder("none.wav"), folder.path + "/out/", "--json")
        #expect(made.code == 73, "the folder is not there: \(made.err)")
        try FileManager.default.createDirectory(atPath: folder("out"), withIntermediateDirectories: true)
        let rest = try run(folder("bad.wav"), good, folder("none.wav"), folder("out"))
        #expect(rest.code == 65, "of the first that failed")
        #expect(
            rest.err.contains("bad.wav") && rest.err.contains("none.wav") && rest.out.contains("out/a.wav: wav pcm16"))
        #expect(FileManager.default.fileExists(atPath: folder("out/a.wav")))
    }

    @Test func `reads from a pipe`() throws {
        let tone = try tone("a.wav", seconds: 1)
        let pipe = Pipe()
        let source = try CommandRun(["-c", "cat '\(tone)' >&2"], program: "/bin/sh", errors: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        let run = try CommandRun(["convert", "-", folder("b.flac")], input: pipe.fileHandleForReading)
        #expect(try run.end() == 0 && source.end() == 0, "\(run.err)")
        #expect(run.out.contains("flac pcm16, 44100 Hz, 2 channels, 00:00:01"), "\(run.out)")
    }

    @Test func `that is interrupted leaves whole files and exits with 130`() throws {
        let tone = try tone("a.wav", seconds: 600)
        let run = try CommandRun(["convert", tone, folder("b.wav"), "--rate", "48001", "--json"])
        try run.wait(until: "something is written") {
            ((try? FileManager.default.attributesOfItem(atPath: folder("b.wav")))?[.size] as? Int) ?? 0 > 100_000
        }
        run.send(SIGINT)
        #expect(try run.end() == 130, "\(run.err)")
        let object = try #require(JSONSerialization.jsonObject(with: Data(run.out.utf8)) as? [String: Any])
        let file = try #require((object["files"] as? [[String: Any]])?.first)
        let frames = try #require(file["outputFrames"] as? Int)
        #expect(object["isComplete"] as? Bool == false && frames > 0)
        #expect(try sox("--info", "-s", folder("b.wav")).contains("\(frames)"))
    }

    @Test(arguments: [
        (["a.wav"], 64, "IN... OUT"), (["none.wav", "b.wav"], 66, "there is no such file"),
        (["a.wav", "b.xyz"], 64, ".wav"), (["a.wav", "a.wav"], 73, "the input itself"),
        (["a.wav", "b.opus", "--rate", "44100"], 64, "48000"), (["a.wav", "b.wav", "--rate", "fast"], 64, "44.1k"),
        (["a.wav", "b.wav", "--start", "1:75"], 64, "1:30"),
        (["a.wav", "b.wav", "--end", "5", "--start", "6"], 64, "--end"),
        (["a.wav", "b.wav", "--gain", "3", "--normalise", "-1"], 64, "contradict"),
        (["a.wav", "b.wav", "--bits", "12"], 64, "--bits"), (["a.wav", "-", "--json"], 64, "leave it out"),
        (["a.wav", "-", "--format", "aiff"], 64, "which a pipe does not know"),
        (["a.wav", "b.wav", "-"], 64, "takes one input"),
        (["a.wav", "/dev/null", "--format", "wav"], 73, "no regular file"),
        (["a.wav", "none/b.wav"], 73, "none"), (["a.wav", "b.wav", "--frobnicate"], 64, "--frobnicate"),
    ])
    func `says in a sentence what is wrong, and leaves nothing behind`(
        _ words: [String], _ code: Int, _ hint: String
    ) throws {
        _ = try tone("a.wav", seconds: 0.1)
        let places = words.map { $0.contains(".") && !$0.hasPrefix("-") ? folder($0) : $0 }
        let run = try CommandRun(["convert"] + places)
        #expect(try run.end() == code, "\(run.err)")
        #expect(run.out.isEmpty && run.err.contains(hint) && run.err.split(separator: "\n").count == 1, "\(run.err)")
        #expect(folder.names == ["a.wav"])
    }
}
