import AudioFigures
import AudioReports
import Testing

@Suite("The report of a run whose server changed its sample rate") struct SampleRateChangeReportTests {
    /// The parts of a run, of 200 intervals each, a second apart.
    private func parts(_ parts: (frames: Int, rate: Int)...) -> [PeriodPart] {
        parts.enumerated().map { index, part in
            var part = PeriodPart(
                frames: part.frames, sampleRate: part.rate, startNanoseconds: Int64(index) * 1_000_000_000)
            part.interval.count = 200
            part.deviation.count = 200
            (part.interval.minimum, part.interval.maximum) = (4_900_000, 15_100_000)
            return part
        }
    }

    private func report(_ modes: ModeReport...) -> Report {
        var report = SampleReport.empty()
        report.modes = modes
        return report
    }

    private func callback(_ parts: [PeriodPart]) -> ModeReport {
        var mode = SampleReport.callback(cycles: 2000)
        mode.parts = parts
        return mode
    }

    @Test func `tells each part's rate in the sentence, the table, the page and the test cases`() {
        let report = report(callback(parts((480, 48000), (480, 96000), (480, 32000))))
        let verdict = Verdict(report).sentence
        let pace = "every 10.00 ms, then every 5.000 ms, then every 15.00 ms"
        #expect(verdict.contains("\(pace) (the sample rate changed 2 times), each within"), "\(verdict)")
        let table = ReportTable(report).text
        #expect(table.contains("1.333 ms at the beginning; the sample rate changed 2 times"), "\(table)")
        #expect(table.contains("480     96000     5000.0       200"), "\(table)")
        let page = HTMLPage(report).text
        for rate in [48000, 96000, 32000] {
            #expect(
                page.contains("<td data-label=\"rate, Hz\">\(rate)</td>")
                    && page.contains("callback, 480 frames at \(rate) Hz"))
        }
        #expect(
            JUnitFile(report).text.contains(
                "<property name=\"callback.parts\" value=\"480 frames at 48000 Hz from 0.000 s, "
                    + "480 frames at 96000 Hz from 1.000 s, 480 frames at 32000 Hz from 2.000 s\"/>"))
    }

    @Test func `tells a period and a rate that change, together or apart, from each other`() {
        func sentence(_ parts: [PeriodPart]) -> String { Verdict(report(callback(parts))).sentence }
        #expect(sentence(parts((480, 48000), (960, 48000))).contains("(the period changed once)"))
        #expect(sentence(parts((480, 48000), (480, 96000))).contains("(the sample rate changed once)"))
        #expect(sentence(parts((480, 48000), (960, 96000))).contains("(the period or the sample rate changed once)"))
        let both = sentence(parts((480, 48000), (480, 96000), (960, 96000)))
        #expect(both.contains("(the period or the sample rate changed 2 times)"), "\(both)")
        #expect(!sentence(parts((480, 48000))).contains("changed"))
    }

    @Test func `says that a timer beside it kept the first period`() {
        var report = report(callback(parts((480, 48000), (480, 96000))))
        report.baseline = SampleReport.jitter.baseline
        #expect(ReportTable(report).text.contains("with a timer beside at the first period"))
        report.modes[0].parts.removeLast()
        #expect(!ReportTable(report).text.contains("at the first period"))
    }

    @Test func `of a comparison tells the latency in time at the rate at which it was measured`() {
        var callback = callback(parts((480, 48000), (480, 96000)))
        var queue = SampleReport.queue(buffers: 2, of: 480, cycles: 200)
        (callback.latencyFrames.value, queue.latencyFrames.value) = (0, 960)
        for rate in [48000, 96000] {
            (callback.latencySampleRate.value, queue.latencySampleRate.value) = (rate, rate)
            let report = report(callback, queue)
            let verdict = Verdict(report).sentence
            #expect(verdict.contains("960 frames (\(rate == 48000 ? "20.0" : "10.0") ms) faster"), "\(verdict)")
            #expect(verdict.contains("; the sample rate changed once"), "\(verdict)")
            let table = ReportTable(report).text
            #expect(table.contains(rate == 48000 ? "20.000 ms" : "10.000 ms"), "\(table)")
            #expect(table.contains("latency measured at") == (rate == 96000), "\(table)")
            #expect(HTMLPage(report).text.contains("(\(rate == 48000 ? "20.0" : "10.0") ms), declared 960"))
        }
        (callback.latencyFrames.value, queue.latencyFrames.value) = (nil, nil)
        let declared = Verdict(report(callback, queue)).sentence
        #expect(declared.contains("960 frames faster"), "at which rate is not known: \(declared)")
    }
}
