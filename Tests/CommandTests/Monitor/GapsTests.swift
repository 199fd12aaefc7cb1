import Foundation
import Jack
import TestSupport
import Testing
import Threads

@Suite("Where sound is missing in a recording")
struct GapsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A run whose server stands still for 0.3 s meanwhile.
    private func record(_ words: String...) throws -> CommandRun {
        var configuration = ServerConfiguration()
        configuration.isSync = true
        let server = try Server(configuration)
        defer { server.stop() }
        let run = try CommandRun(
            ["monitor", "--server", server.name, "--source", "tone", "--record", folder("take.wav")] + words)
        try run.wait(until: "the first line of the log") { run.err.contains("peak") }
        server.signal(SIGSTOP)
        MonotonicClock.sleep(milliseconds: 300)
        server.signal(SIGCONT)
        try run.wait(until: "the next line of the log") { run.err.contains("00:00:02  peak") }
        run.send(SIGINT)
        #expect(try run.end() == 130)
        return run
    }

    @Test(arguments: [["--gaps", "silence"], ["--gaps", "cut"]])
    func `the object says how much, what was done about it and where the list is`(_ words: [String]) throws {
        let run = try record(words[0], words[1], "--json")
        let report = try object(run.out)
        let recorded = try #require(report["recorded"] as? [String: Any])
        #expect(
            Set(recorded.keys) == [
                "path", "frames", "droppedFrames", "gaps", "filledFrames", "filledNanoseconds", "freewheeledFrames",
                "segments", "conversionReason", "sidecar",
            ])
        let gaps = try #require(recorded["gaps"] as? Int)
        let filled = try #require(recorded["filledFrames"] as? Int)
        let frames = try #require(recorded["frames"] as? Int)
        #expect(gaps >= 1)
        #expect(words[1] == "cut" ? filled == 0 : filled > 9600)
        #expect(frames == (report["frames"] as? Int ?? 0) + filled)
        #expect(try SoundFile(reading: folder("take.wav")).frames == frames)
        #expect(recorded["segments"] as? [String] == [folder("take.wav")])
        #expect(recorded["sidecar"] as? String == folder("take.wav.json"))
        let data = try Data(contentsOf: URL(fileURLWithPath: folder("take.wav.json")))
        let list = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(list["schema"] as? String == "iounit.recording/1" && list["gapFill"] as? String == words[1])
        let listed = try #require(list["gaps"] as? [[String: Any]])
        #expect(listed.count == gaps && listed.contains { ($0["lengthNanoseconds"] as? Int ?? 0) > 200_000_000 })
    }

    @Test func `the summary says so too`() throws {
        let run = try record()
        #expect(
            run.out.contains(/\d+ gaps?, \d+\.\d s of silence filled in, see \S+take\.wav\.json/), "\(run.out)")
    }

    @Test func `a list that is there already is kept unless the user insists`() throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder("take.wav.json")))
        let words = ["monitor", "--dummy", "--seconds", "0.5", "--record", folder("take.wav")]
        let refused = try CommandRun(words)
        #expect(try refused.end() == 73)
        #expect(refused.err.contains("take.wav.json") && refused.err.contains("--force"), "\(refused.err)")
        #expect(folder.names == ["take.wav.json"])
        #expect(try CommandRun(words + ["--force"]).end() == 0)
    }
}
