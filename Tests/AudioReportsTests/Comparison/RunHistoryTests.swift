import AudioFigures
import Foundation
import Testing

@testable import AudioReports

@Suite("Runs in the order of their dates")
struct RunHistoryTests {
    private func run(
        _ date: String, host: String = "stage", cpu: String? = nil, period: Int = 64, p99: Int64 = 100_000,
        backend: String? = "dummy", sync: Bool? = false, plugin: String? = nil, server: String = "x",
        realtime: Bool? = true
    ) throws -> MeasuredRun {
        var report = SampleReport.jitter
        report.server = ServerFacts(
            name: server, backend: backend, sampleRate: 48000, periodFrames: period, sync: sync, realtime: realtime)
        if let plugin {
            report.plugins = [
                PluginReport(
                    uri: "urn:x", name: "x", setting: plugin, instances: 1, latencyFrames: 0, latencyChanges: [],
                    nonFiniteSamples: 0, lostMessages: 0, longestRunMilliseconds: 0, longestRunShare: 0, timesLate: 0,
                    refusals: [])
            ]
        }
        report.provenance = Nullable(Provenance(date: date, version: "0.1.0", host: host, command: "iounit jitter"))
        report.modes[0].deviation.p99 = p99
        if let cpu { report.host.cpu = Nullable(cpu) }
        let value = try JSONDecoder().decode(ReportValue.self, from: JSONEncoder().encode(report))
        return try #require(MeasuredRun(name: "\(date).json", report: value))
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00Z", 951_825_600), ("2026-11-23T08:11:41Z", 1_795_421_501),
        ("2038-01-19T03:14:08Z", 2_147_483_648),
    ])
    func `a date is a number of seconds, and back`(text: String, seconds: Int) throws {
        let date = try #require(RunDate(text))
        #expect(date.seconds == seconds)
        #expect(text.hasPrefix(date.dayText) && text.contains("T\(date.timeText):"))
    }

    @Test(arguments: [
        "", "yesterday", "2026-11-23", "2026-13-23T08:11:41Z", "2026-11-23T08:11:41+", "2026-11-23T25:11:41Z",
        "2026-02-31T08:11:41Z", "2026-02-29T08:11:41Z", "2100-02-29T08:11:41Z", "2026-04-31T08:11:41Z",
        "2026-12-32T08:11:41Z",
        "2026-11-00T08:11:41Z", "2026x11-23T08:11:41Z", "2026-11-23 08:11:41Z", "2026-11-23T08-11:41Z",
        "2026-11-23T08:11:41+01:00",
    ])
    func `what is no date is none`(text: String) { #expect(RunDate(text) == nil) }

    @Test func `runs come in the order of their dates, each setting by itself, and those without a date not at all`()
        throws
    {
        let history = RunHistory([
            try run("2026-11-23T10:00:00Z", p99: 200_000), try run("2026-11-22T10:00:00Z"), try run("never"),
            try run("2026-11-22T11:00:00Z", period: 256),
        ])
        #expect(history.count == 3)
        #expect(
            history.trends.map(\.title) == [
                "jitter callback, 64 frames at 48000 Hz, dummy backend, asynchronous",
                "jitter callback, 256 frames at 48000 Hz, dummy backend, asynchronous",
            ])
        let rows = history.trends[0].table
        let column = try #require(rows[0].firstIndex(of: "deviation.p99"))
        #expect(rows.dropFirst().map { $0[0] } == ["2026-11-22 10:00", "2026-11-23 10:00"])
        #expect(rows.dropFirst().map { $0[column] } == ["100 µs", "200 µs"])
    }

    @Test func `runs on servers of other kinds, and with other plug-ins, have a table each`() throws {
        let (first, second) = ("2026-11-22T10:00:00Z", "2026-11-23T10:00:00Z")
        let history = RunHistory([
            try run(first), try run(first, backend: nil, sync: nil), try run(first, sync: true),
            try run(first, plugin: "fomp/autowah"), try run(second, backend: nil, sync: nil),
        ])
        let titles = [", dummy backend, asynchronous", ", server x", ", dummy backend, synchronous"]
        #expect(
            Set(history.trends.map(\.title))
                == Set((titles + [titles[0] + ", fomp/autowah"]).map { "jitter callback, 64 frames at 48000 Hz\($0)" }))
        #expect(history.trends.map(\.entries.count).sorted() == [1, 1, 1, 2])
    }

    @Test func `servers of other names have a table each, but private ones and logs that tell of none have not`() throws
    {
        let dates = ["2026-11-22T10:00:00Z", "2026-11-23T10:00:00Z"]
        func titles(_ one: String, _ other: String, backend: String?, realtime: Bool?) throws -> [String] {
            let runs = try zip(dates, [one, other]).map {
                try run($0, backend: backend, sync: nil, server: $1, realtime: realtime)
            }
            return RunHistory(runs).trends.map {
                String($0.title.trimmingPrefix("jitter callback, 64 frames at 48000 Hz"))
            }
        }
        #expect(try titles("default", "stage", backend: nil, realtime: true) == [", server default", ", server stage"])
        #expect(try titles("stage", "stage", backend: nil, realtime: false) == [", server stage"])
        #expect(try titles("iounit-7-1", "iounit-8-1", backend: "dummy", realtime: true) == [", dummy backend"])
        #expect(try titles("a.csv", "b.csv", backend: nil, realtime: nil) == [""])
    }

    @Test func `queues with other buffers have a table each`() throws {
        let runs = try [2, 3].map { count in
            var report = SampleReport.compare
            report.provenance = Nullable(
                Provenance(date: "2026-11-22T10:00:00Z", version: "0.1.0", host: "x", command: "iounit compare"))
            for index in report.modes.indices where report.modes[index].mode == .queued {
                report.modes[index].bufferCount = Nullable(count)
            }
            let value = try JSONDecoder().decode(ReportValue.self, from: JSONEncoder().encode(report))
            return try #require(MeasuredRun(name: "\(count).json", report: value))
        }
        let titles = RunHistory(runs).trends.map(\.title)
        #expect(titles.count { $0.contains("callback") } == 1, "\(titles)")
        #expect(titles.contains { $0.contains("(2 × ") } && titles.contains { $0.contains("(3 × ") }, "\(titles)")
    }

    @Test func `figures have their base units in OpenMetrics, which stand at the end of their names`() throws {
        let history = RunHistory(
            [try run("2026-11-23T10:00:00Z", p99: 200_000)],
            names: ["p99", "callback-time.p50", "xruns", "load.max", "latency", "lost"])
        let trend = try #require(history.trends.first)
        let names = trend.figures.map { history.metricName(of: $0, in: trend).name }
        #expect(
            names == [
                "deviation_p99_seconds", "callback_time_p50_seconds", "xruns", "load_max_ratio", "latency_frames",
                "lost_seconds",
            ])
        #expect(trend.entries[0].metricValue(of: trend.figures[0]) == 0.0002)
        let help = try #require(
            trend.figures.first { $0.limit == "load.max" }.map { history.metricName(of: $0, in: trend).help })
        #expect(!help.hasPrefix("max:"), "the greatest load is no statistic of a distribution")
        #expect(trend.figures.allSatisfy { !history.metricName(of: $0, in: trend).help.contains("null") })
    }

    @Test func `the page has a plot of each figure, with a line for each machine`() throws {
        let history = RunHistory([
            try run("2026-11-22T10:00:00Z"), try run("2026-11-23T10:00:00Z"),
            try run("2026-11-23T11:00:00Z", cpu: "<attic>"),
        ])
        let trend = try #require(history.trends.first)
        #expect(trend.machines == ["AMD EPYC 7B13, 2 cores", "<attic>, 2 cores"])
        let page = HistoryPage(history).text
        for figure in trend.figures { #expect(page.contains("<h3>\(figure.limit ?? "")</h3>")) }
        #expect(page.contains("&lt;attic&gt;") && !page.contains("<attic>"))
        #expect(page.contains("AMD EPYC 7B13, 2 cores: 2 runs, from 100 µs to 100 µs"))
    }

    @Test func `a figure that is asked for by two of its names is one`() throws {
        let history = RunHistory([try run("2026-11-22T10:00:00Z")], names: ["p99", "deviation.p99", "p99"])
        #expect(history.trends.first?.figures.map(\.limit) == ["deviation.p99"])
    }

    @Test func `a mode's name obeys nothing on a terminal`() throws {
        var report = SampleReport.jitter
        report.provenance = Nullable(SampleReport.provenance)
        report.modes[0].name = "\u{1B}[2J"
        let value = try JSONDecoder().decode(ReportValue.self, from: JSONEncoder().encode(report))
        let history = RunHistory([try #require(MeasuredRun(name: "a", report: value))])
        #expect(!history.table.contains("\u{1B}"))
    }

    @Test func `Markdown has the table, and nothing of a name is markup`() throws {
        let history = RunHistory([try run("2026-11-22T10:00:00Z", host: "a|b*<i>")], names: ["p99"])
        #expect(
            history.markdown.contains(
                "| date | version | host | deviation.p99 |\n|---|---|---|---:|\n"
                    + "| 2026-11-22 10:00 | 0.1.0 | a\\|b\\*&lt;i&gt; | 100 µs |\n"))
        let joined = RunHistory([try run("2026-11-22T10:00:00Z", host: "a|\u{301}<\u{338}")], names: ["p99"])
        #expect(joined.markdown.contains("| a\\|\u{301}&lt;\u{338} |"), "whatever is joined to a sign")
    }
}
