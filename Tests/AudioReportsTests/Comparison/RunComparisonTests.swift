import AudioFigures
import Foundation
import Testing

@testable import AudioReports

@Suite("Two runs beside each other")
struct RunComparisonTests {
    private func run(_ name: String, _ report: some Encodable) throws -> MeasuredRun {
        let value = try JSONDecoder().decode(ReportValue.self, from: JSONEncoder().encode(report))
        return try #require(MeasuredRun(name: name, report: value))
    }

    /// A run with its cycles.
    private func logged(_ name: String, seed: UInt64, scale: Double = 1) throws -> MeasuredRun {
        var series = CorrelatedSeries(seed: seed)
        var samples = CallbackSamples()
        samples.deviations = series.values(3000, correlation: 0.5, scale: scale)
        samples.intervals = samples.deviations.map { 1_333_333 + $0 }
        samples.callbackTimes = series.values(3000, correlation: 0.5)
        var report = SampleReport.empty()
        report.modes = [SampleReport.callback(cycles: 3001)]
        report.modes[0].deviation = SampleReport.distribution(samples.deviations)
        report.modes[0].interval = SampleReport.distribution(samples.intervals)
        report.modes[0].callbackTime = SampleReport.distribution(samples.callbackTimes)
        var run = try run(name, report)
        run.parts[0].samples = samples
        return run
    }

    private func row(_ name: String, _ comparison: RunComparison) throws -> RunComparison.Row {
        try #require(comparison.rows.first { [name, "deviation.\(name)"].contains($0.name) }, "\(name)")
    }

    @Test func `every figure that a limit can be set on is read from the JSON, as the report has it`() throws {
        let report = SampleReport.jitter
        let part = try #require(run("a", report).parts.first)
        for figure in Limit.Subject.mode.figures {
            // Of fewer values than it takes there is none, whatever the report says.
            let isKnown = figure.statistic.map { $0.leastCount <= report.modes[0].interval.count } ?? true
            #expect(part.value(figure) == (isKnown ? figure.value(report.modes[0]) : nil), "\(figure.path)")
        }
    }

    @Test func `a change that is more than chance is worse, and what did not change is the same`() throws {
        let comparison = RunComparison(try logged("a", seed: 1), try logged("b", seed: 2, scale: 1.5))
        for name in ["p50", "p90", "p99"] {
            let row = try row(name, comparison)
            let interval = try #require(row.interval)
            let change = try #require(row.change)
            #expect(row.outcome == .worse && interval.contains(change), "\(name)")
        }
        #expect(try row("callback-time.p50", comparison).outcome == .same)
        #expect(comparison.verdict.hasPrefix("The other run is worse in deviation.p50 (+"), "\(comparison.verdict)")
        // Of the extremes no interval can be given.
        #expect(try row("max", comparison).interval == nil)
        #expect(try row("max", comparison).outcome == .higher)
    }

    @Test func `the other way round it is better`() throws {
        let comparison = RunComparison(try logged("a", seed: 2, scale: 1.5), try logged("b", seed: 1))
        #expect(try row("p99", comparison).outcome == .better)
        #expect(comparison.verdict.contains("better in deviation.p50 (−"), "\(comparison.verdict)")
    }

    @Test func `of reports without their cycles no interval is given, and that is said`() throws {
        let comparison = RunComparison(try run("a", SampleReport.jitter), try logged("b", seed: 1))
        #expect(comparison.rows.allSatisfy { $0.interval == nil || $0.name == "latency" })
        #expect(comparison.blockCycles == nil)
        let sheet = ComparisonSheet([comparison])
        #expect(sheet.table.contains("  –  ") && !sheet.table.contains("Intervals hold"))
    }

