import AudioFigures
import AudioReports
import Testing

@Suite("A limit") struct LimitTests {
    private var report: Report {
        let server = ServerFacts(
            name: "a", backend: "dummy", sampleRate: 48000, periodFrames: 64, sync: false, realtime: true)
        let host = HostFacts(cpu: nil, cores: 2, kernel: "6", preemption: nil, governor: nil)
        var callback = ModeReport(
            mode: .callback, name: "callback", periodFrames: 64, sampleRate: 48000, nominalNanoseconds: 1e9 / 750)
        callback.cycles = 1000
        (callback.deviation.count, callback.interval.count, callback.callbackTime.count) = (20_000, 20_000, 20_000)
        callback.deviation.p50 = 11_000
        callback.deviation.p99 = 150_000
        callback.deviation.p999 = 300_000
        callback.interval.maximum = 2_000_000
        callback.callbackTime.p99 = 9000
        callback.callbackTime.standardDeviation = 77
        callback.load.maximum = 0.25
        callback.latencyFrames = Nullable(0)
        (callback.lost.xruns, callback.lost.xrunDelayNanoseconds) = (0, 0)
        var short = callback
        short.mode = .queued
        short.name = "queued 441"
        short.deviation.p99 = 1_400_000
        short.latencyFrames = Nullable(882)
        (short.droppedFrames, short.insertedFrames) = (3, 0)
        var long = short
        long.name = "queued 4410"
        long.droppedFrames = 0
        var report = Report(schema: "iounit.compare/2", server: server, host: host)
        report.modes = [callback, short, long]
        return report
    }

    private func results(_ words: String...) throws -> [LimitResult] {
        var report = report
        report.check(try words.map { try Limit($0) })
        return report.limits
    }

    @Test(arguments: [
        ("p99=150us", true), ("p99=149.999us", false), ("p99=0.15ms", true), ("p99=0.1ms", false),
        ("p50=11000ns", true),
        ("p999=299µs", false), ("interval.max=2ms", true), ("interval.max=0.0019s", false),
        ("callback-time.p99=8us", false),
        ("callback-time.p99=9us", true), ("callback-time.standard-deviation=77ns", true), ("load.max=25%", true),
        ("load.max=0.24", false), ("deviation.p99=150us", true),
        ("latency=0", true), ("lost=0", true), ("overruns=0", true), ("callback.p99=1us", false),
    ])
    func `holds for callback mode where it names none`(text: String, isMet: Bool) throws {
        let results = try results(text)
        #expect(results.map(\.mode) == ["callback"])
        #expect(results.map(\.isMet) == [isMet])
    }

    @Test func `of a latency has no mode`() throws {
        #expect(throws: Limit.Malformed.self) { try Limit("queued.latency=64", of: .latency) }
        #expect(try Limit("queued.latency=64").mode == .queued)
    }

    @Test func `in time holds for no frames where the rate is 0, as nobody's is`() throws {
        let limit = try Limit("latency=1ms")
        let result = limit.result(of: 64, in: "callback", sampleRate: 0)
        #expect(!result.isMet && result.measured.value?.isFinite == true)
        #expect(limit.result(of: 0, in: "callback", sampleRate: 0).isMet)
    }

    @Test(arguments: [(-0.0004, true), (0.0004, true), (0.002, false)])
    func `of frames lets a hair of a measured frame pass`(frames: Double, isMet: Bool) throws {
        for text in ["latency=0", "latency=0us"] {
            var report = report
            report.modes[0].latencyFrames = Nullable(frames)
            report.check([try Limit(text)])
            #expect(report.limits.map(\.isMet) == [isMet])
        }
    }

