import CommandTestSupport
import Foundation
import FoundationXML
import Testing

@Suite("iounit diff")
struct DiffTests {
    private let runs: MadeUpRuns
    private let before: String
    private let same: String
    private let worse: String

    init() throws {
        runs = try MadeUpRuns()
        before = try runs.log("before.csv", seed: 1, deviation: 40_000)
        same = try runs.log("same.csv", seed: 2, deviation: 40_000)
        worse = try runs.log("worse.csv", seed: 3, deviation: 60_000)
    }

    private func figures(_ printed: String, _ comparison: Int = 0) throws -> [String: [String: Any]] {
        let comparisons = try #require(try object(printed)["comparisons"] as? [[String: Any]])
        let rows = try #require(comparisons[comparison]["figures"] as? [[String: Any]])
        return Dictionary(uniqueKeysWithValues: rows.map { (($0["name"] as? String) ?? "", $0) })
    }

    @Test func `finds the change that is there, each run held against the first`() throws {
        let run = try CommandRun.run("diff", before, same, worse, "--json")
        #expect(run.code == 0 && run.err.isEmpty, "\(run.err)")
        let (unchanged, changed) = (try figures(run.out), try figures(run.out, 1))
        for name in ["p50", "p90", "p99"] {
            #expect(unchanged["deviation.\(name)"]?["outcome"] as? String == "same", "\(name)")
            #expect(changed["deviation.\(name)"]?["outcome"] as? String == "worse", "\(name)")
            let limits = ["lower", "change", "upper"].map { changed["deviation.\(name)"]?[$0] as? Double ?? 0 }
            #expect(limits == limits.sorted() && limits[0] > 0, "\(limits)")
        }
        // Half of all deviate by half as much: 20 and 30 µs.
        let change = try #require(changed["deviation.p50"]?["change"] as? Double)
        #expect((8_000...12_000).contains(change))
        // Twice the same words, byte for byte.
        let figures = try #require(run.out.firstRange(of: "\"provenance\"")).lowerBound
        #expect(try CommandRun.run("diff", before, same, worse, "--json").out.hasPrefix(run.out[..<figures]))
    }

    @Test func `the exit code is 1 where a figure is worse than is tolerated, by more than chance`() throws {
        for (tolerance, code) in [("p99+20%", 1), ("p99+100%", 0), ("p50+5us", 1), ("p50+20us", 0), ("overruns+0", 0)] {
            #expect(try CommandRun.run("diff", before, worse, "--fail-if", tolerance).code == code, "\(tolerance)")
        }
        let both = try CommandRun.run("diff", before, worse, "--fail-if", "overruns+0", "--fail-if", "p99+20%")
        #expect(both.code == 1 && both.out.contains("EXCEEDED  p99+20%") && both.out.contains("met       overruns+0"))
        #expect(try CommandRun.run("diff", before, same, "--fail-if", "p90+0%", "--fail-if", "p99+0%").code == 0)
    }

    @Test func `of reports there is no interval, and the table says so`() throws {
        let first = try runs.report("before.json", of: before)
        let second = try runs.report("worse.json", of: worse)
        let run = try CommandRun.run("diff", first, second, "--fail-if", "p99+20%")
        #expect(run.code == 1 && run.err.isEmpty, "\(run.err)")
        #expect(run.out.contains("only two logs of cycles (--csv) tell that"), "\(run.out)")
        #expect(run.out.contains(/p99 +39\.\d µs +59\.\d µs +\+\d\d % +– +higher/), "\(run.out)")
    }

    @Test func `a log and its own report were measured alike`() throws {
        let report = try runs.report("before.json", of: before)
        let run = try CommandRun.run("diff", before, report)
        #expect(run.code == 0 && !run.out.contains("NOT COMPARABLE"), "\(run.out)")
        #expect(run.out.contains("log of cycles, "), "\(run.out)")
    }

