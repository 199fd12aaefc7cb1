import AudioFigures
import AudioReports
import TestSupport
import Testing

private func report(
    _ finding: LatencyFinding?, end: Report.End = .done, declared: Int? = nil, expected: String? = nil,
    peak: Double? = -15, sampleRate: Int = 48000, restarts: Int = 0, foreign: [ForeignConnection] = [],
    isContested: Bool = false, blocks: Int = 6, discarded: Int = 1
) -> LatencyReport {
    LatencyReport(
        finding: finding, end: end, seconds: 5,
        server: ServerFacts(
            name: "a<b", backend: "dummy", sampleRate: sampleRate, periodFrames: 64, sync: false, realtime: true),
        host: HostFacts(cpu: nil, cores: 2, kernel: "6", preemption: nil, governor: nil),
        send: "system:playback_1", return: "system:capture_1", blocks: blocks, discarded: discarded, restarts: restarts,
        peakDecibels: peak, longestFrames: 32768,
        declared: declared.map { DeclaredLatency(parts: [.init(port: "a:out", kind: .capture, frames: $0...$0)]) },
        expected: expected, foreignConnections: foreign, isContested: isContested)
}

private func measured(_ frames: Double, error: Double = 0.002, isInverted: Bool = false) -> LatencyFinding {
    .measured(
        LatencyEstimate(
            frames: frames, errorFrames: error, isInverted: isInverted, levelDecibels: -3, signalToNoiseDecibels: 60,
            falseAlarmProbability: 1e-12))
}

@Suite("An expected latency") struct LatencyExpectationTests {
    @Test(arguments: [
        ("64±1", 64.0, 1.0), ("64+-1", 64, 1), ("64+/-0.25", 64, 0.25), ("64", 64, 0.5), ("63.5±0", 63.5, 0),
    ])
    func `is frames with a tolerance, or half a frame`(_ text: String, _ frames: Double, _ tolerance: Double) throws {
        let expected = try #require(LatencyExpectation(text))
        #expect(expected.frames == frames && expected.toleranceFrames == tolerance)
    }

    @Test(arguments: [
        "", "±", "64±", "±1", "a", "64±b", "-64", "64±-1", "64-1", "nan", "inf", "0x40", "1e3", "64±1±1", "64 ± 1",
    ])
    func `is nothing else`(_ text: String) { #expect(LatencyExpectation(text) == nil) }

    @Test(arguments: [(63.0, true), (65, true), (65.01, false), (62.99, false)])
    func `is met within its tolerance`(_ frames: Double, _ isMet: Bool) throws {
        let expected = try #require(LatencyExpectation("64±1"))
        #expect(expected.result(report(measured(frames))).isMet == isMet)
    }

    @Test func `is not met by nothing`() throws {
        let expected = try #require(LatencyExpectation("0±1000000"))
        for finding in [LatencyFinding.absent(heardDecibels: nil), .ambiguous(frames: [1, 2]), nil] {
            let result = expected.result(report(finding))
            #expect(!result.isMet && result.measured.value == nil)
        }
    }
}

@Suite("A limit on a latency") struct LatencyLimitTests {
    @Test(arguments: [
        ("latency=65", true), ("latency=63", false), ("latency=2ms", true), ("latency=1ms", false),
        ("latency.error=0.01", true), ("error=0.001", false), ("extra=10", true), ("extra=9", false),
        ("discarded=1", true),
        ("discarded=0", false),
    ])
    func `is held against its figure`(_ text: String, _ isMet: Bool) throws {
        let limit = try Limit(text, of: .latency)
        #expect(limit.result(report(measured(64), declared: 74)).isMet == isMet)
    }

    @Test(arguments: ["latency=1s", "error=1000", "extra=1000"])
    func `fails where its figure was not measured`(_ text: String) throws {
        #expect(try !Limit(text, of: .latency).result(report(.absent(heardDecibels: -20))).isMet)
    }
}

@Suite("The report of a latency") struct LatencyReportTests {
    @Test func `names a mismatch with what the ports declare, and agreement too`() {
        let more = report(measured(64), declared: 128)
        #expect(more.isMismatched == true && more.extraFrames.value == -64)
        #expect(more.verdict.contains("the ports declare 128 frames, 64.0 more than measured"), "\(more.verdict)")
        let less = report(measured(200.25), declared: 128)
        #expect(less.verdict.contains("72.2 less") || less.verdict.contains("72.3 less"), "\(less.verdict)")
        let same = report(measured(128.2), declared: 128)
        #expect(same.isMismatched == false && same.verdict.contains("as the ports declare"), "\(same.verdict)")
        #expect(report(measured(64)).isMismatched == nil)
        #expect(report(.absent(heardDecibels: nil), declared: 128).isMismatched == nil)
    }