    @Test func `of queued mode holds for each queue`() throws {
        #expect(
            try results("queued.dropped=2") == [
                LimitResult(limit: "queued.dropped=2", mode: "queued 441", measured: 3, unit: "frames", isMet: false),
                LimitResult(limit: "queued.dropped=2", mode: "queued 4410", measured: 0, unit: "frames", isMet: true),
            ])
        #expect(try results("queued.latency=18.4ms").map(\.isMet) == [true, true])
        #expect(try results("queued.latency=18.3ms").map(\.isMet) == [false, false])
        #expect(try results("queued.latency=881frames").first?.measured.value == 882)
    }

    @Test func `in time on a latency takes the rate at which that was measured`() throws {
        var report = report
        for mode in report.modes.indices { report.modes[mode].latencySampleRate = Nullable(96000) }
        report.check([try Limit("queued.latency=9.2ms"), try Limit("queued.latency=9.1ms")])
        #expect(report.limits.map(\.isMet) == [true, true, false, false])
        #expect(report.limits[0].measured.value == 882 / 96.0)
    }

    @Test func `in time on other frames takes the least rate of the run, at which they last longest`() throws {
        var report = report
        report.modes[1].parts = [48000, 8000, 96000].map { rate in
            PeriodPart(frames: 441, sampleRate: rate, startNanoseconds: 0)
        }
        report.check([try Limit("queued.dropped=1ms")])
        #expect(report.limits.map(\.measured.value) == [0.375, 0])
    }

    @Test func `shows what was measured in its own unit`() throws {
        let shown = try results("p99=100us", "p99=1ms", "load.max=10%", "lost=0").map { ($0.measured.value, $0.unit) }
        #expect(shown.map(\.0) == [150, 0.15, 25, 0])
        #expect(shown.map(\.1) == ["us", "ms", "%", "ns"])
    }

    @Test func `on what was not measured is not met`() throws {
        #expect(
            try results("own=0") == [
                LimitResult(limit: "own=0", mode: "callback", measured: nil, unit: "", isMet: false)
            ])
        var empty = report
        empty.modes[0].deviation.count = 99
        empty.check([try Limit("p99=1s")])
        #expect(empty.exceeded.count == 1)
        empty.modes.removeLast(2)
        empty.limits = []
        empty.check([try Limit("queued.p99=1s")])
        #expect(empty.exceeded.count == 1)
    }

    @Test(arguments: [
        ("telemetry=0", "lost-records"), ("time.p99=1us", "callback-time.p99"), ("p99.9=1us", "deviation.p999"),
        ("interval.p99.99=1us", "interval.p9999"), ("load=1", "load.max"), ("long=0", "long-intervals"),
        ("time.deviation=1us", "callback-time.standard-deviation"),
    ])
    func `of version 0.1.0 has the present name`(text: String, name: String) throws {
        let limit = try Limit(text)
        #expect(limit.name == name && limit.text == text)
    }

    /// Words as the table has them: `lost records`; as a limit: `lost-records`; in the JSON: `lostRecords`.
    @Test func `has the name that the figure has in the JSON`() throws {
        for subject in [Limit.Subject.mode, .latency] {
            for figure in subject.figures {
                let keys = figure.path.split(separator: ".").filter { $0 != "modes[]" }.map(String.init)
                let words = keys.map(Self.words).filter { !$0.isEmpty }
                let name = try #require(figure.limit).split(separator: ".").map(String.init)
                #expect(name == words || name == words.suffix(1), "\(figure.path) is \(name) as a limit")
            }
        }
    }

    /// `lostNanoseconds` is `lost`, and `standardDeviation` is `standard-deviation`.
    private static func words(_ key: String) -> String {
        let units = ["nanoseconds", "frames", "milliseconds"]
        let words = key.reduce(into: [""]) { words, letter in
            if letter.isUppercase { words.append("") }
            words[words.count - 1] += letter.lowercased()
        }
        return words.prefix { !units.contains($0) }.joined(separator: "-")
    }

    @Test func `without a mode holds for a queue that is alone`() throws {
        var report = report
        report.modes.removeFirst()
        report.check([try Limit("dropped=0")])
        #expect(report.limits.map(\.isMet) == [false, true])
    }

    @Test(arguments: [
        "", "=", "p99", "p99=", "p99=us", "p99=200", "p99=-1us", "p99=1x", "p99=nanus", "p99=infs", "p98=1us",
        "p99=1frames",
        "overruns=1us", "xruns=1.5us", "load=1us", "latency=1%", "queued.=1", "callback.queued.p99=1us", "p99=1e400s",
        "P99=1us",
    ])
    func `that means nothing is refused in one sentence`(text: String) throws {
        let error = #expect(throws: Limit.Malformed.self) { try Limit(text) }
        #expect(error?.description.isEmpty == false)
    }

    /// As nanoseconds they would be infinite, and met by whatever is measured.
    @Test func `of a time that no number can hold is refused`() throws {
        let digits = String(repeating: "9", count: 300)
        for (text, subject) in [("p99=\(digits)s", Limit.Subject.mode), ("latency=\(digits)s", .latency)] {
            #expect(throws: Limit.Malformed.self) { try Limit(text, of: subject) }
        }
        #expect(throws: Never.self) { try Limit("latency=\(digits)") }
        #expect(throws: Limit.Malformed.self) { try Tolerance("p99+\(digits)s", of: .mode) }
    }

    @Test func `can be set on every figure, and each has a value`() throws {
        for figure in Limit.Subject.mode.figures {
            let unit = figure.unit == .nanoseconds ? "ns" : ""
            let name = try #require(figure.limit)
            var report = report
            report.modes[0].blame = Nullable(BlameCount())
            report.modes[0].cpuNanosecondsPerCallback = Nullable(5)
            report.check([try Limit("\(name)=1000000000\(unit)")])
            #expect(report.limits.map(\.isMet) == [true], "\(name)")
        }
        let names = Limit.Subject.mode.figures.map(\.limit)
        #expect(Set(names).count == names.count)
    }
}
