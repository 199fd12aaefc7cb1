import CommandTestSupport
import Foundation
import FoundationXML
import Testing

@Suite("iounit history")
struct HistoryTests {
    private let runs: MadeUpRuns
    private var folder: String { runs.folder("reports") }

    /// Three runs, of which the second one was made first, beside two files that are none.
    init() throws {
        runs = try MadeUpRuns()
        let log = try runs.log("run.csv", seed: 1, deviation: 40_000, cycles: 1200)
        let worse = try runs.log("worse.csv", seed: 2, deviation: 60_000, cycles: 1200)
        try runs.write("no report\n", "reports/readme.txt")
        try runs.write("{\"schema\":\"iounit.jitter/1\",\"modes\":[", "reports/torn.json")
        try runs.report("reports/a.json", of: worse, date: "2026-11-23T09:00:00Z")
        try runs.report("reports/b.json", of: log, date: "2026-11-22T09:00:00Z")
        try runs.report("reports/c.json", of: log, date: "2026-11-24T09:00:00Z", host: "the \"attic\"\\\n")
        try runs.report("reports/undated.json", of: log)
    }

    @Test func `lists the runs by their dates, and names the files that are left out`() throws {
        let run = try CommandRun.run("history", folder)
        #expect(run.code == 0)
        let rows = run.out.split(separator: "\n").filter { $0.contains("2026-11-2") }
        #expect(rows.map { $0.split(separator: " ")[0] } == ["2026-11-22", "2026-11-23", "2026-11-24"], "\(run.out)")
        #expect(run.out.hasPrefix("iounit history: 3 runs\n"))
        let complaints = run.err.split(separator: "\n")
        #expect(complaints.count == 3 && complaints.allSatisfy { $0.hasSuffix("; it is left out") }, "\(run.err)")
        for name in ["readme.txt", "torn.json", "undated.json"] { #expect(run.err.contains(name)) }
    }

    @Test func `writes over no report, waits for no pipe, and leaves its own files out`() throws {
        let report = try runs.text("reports/a.json")
        let over = try CommandRun.run("history", folder, "--html", runs.folder("reports/a.json"))
        #expect(over.code == 64 && over.err.contains("is a report, which would be replaced"), "\(over.err)")
        #expect(try runs.text("reports/a.json") == report)
        try #require(mkfifo(runs.folder("reports/pipe"), 0o600) == 0)
        let log = try runs.log("reports/run.csv", seed: 1, deviation: 40_000, cycles: 20)
        for options in [[], ["--force"]] {
            let run = try CommandRun(["history", folder, "--html", runs.folder("reports/page.html")] + options)
            #expect(try run.end() == 0)
            #expect(run.out.hasPrefix("iounit history: 3 runs\n"), "\(run.err)")
            #expect(run.err.contains("pipe is no file") && !run.err.contains("page.html"), "\(run.err)")
            #expect(run.err.contains("\(log) is no report (--json); of a log, iounit jitter --from FILE"), "\(run.err)")
        }
    }

    @Test func `shows the figures that are asked for`() throws {
        let run = try CommandRun.run("history", folder, "--figures", "callback-time.p50,overruns")
        #expect(
            run.code == 0 && run.out.contains("  callback-time.p50  overruns\n") && !run.out.contains("p99"),
            "\(run.out)")
    }

    @Test func `says which figure no run has, what a date must be, and whose clock was not set`() throws {
        let log = runs.folder("run.csv")
        try runs.report("reports/zone.json", of: log, date: "2026-11-23T09:00:00+01:00")
        try runs.report("reports/old.json", of: log, date: "1970-01-01T00:00:05Z")
        let run = try CommandRun.run("history", folder, "--figures", "p99,extra,own")
        #expect(run.code == 0 && run.out.hasPrefix("iounit history: 4 runs\n"), "\(run.out)")
        for words in [
            "no run has the figure extra\n", "no run has the figure own\n",
            "zone.json was made at \"2026-11-23T09:00:00+01:00\"; a date must be in UTC, as 2026-11-23T08:11:41Z; it is left",
            "old.json was made by a clock that was not set (1970-01-01 00:00); plots leave it out\n",
        ] { #expect(run.err.contains(words), "\(run.err)") }
        #expect(!run.err.contains("figure p99"))
        #expect(
            try !CommandRun.run("history", folder).err.contains("no run has"), "what was not asked for is not missed")
    }

