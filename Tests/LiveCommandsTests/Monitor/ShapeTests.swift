import AudioDSP
import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("The shaper from the command line")
struct ShapeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func table(_ text: String) throws -> String {
        let path = folder("curve.txt")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func `a table is the curve, and the report says what was done and how long it took`() throws {
        let path = try table("\u{feff}-2, -1\n# half as loud\n\n0 0 # the middle\n2;1\n")
        let run = try CommandRun.run(
            "monitor", "--offline", "--seconds", "0.4", "--source", "tone", "--shape-table", path, "--antialias",
            "adaa+2x", "--phase", "minimum", "--json")
        #expect(run.code == 0, "\(run.err)")
        let report = try object(run.out)
        let unit = try #require(report["unit"] as? [String: Any])
        #expect(unit["shape"] as? String == "table")
        #expect(unit["antialias"] as? String == "adaa+2x")
        #expect(unit["phase"] as? String == "minimum")
        let latency = Shaping(.table, .adaaTwofold, .minimum).latencyFrames
        #expect(abs(try #require(unit["latencyFrames"] as? Double) - latency) < 1e-9)
        // The tone has −12 dB of full scale.
        let peak = try #require((report["peakDecibels"] as? [Double])?.first)
        #expect(abs(peak + 18.06) < 0.1, "\(peak)")
    }

    /// A sine of 0.25 (−12.04 dB) comes out of 1.5 x − 0.5 x³ as 0.3672 (−8.70 dB).
    @Test(arguments: [
        ([], "off", -12.04), (["--antialias", "off"], "off", -12.04), (["--shape", "cubic"], "cubic", -8.7),
        (["--drive", "0"], "cubic", -8.7), (["--drive", "6", "--shape", "off"], "off", -12.04),
    ])
    func `nothing is shaped unless a shape or a drive is given`(
        _ words: [String], _ shape: String, _ level: Double
    ) throws {
        let run = try CommandRun(["monitor", "--offline", "--source", "tone", "--seconds", "0.4", "--json"] + words)
        #expect(try run.end() == 0, "\(run.err)")
        let report = try object(run.out)
        #expect((report["unit"] as? [String: Any])?["shape"] as? String == shape)
        let peak = try #require((report["peakDecibels"] as? [Double])?.first)
        #expect(abs(peak - level) < 0.05, "\(peak)")
    }

    @Test func `a compensated level is that of the source`() throws {
        let run = try CommandRun.run(
            "monitor", "--offline", "--seconds", "0.4", "--source", "tone", "--shape", "tanh", "--drive", "50",
            "--compensate", "on", "--json")
        #expect(run.code == 0, "\(run.err)")
        let report = try object(run.out)
        #expect((report["unit"] as? [String: Any])?["compensate"] as? Bool == true)
        // The tone has −12 dB of full scale. At a high drive it becomes a square wave, whose peak is its level.
        let peak = try #require((report["peakDecibels"] as? [Double])?.first)
        #expect(abs(peak + 15.05) < 0.1, "\(peak)")
        let refused = try CommandRun.run("monitor", "--dummy", "--compensate", "maybe")
        #expect(refused.code == 64 && refused.err.contains("--compensate"), "\(refused.err)")
    }

    /// What a file holds, and what the one sentence must say.
    static let wrong = [
        ("", "line 1: a curve takes 2 points"), ("0 0\n", "a curve takes 2 points"),
        ("0 0\n1\n", "line 2: it is not two numbers"), ("0 0\none 1\n", "line 2: it is not two numbers"),
        ("0 0\n1 nan\n", "line 2: it is not two numbers"), ("0 0\n\n1 1e9\n", "line 3: a coordinate lies within"),
        ("0 0\n0x1p3 1\n", "line 2: it is not two numbers"), ("0 0\n1 1e39\n", "line 2: a coordinate lies within"),
        ("0 0\n1 1\n# back\n1 2\n", "line 4: x must be greater"), ("0 0\n-1 1\n", "line 2: x must be greater"),
    ]

    @Test(arguments: wrong)
    func `a table that is none is refused, with its line`(_ content: String, _ reason: String) throws {
        let run = try CommandRun.run("monitor", "--dummy", "--shape-table", try table(content))
        #expect(run.code == 65)
        #expect(run.out.isEmpty)
        #expect(run.err.contains(reason) && run.err.split(separator: "\n").count == 1, "\(run.err)")
    }

    @Test func `a table that is too long, or not there, is refused`() throws {
        let long = try table((0...65_536).map { "\($0) 0\n" }.joined())
        let run = try CommandRun.run("monitor", "--dummy", "--shape-table", long)
        #expect(run.code == 65 && run.err.contains("line 65537"), "\(run.err)")
        #expect(try CommandRun.run("monitor", "--dummy", "--shape-table", folder("none")).code == 66)
        #expect(try CommandRun.run("monitor", "--dummy", "--shape-table", "/tmp").code == 66)
    }
}
