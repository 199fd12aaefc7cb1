import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// `--source` of the subcommands that take sound out of the graph.
@Suite("A sound in the place of the inputs", .serialized, .ownServers) struct SourceTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Half a tone at -6 dB, on one channel.
    private func tone(seconds: Double) throws -> String {
        let (code, _, err) = try CommandRun.run(
            "monitor", "--offline", "--source", "tone:330", "--channels", "1", "--gain", "-6", "--seconds",
            "\(seconds)",
            "--record", folder("tone.wav"), "--force")
        try #require(code == 0, "\(err)")
        return folder("tone.wav")
    }

    @Test func `a tone is heard as long as the run is to last`() throws {
        let (code, out, err) = try CommandRun.run(
            "tune", "--dummy", "--source", "tone:443", "--seconds", "2", "--json")
        #expect(code == 0, "\(err)")
        let report = try object(out)
        let hertz = try #require(report["hertz"] as? Double)
        #expect(abs(hertz - 443) < 1, "\(hertz)")
        let fed = try #require(report["source"] as? [String: Any])
        #expect(fed["name"] as? String == "tone:443" && fed["underrunFrames"] is Int)
        #expect(try #require(fed["frames"] as? Int) > 0)
    }

    @Test func `a file ends the run when it has been played, and all of it is recorded`() throws {
        let source = try tone(seconds: 2)
        let (code, out, err) = try CommandRun.run(
            "record", folder("take.wav"), "--dummy", "--channels", "1", "--source", source, "--json")
        #expect(code == 0, "\(err)")
        let report = try object(out)
        let fed = try #require(report["source"] as? [String: Any])
        #expect(fed["name"] as? String == source && fed["frames"] as? Int == 96_000, "\(fed)")
        let file = try #require((report["files"] as? [[String: Any]])?.first)
        #expect(try #require(file["frames"] as? Int) >= 96_000, "\(file)")
        let played = try FloatFile.read(source)[0]
        let taken = try FloatFile.read(folder("take.wav"))[0]
        let first = try #require(taken.firstIndex { $0 != 0 })
        // The file's first sample is 0.
        let start = first - (played.firstIndex { $0 != 0 } ?? 0)
        #expect(start >= 0 && taken.count >= start + played.count)
        // A machine that is too slow for the file or for the cycle leaves silence in it, which these figures tell. A cycle that
        // was skipped at the start is filled, and no time was lost for it where the one before it came late.
        let figures = [report["lostNanoseconds"], fed["underrunFrames"], file["filledFrames"]]
        guard figures.allSatisfy({ $0 as? Int == 0 }) else { return }
        #expect(Array(taken[start..<min(taken.count, start + played.count)]) == played)
    }

    @Test func `what is no number in a file is counted, as what comes through the inputs is`() throws {
        var samples = [Float](repeating: 0.5, count: 4800)
        (samples[10], samples[11]) = (.nan, .infinity)
        try SoundFile(sampleRate: 48_000, channels: [samples]).write(folder("hot.wav"))
        let (code, out, err) = try CommandRun.run(
            "record", folder("take.wav"), "--dummy", "--channels", "1", "--source", folder("hot.wav"), "--json")
        #expect(code == 0, "\(err)")
        #expect(try object(out)["nonFiniteSamples"] as? Int == 2)
    }

    @Test(arguments: [
        ["tune", "--dummy", "--loop"],
        ["record", "FOLDER/tone.wav", "--dummy", "--source", "FOLDER/tone.wav", "--force"],
        ["beat", "--dummy", "--source", "noise", "--loop"], ["tune", "FOLDER/tone.wav", "--source", "tone"],
        ["send", "file:FOLDER/a.flac", "--dummy", "--source", "tone:90000"],
    ])
    func `what cannot be is one sentence, and no file is touched`(words: [String]) throws {
        let source = try tone(seconds: 0.1)
        let before = try Data(contentsOf: URL(fileURLWithPath: source))
        let run = try CommandRun(words.map { $0.replacing("FOLDER", with: folder.path) })
        #expect(try run.end() == 64 && run.out.isEmpty && run.err.split(separator: "\n").count == 1, "\(run.err)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: source)) == before)
        #expect(!FileManager.default.fileExists(atPath: folder("a.flac")))
    }

    @Test func `a file that is not there is 66 before a port is made`() throws {
        let (code, _, err) = try CommandRun.run("send", "tcp://127.0.0.1:9", "--dummy", "--source", folder("none.wav"))
        #expect(code == 66 && err.contains("none.wav"), "\(err)")
    }
}