    @Test func `the page is well-formed, and Markdown is added to what is there`() throws {
        try runs.write("# A job\n", "summary.md")
        let run = try CommandRun.run(
            "history", folder, "--html", runs.folder("page.html"), "--markdown", runs.folder("summary.md"))
        #expect(run.code == 0, "\(run.err)")
        let page = try runs.text("page.html")
        #expect(XMLParser(data: Data(page.utf8)).parse(), "the page is well-formed")
        #expect(page.contains("<h3>deviation.p99</h3>") && page.contains("deviation.p99 over time. stage: 2 runs"))
        #expect(try runs.text("summary.md").hasPrefix("# A job\n### iounit history: 3 runs\n"))
    }

    /// Prometheus' own parser: it refuses wrong units, times that go back, series that are not together, and what has no end.
    @Test func `OpenMetrics is what a strict parser takes, with the values of the reports`() throws {
        let run = try CommandRun.run("history", folder, "--openmetrics", runs.folder("metrics.txt"))
        #expect(run.code == 0, "\(run.err)")
        #expect(try runs.text("metrics.txt").hasSuffix("\n# EOF\n"))
        try runs.write(
            """
            import sys
            from prometheus_client.openmetrics.parser import text_string_to_metric_families
            for family in text_string_to_metric_families(open(sys.argv[1]).read()):
                for sample in family.samples:
                    print(sample.name, family.type, family.unit, sample.labels["host"] == 'the "attic"\\\\\\n',
                          float(sample.timestamp), sample.value, sample.labels["complete"],
                          {"server", "backend", "sync", "plugins"} <= sample.labels.keys())
            """, "parse.py")
        let parser = try CommandRun(
            [runs.folder("parse.py"), runs.folder("metrics.txt")], program: "/usr/bin/python3")
        #expect(try parser.end() == 0, "\(parser.err)")
        let p99 = parser.out.split(separator: "\n").filter {
            $0.hasPrefix("iounit_deviation_p99_seconds gauge seconds ")
        }
        .map { $0.split(separator: " ") }
        #expect(p99.map { $0[3] } == ["False", "False", "True"], "\(parser.out)")
        #expect(p99.map { $0[4] } == ["1795338000.0", "1795424400.0", "1795510800.0"])
        let values = p99.compactMap { Double($0[5]) }
        #expect(p99.allSatisfy { $0[6] == "true" && $0[7] == "True" }, "\(parser.out)")
        #expect(values.count == 3 && (3.8e-5...4e-5).contains(values[0]) && (5.8e-5...6e-5).contains(values[1]))
    }

    @Test func `of runs in one second OpenMetrics has all, a millisecond apart`() throws {
        let log = runs.folder("run.csv")
        for name in ["d", "e"] { try runs.report("reports/\(name).json", of: log, date: "2026-11-22T09:00:00Z") }
        let run = try CommandRun.run(
            "history", folder, "--figures", "p99", "--openmetrics", runs.folder("metrics.txt"))
        #expect(run.code == 0, "\(run.err)")
        let times = try runs.text("metrics.txt").split(separator: "\n").filter { $0.contains("host=\"stage\"") }
            .compactMap { $0.split(separator: " ").last }
        #expect(times == ["1795338000.0", "1795338000.001", "1795338000.002", "1795424400.0"], "\(times)")
    }

    @Test func `a folder without a report, and none at all, are a sentence each`() throws {
        try runs.write("x", "empty/readme.txt")
        let empty = try CommandRun.run("history", runs.folder("empty"))
        #expect(empty.code == 66 && empty.out.isEmpty && empty.err.contains("holds no report of iounit jitter"))
        let none = try CommandRun.run("history", runs.folder("nowhere"))
        #expect(none.code == 66 && none.err.contains("cannot read the folder"), "\(none.err)")
        #expect(none.err.split(separator: "\n").count == 1)
    }
}
