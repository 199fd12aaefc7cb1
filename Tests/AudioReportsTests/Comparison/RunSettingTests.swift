import AudioFigures
import Foundation
import Testing

@testable import AudioReports

@Suite("What two runs are of, and whether they can be")
struct RunSettingTests {
    private func value(_ text: String) throws -> ReportValue {
        try JSONDecoder().decode(ReportValue.self, from: Data(text.utf8))
    }

    private func run(_ report: some Encodable) throws -> MeasuredRun {
        let value = try JSONDecoder().decode(ReportValue.self, from: JSONEncoder().encode(report))
        return try #require(MeasuredRun(name: "a", report: value))
    }

    private func latency(
        _ send: String, _ heardAt: String, frames: String = #"{"frames":64,"errorFrames":0.01}"#, date: Int = 1
    ) throws -> MeasuredRun {
        let text = """
            {"schema":"iounit.latency/2","server":{"sampleRate":48000,"periodFrames":64},"outcome":"measured",
             "send":"\(send)","return":"\(heardAt)","latency":\(frames),"extraFrames":0,
             "provenance":{"date":"2026-11-0\(date)T10:00:00Z"}}
            """
        return try #require(MeasuredRun(name: "a", report: value(text)))
    }

    @Test func `latencies of two paths are not compared as one, nor put into one trend`() throws {
        let (out, back) = (
            try latency("system:playback_1", "system:capture_1"), try latency("fx:in", "fx:out", date: 2)
        )
        let tolerance = try Tolerance("latency+1", of: .latency)
        let other = RunComparison(out, back, tolerances: [tolerance])
        #expect(
            other.differences == ["path system:playback_1 → system:capture_1 and fx:in → fx:out"],
            "\(other.differences)")
        #expect(other.isExceeded && other.limits.map(\.isMet) == [true])
        let history = RunHistory([out, back, try latency("fx:in", "fx:out", date: 3)])
        #expect(
            history.trends.map(\.title) == [
                "latency system:playback_1 → system:capture_1, 64 frames at 48000 Hz",
                "latency fx:in → fx:out, 64 frames at 48000 Hz",
            ])
        #expect(history.trends.map(\.entries.count) == [1, 2])
    }

    @Test func `a self-loop is one path, whatever number JACK has given to the client`() throws {
        let one = try latency("iounit-latency:in_1", "iounit-latency:out_1")
        let two = try latency("iounit-latency-01:in_1", "iounit-latency-01:out_1")
        #expect(RunComparison(one, two).differences.isEmpty)
        #expect(one.path == two.path)
        #expect(try latency("iounit-latency-x:in_1", "y:out").path?.send == "iounit-latency-x:in_1")
    }

    @Test func `what one of two runs does not tell is a difference, and so is what the machine was set to`() throws {
        let before = try run(SampleReport.jitter)
        var report = SampleReport.jitter
        report.server = ServerFacts(
            name: "x", backend: nil, sampleRate: 48000, periodFrames: 64, sync: false, realtime: false)
        report.scheduling.value?.priority = 70
        report.host = HostFacts(
            cpu: "AMD EPYC 7B13", cores: 2, kernel: "6.1.0-18-amd64", preemption: "rt", governor: "performance")
        let comparison = RunComparison(before, try run(report))
        #expect(
            comparison.differences == [
                "server's real-time scheduling on and off", "backend dummy and unknown", "priority 5 and 70",
                "preemption voluntary and rt", "governor unknown and performance",
            ], "\(comparison.differences)")
        #expect(comparison.isOfSameSetting)
    }

    @Test func `runs of other plug-ins are told apart, but not where one is a log that does not tell`() throws {
        func run(_ setting: String, isLog: Bool = false) throws -> MeasuredRun {
            let plugins = setting.isEmpty ? "" : #"{"setting":"\#(setting)"}"#
            let text = """
                {"schema":"iounit.jitter/2","server":{"sampleRate":48000,"periodFrames":64},"modes":[{"name":"a"}],
                 "plugins":[\(plugins)]}
                """
            return try #require(MeasuredRun(name: "a", report: value(text), isLog: isLog, tellsPlugins: !isLog))
        }
        #expect(try RunComparison(run("fomp/autowah"), run("")).differences == ["plug-ins fomp/autowah and none"])
        #expect(try RunComparison(run("fomp/autowah"), run("", isLog: true)).differences.isEmpty)
    }

    @Test func `runs on servers of two names are told apart, and private servers and logs that tell of none are not`()
        throws
    {
        func run(_ name: String, backend: String? = nil, isLog: Bool = false) throws -> MeasuredRun {
            // A log that does not tell of its server stands there by its own name.
            let told = isLog ? "" : #","realtime":true,"backend":\#(backend.map { "\"\($0)\"" } ?? "null")"#
            let text = """
                {"schema":"iounit.jitter/2","server":{"sampleRate":48000,"periodFrames":64,"name":"\(name)"\(told)},
                 "modes":[{"name":"a"}],"plugins":[]}
                """
            return try #require(MeasuredRun(name: "a", report: value(text), isLog: isLog))
        }
        let others = RunComparison(try run("default"), try run("stage"))
        #expect(others.differences == ["server's name default and stage"], "\(others.differences)")
        #expect(others.isOfSameSetting)
        #expect(try RunComparison(run("stage"), run("stage")).differences.isEmpty)
        #expect(try RunComparison(run("a-1", backend: "dummy"), run("a-2", backend: "dummy")).differences.isEmpty)
        let logs = RunComparison(try run("one.csv", isLog: true), try run("two.csv", isLog: true))
        #expect(logs.differences.isEmpty, "\(logs.differences)")
    }

    @Test func `a smallest value is held to its limit, though no row shows it`() throws {
        var report = SampleReport.jitter
        let before = try run(report)
        report.modes[0].deviation.minimum += 5000
        let tolerances = [try Tolerance("min+10us", of: .mode), try Tolerance("min+1us", of: .mode)]
        let comparison = RunComparison(before, try run(report), tolerances: tolerances)
        #expect(comparison.limits.map(\.isMet) == [true, false])
        #expect(comparison.limits.map(\.measured.value) == [5, 5], "\(comparison.limits)")
        #expect(!comparison.rows.contains { $0.name == "deviation.min" })
    }

    @Test func `runs of the same modes are of the same setting, in whatever order they were measured`() throws {
        func run(_ modes: String) throws -> MeasuredRun {
            let text = """
                {"schema":"iounit.compare/2","server":{"sampleRate":48000,"periodFrames":64},"modes":[\(modes)],"plugins":[]}
                """
            return try #require(MeasuredRun(name: "a", report: value(text)))
        }
        func queued(_ frames: Int) -> String {
            #"{"name":"queued \#(frames)","queue":{"buffers":3,"bufferFrames":\#(frames),"format":"float32"}}"#
        }
        let modes = [#"{"name":"callback"}"#, queued(512), queued(1024)]
        let (one, other) = (try run(modes.joined(separator: ",")), try run(modes.reversed().joined(separator: ",")))
        #expect(RunComparison(one, other).isOfSameSetting && RunComparison(one, other).differences.isEmpty)
        let changed = try run([modes[0], queued(512), queued(2048)].joined(separator: ","))
        #expect(!RunComparison(one, changed).isOfSameSetting)
    }

    @Test(arguments: [(64, 128, 48000, 48000), (64, 64, 48000, 44100)])
    func `a limit that is held against another setting fails, and the verdict says why`(
        period: Int, otherPeriod: Int, rate: Int, otherRate: Int
    ) throws {
        func run(_ period: Int, _ rate: Int) throws -> MeasuredRun {
            var report = SampleReport.jitter
            report.server = ServerFacts(
                name: "x", backend: "dummy", sampleRate: rate, periodFrames: period, sync: false, realtime: true)
            return try self.run(report)
        }
        let tolerance = try Tolerance("p99+20%", of: .mode)
        let (before, after) = (try run(period, rate), try run(otherPeriod, otherRate))
        let comparison = RunComparison(before, after, tolerances: [tolerance])
        #expect(comparison.isExceeded && !comparison.isOfSameSetting)
        #expect(comparison.verdict.hasSuffix("; limits were held against another setting."), "\(comparison.verdict)")
        #expect(!RunComparison(before, before, tolerances: [tolerance]).isExceeded)
        #expect(!RunComparison(before, after).isExceeded, "without limits nothing fails")
    }

    @Test func `of two reports nothing is said to be the same because their latency is`() throws {
        var report = SampleReport.jitter
        let before = try run(report)
        report.modes[0].deviation.p99 *= 3
        let comparison = RunComparison(before, try run(report))
        #expect(
            comparison.verdict.hasPrefix("Whether a change is more than chance is not known"), "\(comparison.verdict)")
        report.modes[0].latencyFrames.value = 300
        let longer = RunComparison(before, try run(report))
        #expect(longer.verdict.hasPrefix("The other run is worse in latency (+300"), "\(longer.verdict)")
    }

    @Test func `that no latency was measured is said, and no logs of cycles are asked for`() throws {
        let (heard, unheard) = (try latency("a:b", "c:d"), try latency("a:b", "c:d", frames: "null"))
        #expect(RunComparison(heard, unheard).verdict == "No latency was measured in the other run.")
        #expect(RunComparison(unheard, heard).verdict == "No latency was measured in the first run.")
        #expect(RunComparison(unheard, unheard).verdict == "No latency was measured in either run.")
        #expect(
            RunComparison(heard, heard).verdict == "The two runs cannot be told apart in 1 figure with an interval.")
    }

    @Test func `a latency of nothing has no sign, and no strip in the plot`() throws {
        func latency(_ frames: Double) throws -> MeasuredRun {
            var report = SampleReport.empty()
            report.modes = [SampleReport.callback(cycles: 1000)]
            report.modes[0].latencyFrames.value = frames
            return try run(report)
        }
        let comparison = RunComparison(try latency(1e-9), try latency(-1.8e-9))
        let row = try #require(comparison.rows.first { $0.name == "latency" })
        #expect(row.changeInWords == "0 frames")
        #expect(ChangePlot(comparison) == nil)
        #expect(ChangePlot(RunComparison(try latency(64), try latency(65))) != nil)
    }

    @Test(arguments: [
        "iounit.foo/2", "iounit.monitor/1", "iounit.log", "iounit.log/1", "iounit.jitter/3", "iounit.latency/2",
    ])
    func `what has modes and another schema is no report of them`(schema: String) throws {
        let text = #"{"schema":"\#(schema)","server":{"sampleRate":48000,"periodFrames":64},"modes":[{"name":"a"}]}"#
        #expect(try MeasuredRun(name: "a", report: value(text)) == nil)
    }

    @Test(arguments: [
        (#""seconds":-2"#, "the length is -2 s"), (#""seconds":1e18"#, "the length is 1e+18 s"),
        (#""server":{"sampleRate":0}"#, "the sample rate is 0 Hz"),
        (#""server":{"periodFrames":-64}"#, "the period is -64 frames"),
        (#""modes":[{"name":"a","xruns":-3}]"#, "the xruns of a is -3"),
        (#""modes":[{"name":"a","xruns":2.5}]"#, "the xruns of a is 2.5"),
        (#""modes":[{"name":"a","deviation":{"p99":-5000}}]"#, "the deviation.p99 of a is -5000 ns"),
        (#""modes":[{"name":"a"},{"name":"b","load":{"mean":-0.5}}]"#, "the load.mean of b is -50 %"),
        (#""modes":[{"name":"a","latencyFrames":-64,"latencyErrorFrames":0.01}]"#, "the latency of a is -64 frames"),
        (#""latency":{"frames":-64,"errorFrames":0.01}"#, "the latency is -64 frames"),
        (#""discarded":-1"#, "the discarded is -1"),
    ])
    func `a figure that cannot be is named`(fields: String, words: String) throws {
        #expect(try MeasuredRun.impossibleFigure(in: value("{\(fields)}")) == words)
    }

    @Test(arguments: [
        #""modes":[{"name":"a","latencyFrames":-1.8e-9,"latencyErrorFrames":1e-5}]"#,
        #""latency":{"frames":-30,"errorFrames":20}"#, #""extraFrames":-10"#, #""heardDecibels":-60"#,
        #""modes":[{"name":"a","signedDeviation":{"min":-5000},"load":{"max":1.5},"xruns":null}]"#,
    ])
    func `a figure that may be negative, or more than all, is none of these`(fields: String) throws {
        #expect(try MeasuredRun.impossibleFigure(in: value("{\(fields)}")) == nil)
    }

    @Test func `our own reports have no figure that cannot be`() throws {
        for (name, report) in SampleReport.all {
            let value = try JSONDecoder().decode(ReportValue.self, from: JSONEncoder().encode(report))
            #expect(MeasuredRun.impossibleFigure(in: value) == nil, "\(name)")
        }
    }

    @Test func `a log that is too short for an interval says why its limit was exceeded`() throws {
        func logged(_ deviation: Int64, cycles: Int) throws -> MeasuredRun {
            var report = SampleReport.empty()
            report.modes = [SampleReport.callback(cycles: cycles)]
            report.modes[0].deviation.p99 = deviation
            var run = try run(report)
            var samples = CallbackSamples()
            samples.deviations = [Int64](repeating: deviation, count: 20)
            (samples.intervals, samples.callbackTimes) = (samples.deviations, samples.deviations)
            run.parts[0].samples = samples
            return run
        }
        let tolerances = [try Tolerance("p99+20%", of: .mode), try Tolerance("max+0%", of: .mode)]
        let comparison = RunComparison(
            try logged(1000, cycles: 400), try logged(1500, cycles: 401), tolerances: tolerances)
        #expect(
            comparison.limits[0].measuredInWords
                == "50.00 %, without an interval: the run is too short; measure longer")
        #expect(comparison.isExceeded && ComparisonSheet([comparison]).markdown.contains("measure longer"))
        #expect(comparison.limits[1].reservation.isEmpty, "an extreme never has one")
        // Of a report without cycles there is none, however long the run.
        var report = try logged(1500, cycles: 401)
        report.parts[0].samples = nil
        let reports = RunComparison(try logged(1000, cycles: 400), report, tolerances: tolerances)
        #expect(reports.limits[0].reservation.isEmpty && !reports.limits[0].isMet)
    }
}
