import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("The files of a measurement")
struct MeasurementFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: folder(name), encoding: .utf8) }

    @Test func `a comparison leaves a page, percentiles of each mode, a log and cases, and nothing else`() throws {
        let run = try CommandRun.run(
            "compare", "--dummy", "--sync", "--seconds", "0.6", "--warmup", "0.1", "--json", "--html", folder("a.html"),
            "--hgrm",
            folder("a.hgrm"), "--csv", folder("a.csv"), "--junit", folder("a.xml"), "--limit", "p50=10s", "--limit",
            "queued.latency=1")
        #expect(run.code == 1)
        let measured = try Measured(run.out)
        #expect(folder.names.sorted() == ["a.callback.hgrm", "a.csv", "a.html", "a.queued-512.hgrm", "a.xml"])

        let page = try text("a.html")
        #expect(page.contains("queued 512") && page.contains("callback") && page.hasSuffix("</html>\n"))
        for fetching in ["src=", "@import", "url(http", "href=\"http", "<link", "<script>"] {
            #expect(!page.contains(fetching), "the page needs nothing but itself: \(fetching)")
        }
        let data = try #require(page.firstMatch(of: /<script type="application\/json" id="report">(.*)<\/script>/))
        #expect(page.ranges(of: "<script").count == 1)
        #expect(try object(String(data.1)) as NSDictionary == object(run.out) as NSDictionary, "what --json prints")
        for (mode, name) in ["a.callback.hgrm", "a.queued-512.hgrm"].enumerated() {
            let count = Int(try measured.number(mode, "deviation", "count"))
            #expect(try text(name).replacing(" ", with: "").contains("Totalcount=\(count)]"), "\(name)")
        }
        for mode in 0..<2 {
            let lines = try text("a.csv").split(separator: "\n").filter { $0.hasPrefix("\(measured.names[mode]),") }
            #expect(lines.count == Int(try measured.number(mode, "callbacks")), "a line for each callback")
        }
        let starts = Set(try text("a.csv").matches(of: /startNanoseconds=(\d+)/).map { String($0.1) })
        #expect(starts.count == 1, "both modes are measured since one moment: \(starts)")
        let cases = try CaseFile(reading: folder("a.xml"))
        #expect(cases.cases == ["p50=10s", "queued.latency=1"])
        #expect(cases.failures == ["queued.latency=1"] && cases.errors == [])
    }

    @Test func `a log that is analysed again tells the same as the run did`() throws {
        for command in ["jitter", "compare"] {
            let log = folder("\(command).csv")
            let run = try CommandRun.run(
                command, "--dummy", "--seconds", "0.5", "--warmup", "0.1", "--json", "--csv", log)
            let again = try CommandRun.run(command, "--from", log, "--json", "--hgrm", folder("\(command).hgrm"))
            #expect(again.code == 0, "\(again.err)")
            #expect(again.out == run.out)
            #expect(try Measured(again.out).modes.allSatisfy { $0["xruns"] is Int })
        }
        let limited = try CommandRun.run(
            "compare", "--from", folder("compare.csv"), "--limit", "queued.interval.max=1ns")
        #expect(limited.code == 1)
        #expect(
            folder.names.sorted() == [
                "compare.callback.hgrm", "compare.csv", "compare.queued-512.hgrm", "jitter.csv", "jitter.hgrm",
            ])
    }

    @Test func `lines that somebody takes out of a log are callbacks that the figures leave out`() throws {
        // So many, however long a busy machine takes for them.
        let run = try CommandRun.run(
            "jitter", "--dummy", "--cycles", "400", "--warmup", "0.1", "--json", "--csv", folder("a.csv"))
        #expect(run.code == 0, "\(run.err)")
        var lines = try text("a.csv").split(separator: "\n")
        let last = try #require(lines.lastIndex { $0.hasPrefix("callback,") })
        try #require(last >= 121)
        // In the middle and at the end: the records beside them do not show that they are missing.
        lines.removeSubrange(last - 39...last)
        lines.removeSubrange(last - 120..<last - 110)
        try (lines.joined(separator: "\n") + "\n").write(toFile: folder("b.csv"), atomically: true, encoding: .utf8)
        let again = try Measured(CommandRun.run("jitter", "--from", folder("b.csv"), "--json").out)
        let lost = try Measured(run.out).number(0, "lostRecords") + 50
        #expect(try again.number(0, "lostRecords") == lost)
        #expect((again.report["verdict"] as? String)?.contains("leave out \(Int(lost)) callbacks") == true)
    }

    @Test func `what an older log does not tell is null and a dash, and no limit on it is met`() throws {
        let log = folder("old.csv")
        var lines = [
            "# iounit.cycles/1", "# mode callback: kind=callback sampleRate=48000 periodFrames=64 startNanoseconds=0",
            "# mode queued 480: kind=queued sampleRate=48000 periodFrames=64 bufferFrames=480 startNanoseconds=0",
            "mode,entry_ns,exit_ns,frame_time,frames,position,lost_records,sample_rate",
        ]
        for cycle in 0..<200 {
            lines.append(
                "callback,\(1_000_000 + cycle * 1_333_333),\(1_001_000 + cycle * 1_333_333),\(cycle * 64),64,"
                    + "\(cycle * 64),0,48000")
        }
        for buffer in 0..<20 {
            lines.append(
                "queued 480,\(1_000_000 + buffer * 10_000_000),\(1_001_000 + buffer * 10_000_000),"
                    + "\(buffer * 480),480,\(buffer * 480),0,48000")
        }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: log))
        let run = try CommandRun.run("compare", "--from", log, "--json", "--limit", "xruns=0")
        #expect(run.code == 1)
        try SchemaCheck.expect("compare", describes: run.out)
        let measured = try Measured(run.out)
        let untold = ["xruns", "xrunDelayNanoseconds", "declaredLatencyFrames", "blame", "cpuNanosecondsPerCallback"]
        for mode in measured.modes { for name in untold { #expect(mode[name] is NSNull, "\(name)") } }
        for name in ["lostNanoseconds", "gapFrames", "longIntervals", "droppedFrames", "arithmeticDeviation"] {
            #expect(measured.modes[1][name] is NSNull, "\(name)")
        }
        #expect(measured.modes[0]["lostNanoseconds"] as? Int == 0, "that follows from the records")
        #expect(measured.report["warmupSeconds"] is NSNull && measured.report["isSequential"] is NSNull)
        let limit = try #require((measured.report["limits"] as? [[String: Any]])?.first)
        #expect(limit["measured"] is NSNull && limit["isMet"] as? Bool == false)
        let table = try CommandRun.run("compare", "--from", log).out
        #expect(table.split(separator: "\n").contains { $0.hasPrefix("xruns ") && $0.contains("–") }, "\(table)")
        #expect(table.replacing("\n", with: " ").contains("no loss was seen"), "\(table)")
    }

    @Test func `a log that is not there, no log, or cut short in its head is named and refused`() throws {
        func refused(_ name: String, _ code: Int32, _ says: String, _ location: SourceLocation = #_sourceLocation)
            throws
        {
            let run = try CommandRun.run("jitter", "--from", folder(name), "--html", folder("never.html"))
            #expect(run.code == code, "\(run.err)", sourceLocation: location)
            #expect(run.out.isEmpty && run.err.split(separator: "\n").count == 1, sourceLocation: location)
            #expect(run.err.contains(name) && run.err.contains(says), "\(run.err)", sourceLocation: location)
        }
        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder(name)))
        }
        let head = """
            # iounit.cycles/1
            # mode callback: kind=callback sampleRate=48000 periodFrames=64 startNanoseconds=0
            mode,entry_ns,exit_ns,frame_time,frames,position,lost_records

            """
        try refused("none.csv", 66, "there is no such file")
        try refused(".", 66, "directory")
        try write("text.csv", "one,two\n1,2\n")
        try refused("text.csv", 65, "line 1")
        try write("empty.csv", "")
        try refused("empty.csv", 65, "ends before")
        try Data((0...255).map { UInt8($0) }).write(to: URL(fileURLWithPath: folder("bytes.csv")))
        try refused("bytes.csv", 65, "line 1")
        try write("cut.csv", String(head.dropLast(10)))
        try refused("cut.csv", 65, "cut short")
        try write("word.csv", head + "callback,1000,2000,64,64,64,0\ncallback,2000,much,128,64,128,0\n")
        try refused("word.csv", 65, "line 5")
        try write("mode.csv", head + "queued,1000,2000,64,64,64,0\n")
        try refused("mode.csv", 65, "mode")
        #expect(!folder.names.contains { $0.hasPrefix("never") })
    }

    /// As one whose writer was killed, or whose disk was full.
    @Test func `a log that was cut within a line is read up to that, which is said`() throws {
        let log = folder("cut.csv")
        let lines = [
            "# iounit.cycles/1",
            "# mode callback: kind=callback sampleRate=48000 periodFrames=64 startNanoseconds=0",
            "mode,entry_ns,exit_ns,frame_time,frames,position,lost_records",
            "callback,1000,2000,64,64,0,0", "callback,1334333,1335000,128,64,64,0", "callback,26676",
        ]
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: log))
        let run = try CommandRun.run("jitter", "--from", log, "--json")
        #expect(run.code == 0, "\(run.err)")
        #expect(
            run.err
                == "iounit: \(log) was cut short: line 6 is not whole and left out, and what followed it is missing; "
                + "2 callbacks before it are read\n")
        let measured = try Measured(run.out)
        #expect(try measured.end == "interrupted" && measured.number(0, "callbacks") == 2)
        let limited = try CommandRun.run("jitter", "--from", log, "--limit", "overruns=0", "--limit", "max=1s")
        #expect(limited.code == 1 && limited.err.contains("a run that did not come to its end"), "\(limited.err)")
        #expect(limited.out.components(separatedBy: "\n  met ").count == 3, "\(limited.out)")
        let other = try CommandRun.run("diff", log, log)
        #expect(other.code == 0 && other.out.contains("INCOMPLETE"), "\(other.out)")
        #expect(other.err.split(separator: "\n").count == 2, "\(other.err)")
    }

    /// As a later version may write it, or a hand.
    @Test func `a log whose end cannot be read is a run that did not come to it`() throws {
        let log = folder("odd.csv")
        var lines = [
            "# iounit.cycles/1",
            "# mode callback: kind=callback sampleRate=48000 periodFrames=64 startNanoseconds=0",
            "mode,entry_ns,exit_ns,frame_time,frames,position,lost_records",
            "callback,1000,2000,64,64,0,0", "callback,1334333,1335000,128,64,64,0",
            #"# run: {"end":"done","seconds":1,"plugins":[{"uri":"x"}]}"#, "",
        ]
        for (end, code) in [("interrupted", Int32(1)), ("done", 0)] {
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: log))
            let run = try CommandRun.run("jitter", "--from", log, "--limit", "overruns=0", "--json")
            #expect(run.code == code, "\(run.err)")
            #expect(try Measured(run.out).end == end)
            lines[5] = #"# run: {"end":"done","seconds":1}"#
        }
    }

    /// Paths that cannot be written, as options.
    private static let unwritable: [([String], String)] = [
        (["jitter", "--html", "missing/x.html"], "missing/x.html"),
        (["jitter", "--hgrm", "."], "folder"),
        (["compare", "--csv", "missing/x.csv"], "missing/x.csv"),
        (["compare", "--junit", "."], "folder"),
        (["compare", "--hgrm", "missing/x.hgrm"], "missing/x.callback.hgrm"),
        (["compare", "--html", "fine.html", "--csv", "missing/x.csv"], "missing/x.csv"),
    ]

    /// There is no jackd to be found: where it were looked for first, the code would be another.
    @Test(arguments: unwritable)
    func `a file that cannot be made is found out before a server is started`(_ words: [String], _ says: String) throws
    {
        let words = words.enumerated().map { $0 > 1 && $0 % 2 == 0 ? folder($1) : $1 }
        let run = try CommandRun(
            [words[0], "--dummy"] + words.dropFirst(), environment: ["PATH": "/nonexistent"])
        #expect(try run.end() == 73)
        #expect(run.out.isEmpty && run.err.split(separator: "\n").count == 1)
        #expect(run.err.contains(says), "\(run.err)")
        #expect(folder.names.isEmpty, "nothing half made is left")
    }

    @Test func `a run that cannot begin leaves what was there as it was`() throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder("a.html")))
        for words in [["--server", "iounit-no-such-server"], ["--dummy", "--queue", "480001"]] {
            let run = try CommandRun(
                ["compare", "--force", "--html", folder("a.html"), "--csv", folder("a.csv")]
                    + ["--hgrm", folder("a.hgrm")] + words)
            #expect([64, 69].contains(try run.end()))
            #expect(folder.names == ["a.html"])
            #expect(try text("a.html") == "mine")
        }
    }

    /// As above: without jackd any other code would come of what is tried later.
    @Test(arguments: ["html", "hgrm", "csv", "junit"])
    func `a file that is there is kept without --force, and that is said at the start`(_ option: String) throws {
        let path = folder("a.callback.x")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let given = option == "hgrm" ? folder("a.x") : path
        let words = ["compare", "--dummy", "--\(option)", given]
        let run = try CommandRun(words, environment: ["PATH": "/nonexistent"])
        #expect(try run.end() == 73)
        #expect(run.out.isEmpty && run.err.contains("overwrite it with --force"), "\(run.err)")
        let forced = try CommandRun(words + ["--force"], environment: ["PATH": "/nonexistent"])
        #expect(try forced.end() == 69, "\(forced.err)")
        #expect(folder.names == ["a.callback.x"])
        #expect(try text("a.callback.x") == "mine")
    }

    @Test func `a file of latency that takes no more keeps neither the others nor the table from being written`() throws
    {
        let run = try CommandRun.run(
            "latency", "--self-loop", "--dummy", "--seconds", "2.5", "--html", "/dev/full", "--junit", folder("a.xml"),
            "--csv", folder("a.csv"), "--hgrm", folder("a.hgrm"))
        #expect(run.code == 74)
        #expect(run.err.contains("/dev/full") && run.out.contains("latency"), "\(run.err)\(run.out)")
        #expect(folder.names.sorted() == ["a.csv", "a.hgrm", "a.xml"])
    }

    @Test func `a file that takes no more keeps neither the others nor the table from being written`() throws {
        let run = try CommandRun.run(
            "jitter", "--dummy", "--seconds", "0.2", "--warmup", "0", "--html", "/dev/full", "--junit", folder("a.xml"),
            "--hgrm", folder("a.hgrm"))
        #expect(run.code == 74)
        #expect(run.err.contains("/dev/full"), "\(run.err)")
        #expect(run.out.contains("nominal interval"))
        #expect(folder.names.sorted() == ["a.hgrm", "a.xml"])
        let cases = try CaseFile(reading: folder("a.xml"))
        #expect(cases.cases == ["measured"] && cases.failures == [])
    }
}