    @Test func `has a sum of what is declared, however much that is`() {
        let part = DeclaredLatency.Part(port: "a:out", kind: .capture, frames: .min ... .max)
        let twice = DeclaredLatency(parts: [part, part])
        #expect(twice.minFrames == .min && twice.maxFrames == .max)
    }

    @Test func `tells the time, the polarity and the error`() throws {
        let report = report(measured(96, isInverted: true))
        let trip = try #require(report.latency.value)
        #expect(trip.milliseconds == 2 && trip.polarity == .inverted)
        #expect(report.verdict.contains("96.000 frames = 2.000 ms (± 0.002 frames)"), "\(report.verdict)")
        #expect(report.verdict.contains("upside down"))
        #expect(report.complaints.isEmpty)
    }

    @Test(arguments: [measured(96), .absent(heardDecibels: nil), .ambiguous(frames: [1, 2]), nil])
    func `says in its one sentence that the server changed, and at which rate it measured`(_ finding: LatencyFinding?) {
        let words = "; the server changed to 64 frames at 44100 Hz meanwhile, and what was heard before is left out."
        let changed = report(finding, sampleRate: 44100, restarts: 1)
        #expect(changed.verdict.hasSuffix(words), "\(changed.verdict)")
        #expect(LatencyTable(changed).text.replacing("\n", with: " ").hasSuffix(words))
        // Behind the first clause, in letters of their own.
        #expect(LatencyPage(changed, correlation: []).text.contains(words.dropFirst(3)))
        #expect(!report(finding).verdict.contains("changed"))
        if let trip = changed.latency.value {
            #expect(trip.milliseconds == 96 / 44.1)
            #expect(changed.verdict.contains("96.000 frames = 2.177 ms"), "\(changed.verdict)")
        }
    }

    @Test(arguments: [(0.0, true), (3, true), (-0.01, false), (nil, false)] as [(Double?, Bool)])
    func `says that it was clipped where full scale was reached`(_ peak: Double?, _ isClipped: Bool) {
        let report = report(measured(64), peak: peak)
        #expect(report.isClipped == isClipped)
        #expect(report.verdict.contains("clipped") == isClipped, "\(report.verdict)")
        #expect(LatencyTable(report).text.contains("of full scale, clipped") == isClipped)
    }