    @Test func `runs of another period, rate or host are said not to be comparable`() throws {
        var report = SampleReport.jitter
        report.provenance = Nullable(SampleReport.provenance)
        let before = try run("a", report)
        report.server = ServerFacts(
            name: "x", backend: "dummy", sampleRate: 44100, periodFrames: 128, sync: true, realtime: true)
        var provenance = SampleReport.provenance
        provenance.host = "attic"
        report.provenance = Nullable(provenance)
        report.host.cpu = Nullable("Other")
        report.seconds = 100
        let sheet = ComparisonSheet([RunComparison(before, try run("b", report))])
        let warning = try #require(sheet.warning(0))
        #expect(
            warning
                == "NOT COMPARABLE: A and B differ in what was measured: sample rate 48000 Hz and 44100 Hz; period 64 frames "
                + "and 128 frames; server asynchronous and synchronous; processor AMD EPYC 7B13, 2 cores and Other, 2 cores; "
                + "length 10.0 s and 100.0 s.", "\(warning)")
        let table = sheet.table
        let place = try #require(table.firstRange(of: "NOT COMPARABLE")).lowerBound
        let figures = try #require(table.firstRange(of: "p50")).lowerBound
        #expect(place < figures)
        #expect(ComparisonSheet([RunComparison(before, before)]).warning(0) == nil)
    }

    /// What is given, and whether a change from 100 to 130 µs of p99, from 0 to 2 xruns and of nothing else meets it.
    @Test(arguments: [
        ("p99+20%", false), ("p99+30%", true), ("p99+29us", false), ("p99+30us", true), ("callback.p99+0.1ms", true),
        ("xruns+0", false), ("xruns+2", true), ("xruns+50%", false), ("overruns+0", true), ("queued.p99+1s", false),
        ("lost+0%", true), ("own+0", false),
    ])
    func `a tolerance is held against the change`(text: String, isMet: Bool) throws {
        var report = SampleReport.empty()
        report.modes = [SampleReport.callback(cycles: 1000)]
        report.modes[0].deviation.p99 = 100_000
        report.modes[0].lost.xruns = 0
        let before = try run("a", report)
        report.modes[0].deviation.p99 = 130_000
        report.modes[0].lost.xruns = 2
        let comparison = RunComparison(before, try run("b", report), tolerances: [try Tolerance(text, of: .mode)])
        #expect(comparison.limits.map(\.isMet) == [isMet], "\(comparison.limits)")
        #expect(comparison.isExceeded == !isMet)
    }

    @Test func `a share of which there was less than a thousandth has no slack`() throws {
        var report = SampleReport.empty()
        report.modes = [SampleReport.callback(cycles: 1000)]
        report.modes[0].load.mean = 0.001
        let before = try run("a", report)
        report.modes[0].load.mean = 0.0019
        let tolerance = try Tolerance("load.mean+0", of: .mode)
        #expect(RunComparison(before, try run("b", report), tolerances: [tolerance]).isExceeded)
    }

    @Test func `of nothing before, the change is told with its unit`() throws {
        var report = SampleReport.empty()
        report.modes = [SampleReport.callback(cycles: 1000)]
        report.modes[0].callbackTime.p50 = 0
        let before = try run("a", report)
        report.modes[0].callbackTime.p50 = 51_000
        let tolerance = try Tolerance("callback-time.p50+0%", of: .mode)
        let result = try #require(RunComparison(before, try run("b", report), tolerances: [tolerance]).limits.first)
        #expect(!result.isMet && result.measured.value == 51_000 && result.unit == "ns")
    }

    @Test(
        arguments: [
            ("latency+0", 3.0, "frames"), ("latency+1frames", 3, "frames"), ("latency+100%", 3, "frames"),
            ("latency+1ms", 0.0625, "ms"), ("dropped+0", nil, "frames"), ("p99+0", 0, "ns"), ("xruns+0", 0, ""),
        ] as [(String, Double?, String)])
    func `a change of frames or of a time has its unit, where the tolerance has none too`(
        _ text: String, _ measured: Double?, _ unit: String
    ) throws {
        var report = SampleReport.empty()
        report.modes = [SampleReport.callback(cycles: 1000)]
        report.modes[0].latencyFrames.value = 0
        let before = try run("a", report)
        report.modes[0].latencyFrames.value = 3
        report.modes[0].droppedFrames = nil
        let comparison = RunComparison(before, try run("b", report), tolerances: [try Tolerance(text, of: .mode)])
        let result = try #require(comparison.limits.first)
        #expect(result.measured.value == measured && result.unit == unit, "\(result)")
    }

    @Test func `an interval that is longer is neither worse nor better`() throws {
        let comparison = RunComparison(try logged("a", seed: 1), try logged("b", seed: 2, scale: 9))
        let row = try row("interval.p50", comparison)
        #expect(row.outcome == .higher && (row.interval?.lowerBound ?? 0) > 0)
    }

    @Test func `logs that are too short are said to be so`() throws {
        func short(_ name: String) throws -> MeasuredRun {
            var report = SampleReport.empty()
            report.modes = [SampleReport.callback(cycles: 4)]
            report.modes[0].latencyErrorFrames = Nullable(nil)
            var run = try run(name, report)
            var samples = CallbackSamples()
            (samples.deviations, samples.intervals, samples.callbackTimes) = ([1, 2, 3], [4, 5, 6], [7, 8, 9])
            run.parts[0].samples = samples
            return run
        }
        let verdict = RunComparison(try short("a"), try short("b")).verdict
        #expect(verdict.contains("the logs are too short"), "\(verdict)")
    }

    @Test func `runs on the same processor are comparable, whatever the host is called`() throws {
        var report = SampleReport.jitter
        report.provenance = Nullable(SampleReport.provenance)
        let before = try run("a", report)
        report.provenance.value?.host = "runner-7"
        #expect(ComparisonSheet([RunComparison(before, try run("b", report))]).warning(0) == nil)
    }

    @Test func `a figure with an interval fails only where it is worse by more than chance`() throws {
        let tolerance = try Tolerance("p99+0%", of: .mode)
        let (same, worse) = (try logged("b", seed: 4), try logged("c", seed: 4, scale: 1.5))
        let before = try logged("a", seed: 2)
        let change = try #require(row("p99", RunComparison(before, same)).change)
        // Of a pair that goes the other way the test would say nothing.
        try #require(change > 0)
        #expect(!RunComparison(before, same, tolerances: [tolerance]).isExceeded)
        #expect(RunComparison(before, worse, tolerances: [tolerance]).isExceeded)
    }

    @Test(arguments: [
        "p99", "p99+", "+20%", "p98+20%", "p99+x", "p99+-1us", "p99+5", "xruns+1ms", "p99+nan%", "p99+0x5%", "p99=1ms",
    ])
    func `what is no tolerance is refused`(text: String) {
        #expect(throws: Limit.Malformed.self) { try Tolerance(text, of: .mode) }
    }

    @Test func `a latency brings its own interval with it`() throws {
        func latency(_ frames: Double) throws -> MeasuredRun {
            var report = SampleReport.empty("iounit.compare/2")
            report.modes = [SampleReport.callback(cycles: 1000)]
            report.modes[0].latencyFrames.value = frames
            report.modes[0].latencyErrorFrames.value = 0.03
            return try run("a", report)
        }
        let same = RunComparison(try latency(128), try latency(128.02))
        #expect(try row("latency", same).outcome == .same)
        let longer = RunComparison(try latency(128), try latency(129))
        #expect(try row("latency", longer).outcome == .worse)
    }

    @Test(arguments: ["[]", "{}", #"{"schema":"iounit.jitter/1"}"#, #"{"schema":"x","server":{"sampleRate":1}}"#, "7"])
    func `what is no report of a measurement is none`(text: String) throws {
        let value = try JSONDecoder().decode(ReportValue.self, from: Data(text.utf8))
        #expect(MeasuredRun(name: "a", report: value) == nil)
    }

    @Test func `a report of more modes than a log can have is none`() throws {
        func run(modes: Int) -> MeasuredRun? {
            let listed = (0..<modes).map { ReportValue.object(["name": .text("queued \($0)")]) }
            let server = ReportValue.object(["sampleRate": .number(48000), "periodFrames": .number(64)])
            return MeasuredRun(
                name: "a",
                report: .object(["schema": .text("iounit.compare/2"), "server": server, "modes": .list(listed)]))
        }
        #expect(run(modes: 64)?.parts.count == 64)
        #expect(run(modes: 65) == nil)
    }

    @Test func `a report with any numbers in it is read, and shown, without a trap`() throws {
        let text = """
            {"schema":"iounit.jitter/2","server":{"sampleRate":1e300,"periodFrames":-1e300},"seconds":1e300,
             "modes":[{"name":"a","mode":"b","deviation":{"count":-5,"p99":1e300,"max":-1e300}},{"name":7},3],
             "provenance":{"date":"yesterday"}}
            """
        let run = try #require(
            MeasuredRun(name: "a", report: JSONDecoder().decode(ReportValue.self, from: Data(text.utf8))))
        #expect(run.date == nil)
        let sheet = ComparisonSheet([RunComparison(run, run)])
        #expect(!sheet.table.isEmpty && !sheet.markdown.isEmpty && !ComparisonPage(sheet).text.isEmpty)
    }

    @Test func `latencies of any size are held beside each other without a trap`() throws {
        func latency(_ frames: String) throws -> MeasuredRun {
            let text = """
                {"schema":"iounit.latency/2","server":{"sampleRate":48000,"periodFrames":64},"outcome":"measured",
                 "latency":{"frames":\(frames),"errorFrames":1e308},"extraFrames":-10}
                """
            return try #require(
                MeasuredRun(name: frames, report: JSONDecoder().decode(ReportValue.self, from: Data(text.utf8))))
        }
        let tolerances = [try Tolerance("latency+10us", of: .latency), try Tolerance("extra+1", of: .latency)]
        let comparison = RunComparison(try latency("-1e308"), try latency("1e308"), tolerances: tolerances)
        #expect(comparison.limits.map(\.isMet) == [false, true])
        #expect(comparison.limits.map(\.measured.value) == [nil, 0])
        #expect(throws: Never.self) { try JSONEncoder().encode(ComparisonReport(ComparisonSheet([comparison]))) }
    }

    @Test func `modes are paired by their names, in whatever order, and of two with a name the first counts`() throws {
        func modes(_ modes: [(name: String, xruns: Int)]) throws -> MeasuredRun {
            let listed = modes.map { #"{"name":"\#($0.name)","xruns":\#($0.xruns)}"# }.joined(separator: ",")
            let text = """
                {"schema":"iounit.jitter/2","server":{"sampleRate":48000,"periodFrames":64},"modes":[\(listed)]}
                """
            return try #require(
                MeasuredRun(name: "a", report: JSONDecoder().decode(ReportValue.self, from: Data(text.utf8))))
        }
        let before = try modes([("a", 1), ("b", 2), ("gone", 3)])
        let tolerance = try Tolerance("xruns+0", of: .mode)
        let after = try modes([("new", 9), ("b", 20), ("b", 9), ("a", 10)])
        let comparison = RunComparison(before, after, tolerances: [tolerance])
        let rows = comparison.rows.filter { $0.name == "xruns" }
        #expect(rows.map(\.part) == ["a", "b"] && rows.map(\.after) == [10, 20])
        #expect(comparison.limits.map(\.measured.value) == [9, 18, nil])
    }

    /// A latency that is 10 frames less than expected is as far off as one that is 10 frames more.
    @Test func `what is missing of a latency counts as what is too much`() throws {
        func extra(_ frames: Double) throws -> MeasuredRun {
            let text = """
                {"schema":"iounit.latency/2","server":{"sampleRate":48000,"periodFrames":64},"outcome":"measured",
                 "latency":{"frames":64,"errorFrames":0.01},"extraFrames":\(frames)}
                """
            return try #require(
                MeasuredRun(name: "a", report: JSONDecoder().decode(ReportValue.self, from: Data(text.utf8))))
        }
        let tolerance = try Tolerance("extra+1", of: .latency)
        #expect(RunComparison(try extra(0), try extra(-10), tolerances: [tolerance]).isExceeded)
    }

    @Test(arguments: [
        ("iounit.jitter/1", true), ("iounit.compare/3", true), ("iounit.latency/2", false), ("x/1", false),
    ])
    func `a report with other names of figures is known as one`(schema: String, isOther: Bool) {
        #expect(MeasuredRun.isOfOtherSchema(.object(["schema": .text(schema)])) == isOther)
    }
}
