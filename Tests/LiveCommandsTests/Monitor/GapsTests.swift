import CommandTestSupport
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
        func lines() -> Int { run.err.ranges(of: "  peak ").count }
        try run.wait(until: "the first line of the log") { lines() > 0 }
        try server.freeze()
        MonotonicClock.sleep(milliseconds: 300)
        server.signal(SIGCONT)
        let seen = lines()
        try run.wait(until: "the next line of the log") { lines() > seen }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
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

    @Test func `the picture of the recording marks it where the sound is silent`() throws {
        _ = try record("--gaps", "silence")
        let sound = try SoundFile(reading: folder("take.wav"))
        // The long silences in the file itself; what the list says is not looked at. A tone that begins late is silent at first,
        // and nothing is missing there.
        var (silences, start): ([Range<Int>], Int) = ([], 0)
        for frame in 0...sound.frames where frame == sound.frames || sound.channels.contains(where: { $0[frame] != 0 })
        {
            if frame - start > 9600 { silences.append(start..<frame) }
            start = frame + 1
        }
        let run = try CommandRun.run("picture", folder("take.wav"), "--waveform")
        #expect(run.code == 0, "\(run.err)")
        let svg = try String(contentsOfFile: folder("take.svg"), encoding: .utf8)
        let marks = svg.matches(of: /<rect class="gap" x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)"/).map {
            (start: Double($0.1) ?? 0, width: Double($0.2) ?? 0)
        }
        let widest = try #require(marks.max { $0.width < $1.width })
        // 1096 columns begin at 84.
        let pixels = 1096 / Double(sound.frames)
        let isSilent = silences.contains { silence in
            abs(widest.start - (84 + pixels * Double(silence.lowerBound))) <= 1.5
                && abs(widest.width - pixels * Double(silence.count)) <= 1.5
        }
        #expect(isSilent, "\(marks) \(silences) of \(sound.frames)")
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