    @Test func `a log may come through a pipe`() throws {
        let pipe = runs.folder("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let writer = try CommandRun(["-c", "cat \"$1\" > \"$2\"", "sh", same, pipe], program: "/bin/sh")
        let run = try CommandRun.run("diff", before, pipe)
        #expect(run.code == 0 && run.out.contains("log of cycles"), "\(run.err)")
        #expect(try writer.end() == 0)
    }

    @Test func `a file that cannot be made says what to do`() throws {
        for option in ["--html", "--markdown"] {
            let run = try CommandRun.run("diff", before, same, option, runs.folder("none/x"))
            #expect(run.code == 73 && run.out.isEmpty)
            #expect(run.err.hasSuffix("none/x: its folder does not exist; create it first\n"), "\(run.err)")
        }
    }

    @Test func `a run may come through the standard input`() throws {
        let report = try runs.report("same.json", of: same)
        for (words, input) in [
            (["diff", before, "-"], same), (["diff", "-", before], report), (["jitter", "--from", "-"], same),
        ] {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: input))
            let run = try CommandRun(words, input: file)
            #expect(try run.end() == 0, "\(run.err)")
            #expect(words[0] == "jitter" || run.out.contains("the standard input, "), "\(run.out)")
        }
        let empty = try CommandRun.run("diff", before, "-")
        #expect(empty.code == 65 && empty.err == "iounit: the standard input is empty\n", "\(empty.err)")
        let twice = try CommandRun.run("diff", "-", "-")
        #expect(twice.code == 64 && twice.err.contains("can be read once only"), "\(twice.err)")
    }

    @Test func `a summary whose disk says only at a close that it is full is an error`() throws {
        try runs.write("# A job\n", "summary.md")
        let summary = runs.folder("summary.md")
        let run = try CommandRun(
            ["diff", before, worse, "--markdown", summary],
            environment: LateDisk.environment(summary, in: runs.folder))
        #expect(try run.end() == 74)
        #expect(run.err == "iounit: cannot write \(summary): Disk quota exceeded\n")
    }

    @Test func `a page that goes to what says only at a close that it is full is an error`() throws {
        let pipe = runs.folder("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        try #require(reader >= 0)
        defer { close(reader) }
        // F_SETPIPE_SZ: it holds all of the page.
        #expect(fcntl(reader, 1031, 1 << 20) == 1 << 20)
        let run = try CommandRun(
            ["diff", before, worse, "--html", pipe], environment: LateDisk.environment(pipe, in: runs.folder))
        #expect(try run.end() == 74)
        #expect(run.err == "iounit: cannot write \(pipe): Disk quota exceeded\n")
    }

    @Test(arguments: [["diff", "PIPE", "BEFORE"], ["jitter", "--from", "PIPE"]])
    func `a pipe that nobody writes to is waited for and named, until a writer comes or a signal`(words: [String])
        throws
    {
        let pipe = runs.folder("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let arguments = words.map { ["PIPE": pipe, "BEFORE": before][$0] ?? $0 }
        let ended = try CommandRun(arguments)
        try ended.wait(until: "it says what it waits for") { ended.err.contains("waiting for \(pipe), ") }
        ended.send(SIGINT)
        #expect(try ended.end() == -SIGINT)
        let run = try CommandRun(arguments)
        try run.wait(until: "it says what it waits for") { run.err.contains("waiting for \(pipe), ") }
        let writer = try CommandRun(["-c", "cat \"$1\" > \"$2\"", "sh", same, pipe], program: "/bin/sh")
        #expect(try run.end() == 0, "\(run.err)")
        #expect(try writer.end() == 0)
    }

    @Test func `a signal while a pipe is waited for leaves nothing of the page behind`() throws {
        let pipe = runs.folder("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let run = try CommandRun(["diff", pipe, before, "--html", runs.folder("page.html")])
        try run.wait(until: "it says what it waits for") { run.err.contains("waiting for \(pipe), ") }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
        let left = runs.folder.names.filter { $0.hasPrefix(".iounit-") || $0 == "page.html" }
        #expect(left == [], "\(left)")
    }

    @Test func `a log that was cut short is said to be incomplete`() throws {
        let log = runs.folder("whole.csv")
        let made = try CommandRun.run("jitter", "--dummy", "--seconds", "0.2", "--csv", log)
        #expect(made.code == 0, "\(made.err)")
        #expect(try !CommandRun.run("diff", log, log).out.contains("INCOMPLETE"))
        let lines = try runs.text("whole.csv").split(separator: "\n")
        let last = try #require(lines.lastIndex { !$0.hasPrefix("#") })
        // An editor's mark before it does not make it a report.
        try runs.write("\u{feff}" + lines[...last].joined(separator: "\n") + "\n", "cut.csv")
        #expect(try CommandRun.run("diff", log, runs.folder("cut.csv")).out.contains("INCOMPLETE"))
        let held = try CommandRun.run("diff", log, runs.folder("cut.csv"), "--fail-if", "overruns+0")
        let words = held.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(held.code == 1 && words.contains("limits were held against an incomplete run"), "\(words)")
        #expect(try CommandRun.run("diff", log, log, "--fail-if", "overruns+0").code == 0)
    }

    @Test func `runs that are not comparable are said to be, before the figures`() throws {
        let other = try runs.log("other.csv", seed: 4, deviation: 40_000, period: 128)
        let run = try CommandRun.run("diff", before, other)
        #expect(run.code == 0)
        let warning = try #require(run.out.firstRange(of: "NOT COMPARABLE"))
        let figures = try #require(run.out.firstRange(of: "figure "))
        #expect(warning.lowerBound < figures.lowerBound && run.out.contains("period 64 frames and 128 frames"))
        #expect(try !CommandRun.run("diff", before, same).out.contains("NOT COMPARABLE"))
    }

    @Test func `with limits runs that are not comparable fail`() throws {
        let other = try runs.log("other.csv", seed: 4, deviation: 10_000, period: 128)
        let run = try CommandRun.run("diff", before, other, "--fail-if", "overruns+0")
        #expect(run.code == 1 && run.out.contains("met  overruns+0"), "\(run.out)")
        let words = run.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.hasSuffix("limits were held against another setting."), "\(words)")
    }

    @Test func `two logs in one are said to be, and a log of another version as well`() throws {
        let later = try runs.text("same.csv").split(separator: "\n").filter { $0.hasPrefix("callback,") }
        try runs.write(try runs.text("before.csv") + later.joined(separator: "\n") + "\n", "both.csv")
        let report = try CommandRun.run("jitter", "--from", runs.folder("both.csv"))
        let words = report.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("1 record has impossible times (is it two logs in one?)"), "\(words)")
        let run = try CommandRun.run("diff", before, runs.folder("both.csv"))
        #expect(
            run.out.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
                "1 record has impossible times"),
            "\(run.out)")
        try runs.write("# iounit.cycles/3\n", "newer.csv")
        let newer = try CommandRun.run("diff", before, runs.folder("newer.csv"))
        #expect(newer.code == 65 && newer.err.contains("it is a log of another version of iounit (iounit.cycles/3)"))
    }

    @Test func `the page is well-formed and has both distributions, and Markdown is added to what is there`() throws {
        try runs.write("# A job\n", "summary.md")
        let run = try CommandRun.run(
            "diff", before, worse, "--html", runs.folder("page.html"), "--markdown", runs.folder("summary.md"))
        #expect(run.code == 0, "\(run.err)")
        let page = try runs.text("page.html")
        #expect(XMLParser(data: Data(page.utf8)).parse(), "the page is well-formed")
        #expect(page.contains("A: up to") && page.contains("B: up to") && page.contains("Changes. deviation.p50: "))
        let summary = try runs.text("summary.md")
        #expect(summary.hasPrefix("# A job\n### iounit diff\n"))
        #expect(summary.contains("| figure | before | after | change | interval |"))
        #expect(
            summary.contains(/\| deviation.p99 \| 39\.\d µs \| 59\.\d µs \| \+\d\d % \| .* \| WORSE \|/), "\(summary)")
    }

    @Test func `what is no run is said in one sentence, with the right code`() throws {
        try runs.write("{\"schema\":\"iounit.record/1\"}", "record.json")
        try runs.write("", "empty.json")
        try runs.write(
            #"{"schema":"iounit.jitter/1","server":{"sampleRate":48000,"periodFrames":64},"modes":[]}"#, "old.json")
        _ = try runs.log("silent.csv", seed: 1, deviation: 1, cycles: 0)
        try runs.write("[1, 2", "broken.json")
        let modes = [String](repeating: "{}", count: 65).joined(separator: ",")
        let server = #""server":{"sampleRate":48000,"periodFrames":64}"#
        try runs.write(#"{"schema":"iounit.compare/2",\#(server),"modes":[\#(modes)]}"#, "many.json")
        try runs.write(
            #"{"schema":"iounit.jitter/2",\#(server),"modes":[{"name":"callback","xruns":-3}]}"#, "negative.json")
        try runs.write(
            #"{"schema":"iounit.jitter/2",\#(server),"modes":[{"name":"callback","deviation":{"p99":"12.5"}}]}"#,
            "text.json")
        try runs.write("[" + String(repeating: "1,", count: 2 << 20) + "1]", "long.json")
        // A file that can be opened, and not be read from its beginning.
        try FileManager.default.createSymbolicLink(
            atPath: runs.folder("memory"), withDestinationPath: "/proc/self/mem")
        for (path, code, words) in [
            ("none.csv", 66, "there is no such file"), ("record.json", 65, "is no report of iounit jitter"),
            ("empty.json", 65, "is empty"), ("old.json", 65, "of another version of iounit (iounit.jitter/1)"),
            ("silent.csv", 65, "is a log without a callback"),
            ("many.json", 65, "has 65 modes; a report has 64 at the most"),
            ("negative.json", 65, "is no report of a measurement, or was edited: the xruns of callback is -3"),
            ("broken.json", 65, "neither a log of cycles (--csv) nor a report (--json)"),
            ("long.json", 65, "is larger than 4 MiB, as no report (--json) is"),
            ("", 66, "it is a folder"),
            ("memory", 74, "memory: Input/output error"),
            ("text.json", 65, "the deviation.p99 of callback is \"12.5\", a text and no number"),
        ] {
            let run = try CommandRun.run("diff", before, runs.folder(path))
            #expect(run.code == code && run.out.isEmpty && run.err.contains(words), "\(run.err)")
            #expect(run.err.split(separator: "\n").count == 1)
        }
    }
}