    @Test func `has a table whose last lines are what it means, with nothing obeyed in it`() throws {
        var report = report(measured(64), declared: 128)
        report.send = "evil\u{1b}[31m"
        report.limits = [
            try #require(LatencyExpectation("63±1")).result(report),
            try Limit("extra=1", of: .latency).result(report),
        ]
        let text = LatencyTable(report).text
        #expect(text.hasPrefix("iounit latency\n"))
        #expect(!text.contains("\u{1b}"))
        #expect(
            text.contains("  met      expect=63±1  64.000 frames\n  NOT MET  extra=1      64.000 frames"), "\(text)")
        #expect(text.contains("latency error    at most 0.002 frames, in 99 of 100 measurements"))
        #expect(text.contains("extra            64.000 frames less than declared"), "\(text)")
        #expect(
            text.replacing("\n", with: " ").hasSuffix("the ports declare 128 frames, 64.0 more than measured."),
            "\(text)")
    }

    @Test func `complains of what could not be measured, and says what to do`() {
        let cases: [(LatencyFinding?, LatencyReport.Outcome, String)] = [
            (.absent(heardDecibels: nil), .absent, "only silence"),
            (.absent(heardDecibels: -20.5), .absent, "-20.5 dB"),
            (.ambiguous(frames: [5, 12.25]), .ambiguous, "after 5.0 and 12.3 frames"),
            (.moving(frames: 5...12.25), .moving, "between 5.0 and 12.3 frames"),
            (nil, .tooShort, "longer"),
        ]
        for (finding, outcome, word) in cases {
            let report = report(finding)
            #expect(report.outcome == outcome && report.latency.value == nil)
            #expect(report.complaints.count == 1 && report.complaints[0].contains(word), "\(report.complaints)")
            let table = LatencyTable(report).text.replacing("\n", with: " ")
            #expect(table.hasSuffix(report.verdict), "\(table)")
        }
    }

    @Test func `tells a run that was too short from one whose rounds were spoilt`() {
        func verdict(_ blocks: Int, _ discarded: Int, _ foreign: [ForeignConnection] = []) -> String {
            report(nil, foreign: foreign, blocks: blocks, discarded: discarded).verdict
        }
        #expect(verdict(1, 0) == "The run ended before two whole rounds of the signal were heard: let it run longer.")
        #expect(
            verdict(1, 6).contains("of 7 rounds 6 could not be used, as sound was lost in them"), "\(verdict(1, 6))")
        let disturbed = verdict(0, 1, [ForeignConnection(port: "probe:in_1", other: "noise:out", times: 1)])
        #expect(disturbed.contains("of 1 round 1 could not be used: measure again"), "\(disturbed)")
        #expect(disturbed.hasSuffix("and what was heard meanwhile is left out."), "\(disturbed)")
    }

    @Test func `names what other clients connected, and measured nothing where they do it again and again`() throws {
        let foreign = [
            ForeignConnection(port: "probe:in_1", other: "noise\u{1b}:out", times: 3),
            ForeignConnection(port: "probe:in_1", other: "", times: 1),
        ]
        let right = report(measured(64), foreign: foreign)
        #expect(right.complaints.isEmpty)
        #expect(
            right.verdict.contains(
                "; another client connected noise\\u{1b}:out with probe:in_1 (3 times), a port that is gone with probe:in_1: it was"
                    + " disconnected, and what was heard meanwhile is left out."), "\(right.verdict)")
        #expect(!report(measured(64)).verdict.contains("client"))
        let contested = report(nil, foreign: foreign, isContested: true)
        #expect(contested.outcome == .disturbed && contested.latency.value == nil)
        #expect(contested.complaints.count == 1 && contested.complaints[0].contains("(3 times)"))
        #expect(contested.verdict.contains("session manager"), "\(contested.verdict)")
        #expect(LatencyPage(contested, correlation: []).text.contains("disturbed"))
    }

    @Test func `complains of each limit that was not met, and of no other`() throws {
        var report = report(measured(64))
        for text in ["latency=63", "latency=65", "error=0.001"] {
            report.limits.append(try Limit(text, of: .latency).result(report))
        }
        #expect(report.complaints.count == 2)
        #expect(report.complaints[0].contains("latency=63") && report.complaints[1].contains("error=0.001"))
    }

    @Test(arguments: [Report.End.interrupted, .serverLost])
    func `says that it is incomplete`(_ end: Report.End) {
        let report = report(measured(64), end: end)
        #expect(!report.isComplete)
        #expect(LatencyTable(report).text.hasPrefix("INCOMPLETE"))
        #expect(LatencyPage(report, correlation: []).text.contains("INCOMPLETE"))
    }

    @Test func `is a page with the correlation around its peak, in which names are text`() {
        var correlation = [Float](repeating: 0, count: 1024)
        correlation[3] = -0.5
        let page = LatencyPage(report(measured(3)), correlation: correlation).text
        #expect(page.contains("<svg") && page.contains("with its peak at 3."))
        #expect(page.contains("a&lt;b") && !page.contains("a<b"))
        #expect(!page.contains("http://") || !page.replacing("http://www.w3.org", with: "").contains("http://"))
        #expect(!LatencyPage(report(nil), correlation: [Float](repeating: 0, count: 1024)).text.contains("<figure>"))
    }

    @Test func `has a row for each round`() {
        let rows = LatencyRows(
            [
                LatencyReading(endFrameTime: 7, finding: measured(48)),
                LatencyReading(endFrameTime: 8, finding: .absent(heardDecibels: nil)),
                LatencyReading(endFrameTime: 9, finding: .ambiguous(frames: [1, 2])),
            ], sampleRate: 48000)
        let lines = rows.text.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[1] == "7,measured,48.000000,0.002000,normal,-3.000,60.00")
        #expect(Set(lines.map { $0.count(where: { $0 == "," }) }) == [6])
        #expect(rows.histogram.count == 1 && rows.histogram.maximum == 1_000_000)
    }

    @Test(arguments: [(-1.0, 48000), (48, 0), (48, -1), (1e300, 48000), (.infinity, 1), (.nan, 1)])
    func `has a row for a latency that none can have`(_ frames: Double, _ rate: Int) {
        let reading = LatencyReading(endFrameTime: 7, finding: measured(frames))
        #expect(LatencyRows([reading], sampleRate: rate).histogram.count == 1)
    }
}
