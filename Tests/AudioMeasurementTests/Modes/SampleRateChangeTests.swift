import AudioFigures
import AudioMeasurement
import AudioRealtime
import TestSupport
import Testing

@Suite("A run whose server changes its sample rate") struct SampleRateChangeTests {
    /// 480 frames last 10 ms, 5 ms and 15 ms.
    private static let rates = [48000, 96000, 32000]

    /// 200 callbacks at each rate, which are 0, 1 and 2 µs late.
    private var log: CycleLog {
        var log = CycleLog(periodFrames: 480)
        for (part, rate) in Self.rates.enumerated() {
            log.sampleRate = rate
            for _ in 0..<200 { log.cycle(late: Int64(part) * 1000) }
        }
        return log
    }

    private func analysis(of log: CycleLog, mode: ModeReport.Mode = .callback) -> CallbackAnalysis {
        var analysis = CallbackAnalysis(mode: mode, name: mode.rawValue, sampleRate: 48000, periodFrames: 480)
        analysis.add(log.records)
        return analysis
    }

    @Test func `has parts, each measured against the period that it had at its own rate`() {
        let report = analysis(of: log).report
        #expect(report.sampleRate == 48000 && report.nominalNanoseconds == 10e6)
        #expect(report.parts.map(\.sampleRate) == Self.rates && report.parts.map(\.frames) == [480, 480, 480])
        #expect(report.parts.map(\.nominalNanoseconds) == [10e6, 5e6, 15e6])
        #expect(report.parts.map(\.interval.count) == [200, 200, 199] && report.omittedParts == 0)
        #expect(report.parts.map(\.deviation.p50) == [0, 1000, 2000])
        #expect(report.parts.map(\.startNanoseconds) == [0, 2_000_001_000, 3_000_202_000])
        #expect(report.deviation.maximum == 2000 && report.signedDeviation.maximum == 2000)
        #expect(report.deviationHistogram.maximum == 2000, "the file of percentiles is made of it")
        #expect(report.series.steps.compactMap(\.?.latest).max() == 2000)
        #expect(report.lost == Lost() && report.overruns == 0)
    }

    @Test func `holds what a callback took against the period of its cycle`() {
        var log = CycleLog(periodFrames: 480)
        log.workNanoseconds = 6_000_000
        for rate in Self.rates {
            log.sampleRate = rate
            log.cycles(10)
        }
        let report = analysis(of: log).report
        #expect(abs(report.load.mean - (0.6 + 1.2 + 0.4) / 3) < 1e-12 && report.load.maximum == 1.2)
        #expect(report.overruns == 10)
    }

    @Test func `tells a late callback's delay against the period before it`() {
        var log = CycleLog(periodFrames: 480)
        log.cycles(100)
        log.sampleRate = 32000
        log.cycles(100)
        log.cycle(late: 30_000_000)
        log.cycles(100)
        log.sampleRate = 96000
        log.cycle(late: 20_000_000)
        log.cycles(100)
        let report = analysis(of: log).report
        #expect(report.series.events.map(\.lateNanoseconds) == [30_000_000, 20_000_000])
        #expect(report.lost.longIntervals == 2)
        #expect(report.lost.nanoseconds == 50_000_000)
    }

    @Test func `knows no nominal time of the queue's buffer in which the rate changed`() {
        var log = CycleLog(periodFrames: 480)
        log.cycles(100)
        // Filled at both rates: it takes neither 10 ms nor 15 ms, and has the rate that it was handed over at.
        log.sampleRate = 32000
        log.cycle(late: 3_000_000)
        log.cycles(100)
        let report = analysis(of: log, mode: .queued).report
        #expect(report.cycles == 201 && report.interval.count == 199)
        #expect(report.deviation.maximum == 0)
        #expect(report.parts.map(\.sampleRate) == [48000, 32000])
        #expect(report.parts.map(\.interval.count) == [99, 100])
    }

    @Test func `is at the last rate where records tell none`() {
        var log = log
        for index in log.records.indices where index > 400 { log.records[index].sampleRate = 0 }
        #expect(analysis(of: log).report.parts.map(\.sampleRate) == Self.rates)
    }

    @Test func `reads from its log as it was measured`() throws {
        let folder = try TemporaryFolder()
        let mode = CycleFile.Mode(kind: .callback, name: "callback", sampleRate: 48000, periodFrames: 480)
        let writer = try CycleWriter(path: folder("cycles.csv"))
        writer.write(log.records, mode: writer.add(mode))
        try writer.finish()
        let analyses = try CycleFile.contents(of: folder("cycles.csv")).analyses
        let (read, measured) = (try #require(analyses.first).report, analysis(of: log).report)
        #expect(read.parts == measured.parts && read.deviation == measured.deviation && read.load == measured.load)
        let report = Report(log: "cycles.csv", of: analyses, server: nil, host: nil, schema: "iounit.jitter/2")
        #expect(report.seconds == 2 + 1 + 3, "as long as its frames last")
    }
}
