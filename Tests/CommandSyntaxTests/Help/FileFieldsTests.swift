import AudioFiles
import AudioReports
import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import CommandSyntax
@testable import iounit

@Suite("The fields of what is printed")
struct FileFieldsTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// A WAV file with all that one may have: a sampler's loop is put in here, the rest is ours to write.
    private func writeAll(_ path: String) throws {
        var broadcast = BroadcastInfo()
        broadcast.description = "Scene 7"
        let writer = try SoundFileWriter(
            path: path, sampleRate: 48_000, channels: 1,
            metadata: SoundFileMetadata([.title: "Rain"], broadcast: broadcast))
        try writer.write([0.25, -0.25])
        try writer.close(marking: [Marker(frame: 1, label: "in")])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let sampler: [UInt32] = [0, 0, 20_833, 60, 0, 0, 0, 1, 0] + [0, 1, 0, 1, 0, 3]
        bytes.append(contentsOf: "smpl".utf8)
        for value in [UInt32(4 * sampler.count)] + sampler {
            bytes.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
        }
        let size = UInt32(bytes.count - 8)
        for index in 0..<4 { bytes[4 + index] = UInt8(truncatingIfNeeded: size >> UInt32(8 * index)) }
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    @Test func `of info are those that its schema has`() throws {
        let path = folder("all.wav")
        try writeAll(path)
        try
            (#"{"gapFill":"silence","omittedGaps":0,"schema":"iounit.recording/1","segments":[{"path":"all.wav"}],"#
            + #""start":{"wallTime":"2026-11-22T14:09:00.000000Z"},"gaps":[]}"#).write(
                toFile: "\(path).json", atomically: true, encoding: .utf8)
        // A list that is none is a warning.
        try writeAll(folder("other.wav"))
        try #"{"schema":"iounit.recording/1","gaps":7}"#.write(
            toFile: folder("other.wav.json"), atomically: true, encoding: .utf8)
        let run = try CommandRun.run("info", path, folder("other.wav"), "--peaks", "--loudness", "--json")
        #expect(run.code == 0, "\(run.err)")
        try SchemaCheck.expect("info", describes: run.out)
    }

    @Test func `of convert are those that its schema has`() throws {
        try writeAll(folder("all.wav"))
        try FileManager.default.createDirectory(atPath: folder("out"), withIntermediateDirectories: true)
        // FLAC has no place for a broadcast chunk, which is a warning; and of the second file there is no sound.
        let run = try CommandRun.run(
            "convert", folder("all.wav"), folder("none.wav"), folder("out"), "--format", "flac", "--json")
        #expect(run.code == 66, "\(run.err)")
        try SchemaCheck.expect("convert", describes: run.out)
    }

    @Test func `of monitor are those that its schema has`() throws {
        // Two channels on one input are mixed down.
        let path = folder("two.wav")
        let writer = try SoundFileWriter(path: path, sampleRate: 48_000, channels: 2)
        try writer.write([Float](repeating: 0.25, count: 9600))
        try writer.close()
        let run = try CommandRun.run(
            "monitor", "--dummy", "--channels", "1", "--source", path, "--record", folder("a.wav"), "--send",
            "file:\(folder("b.wav"))", "--serve", "127.0.0.1:0", "--eq", "peak:1k:-3", "--compressor", "--limiter",
            "--plugin", "fomp/autowah",
            "--voice", "webrtc", "--midi", "--osc", "0", "--json")
        #expect(run.code == 0, "\(run.err)")
        let offline = try CommandRun.run("monitor", "--offline", "--source", path, "--json")
        #expect(offline.code == 0, "\(offline.err)")
        try SchemaCheck.expect("monitor", describes: run.out)
        try SchemaCheck.expect("monitor", describes: offline.out)
    }

    @Test func `of record are those that its schema has`() throws {
        let run = try CommandRun.run(
            "record", "--dummy", "--seconds", "0.2", "--json", "--send", "file:\(folder("b.wav"))", "--voice", "speex",
            "--far", "system:capture", folder("a.wav"))
        #expect(run.code == 0, "\(run.err)")
        try SchemaCheck.expect("record", describes: run.out)
    }

    @Test func `of play are those that its schema has`() throws {
        // Two channels on one output are mixed down; and what is cut off is a warning.
        let path = folder("cut.wav")
        let writer = try SoundFileWriter(path: path, sampleRate: 48_000, channels: 2)
        try writer.write([Float](repeating: 0.25, count: 4800))
        try writer.close()
        truncate(path, 5000)
        let run = try CommandRun.run("play", "--dummy", "--channels", "1", path, "--json")
        #expect(run.code == 65, "\(run.err)")
        try SchemaCheck.expect("play", describes: run.out)
    }

    @Test func `of send are those that its schema has`() throws {
        let run = try CommandRun.run(
            "send", "--dummy", "--seconds", "0.2", "--json", "--voice", "webrtc", "--far", "system:capture",
            "file:\(folder("a.wav"))")
        #expect(run.code == 0, "\(run.err)")
        try SchemaCheck.expect("send", describes: run.out)
    }

    @Test func `of receive are those that its schema has`() throws {
        // No packet comes; the fields are the same.
        let run = try CommandRun.run(
            "receive", "--dummy", "--seconds", "0.2", "--json", "rtp://127.0.0.1:\(freePorts())")
        #expect(run.code == 69 && run.err.contains("nothing came from rtp://127.0.0.1:"), "\(run.err)")
        try SchemaCheck.expect("receive", describes: run.out)
    }

    @Test func `of beat are those that its schema has`() throws {
        let run = try CommandRun.run("beat", "--dummy", "--seconds", "1.2", "--json")
        #expect(run.code == 0, "\(run.err)")
        try SchemaCheck.expect("beat", describes: run.out)
    }

    @Test func `of tune are those that its schema has`() throws {
        let run = try CommandRun.run("tune", "--dummy", "--seconds", "1.2", "--json")
        #expect(run.code == 0, "\(run.err)")
        try SchemaCheck.expect("tune", describes: run.out)
    }

    @Test(arguments: ["beat", "tune"])
    func `of a file are those that the schema has for a file`(_ command: String) throws {
        let path = folder("sound.wav")
        let writer = try SoundFileWriter(path: path, sampleRate: 48_000, channels: 1)
        try writer.write((0..<48_000).map { Float(0.25 * sin(Double($0) * 2 * .pi * 440 / 48_000)) })
        try writer.close()
        let run = try CommandRun.run(command, path, "--json")
        #expect(run.code == 0, "\(run.err)")
        try SchemaCheck.expect(command, describes: run.out)
    }

    @Test func `are required, and no others are allowed, by the schema`() throws {
        try writeAll(folder("all.wav"))
        let run = try CommandRun.run("info", folder("all.wav"), "--json")
        try SchemaCheck.expect("info", describes: run.out)
        let other = run.out.replacing(#""warnings":"#, with: #""warning":"#)
        let complaints = try SchemaCheck.complaints("info", about: other)
        #expect(complaints.contains("'warnings' is a required property"), "\(complaints)")
        #expect(complaints.contains("'warning' was unexpected"), "\(complaints)")
        let text = run.out.replacing("iounit.info/1", with: "iounit.info/0")
        #expect(try SchemaCheck.complaints("info", about: text).contains("'iounit.info/1' was expected"))
    }

    @Test func `are explained in iounit help figures, each once`() throws {
        let help = try CommandRun.run("help", "figures")
        #expect(help.code == 0)
        let reports = Command.subcommands.map(\.syntax).reports
        try #require(reports.count >= 15)
        for (kind, subcommands) in reports {
            #expect(Set(kind.figures.map(\.path)).count == kind.figures.count, "\(kind.name)")
            #expect(kind.figures.allSatisfy { !$0.meaning.isEmpty }, "\(kind.name)")
            for path in kind.figures.map(\.path) {
                #expect(help.out.contains("\n  \(path) ") || help.out.contains("\n  \(path)\n"), "\(path)")
            }
            for name in subcommands { #expect(try CommandRun.run(name, "--help").out.contains("(\(kind.schema))")) }
        }
    }

    /// Made by hand, and so a second statement: scripts read these keys.
    @Test func `are those of the version: a key that goes or comes needs a look at it`() throws {
        let place = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("fields.txt")
        let known = try String(contentsOf: place, encoding: .utf8).split(separator: "\n").map(String.init)
        let present = Command.subcommands.map(\.syntax).reports.flatMap { report in
            report.kind.figures.map { "\(report.kind.schema) \($0.path)" }
        }
        let (gone, new) = (Set(known).subtracting(present), Set(present).subtracting(known))
        #expect(gone.isEmpty, "count the version up, or bring them back: \(gone.sorted())")
        #expect(new.isEmpty, "add them to Help/fields.txt: \(new.sorted())")
    }

    @Test func `have a schema for each kind of report`() throws {
        let kinds = try CommandRun.run("help", "--schema")
        #expect(
            kinds.out.split(separator: "\n").map(String.init)
                == Command.subcommands.map(\.syntax).reports.map(\.kind.name))
        let unknown = try CommandRun.run("help", "--schema", "hum")
        #expect(unknown.code == 64 && unknown.err.contains("see iounit help --schema"), "\(unknown.err)")
    }

    @Test func `have a schema under the name that the JSON carries, in the present version alone`() throws {
        for kind in Command.subcommands.map(\.syntax).reports.map(\.kind) {
            let named = try CommandRun.run("help", "--schema", kind.schema)
            let short = try CommandRun.run("help", "--schema", kind.name)
            #expect(named.code == 0 && named.out == short.out, "\(named.err)")
            let other = try CommandRun.run("help", "--schema", "iounit.\(kind.name)/99")
            #expect(other.code == 64 && other.err.contains("this program has \(kind.schema)"), "\(other.err)")
        }
    }

    @Test func `of diff are those that its schema has`() throws {
        let runs = try MadeUpRuns()
        let log = try runs.log("a.csv", seed: 1, deviation: 9000, cycles: 200)
        let report = try runs.report("b.json", of: log, date: "2026-11-23T09:00:00Z")
        let other = try runs.log("c.csv", seed: 1, deviation: 9000, cycles: 200, period: 128)
        let run = try CommandRun.run("diff", log, report, other, "--fail-if", "p99+1s", "--json")
        // The third has another period.
        #expect(run.code == 1 && run.err.isEmpty, "\(run.err)")
        try SchemaCheck.expect("diff", describes: run.out)
    }

    @Test func `are where the help of each says`() throws {
        for name in [
            "info", "convert", "monitor", "serve", "record", "play", "send", "receive", "beat", "tune", "diff",
        ] {
            #expect(try CommandRun.run(name, "--help").out.contains("iounit help figures"))
        }
    }
}
