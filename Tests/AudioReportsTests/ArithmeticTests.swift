import AudioFigures
import AudioReports
import Testing

@Suite("The part of a queue's deviation that is arithmetic") struct ArithmeticTests {
    private func report(_ frames: [Int], arithmetic: Int64, rest: Int64) -> Report {
        var report = SampleReport.empty("iounit.compare/2")
        var callback = SampleReport.callback(cycles: 7500)
        callback.deviation = SampleReport.distribution([Int64](repeating: 20_000, count: 7499))
        report.modes = [callback]
        for length in frames {
            var queue = SampleReport.queue(buffers: 3, of: length, cycles: 1000)
            queue.deviation = SampleReport.distribution([Int64](repeating: arithmetic + rest, count: 999))
            queue.arithmeticDeviation.value = SampleReport.distribution([Int64](repeating: arithmetic, count: 999))
            queue.timingDeviation.value = SampleReport.distribution([Int64](repeating: rest, count: 999))
            report.modes.append(queue)
        }
        return report
    }

    @Test func `is left out of the verdict's ratio, and named with the rest`() {
        let report = report([480], arithmetic: 667_000, rest: 40_000)
        let verdict = Verdict(report).sentence
        #expect(verdict.contains("2.0 times steadier than the queue of 3 × 480 frames at p99"), "\(verdict)")
        #expect(verdict.contains("(20.0 µs against 40.0 µs), arithmetic left out, and "), "\(verdict)")
        #expect(
            verdict.contains(
                "at p99 the queue of 3 × 480 frames deviated by 707 µs (667 µs by arithmetic alone, 40.0 µs without it), as "
                    + "its buffers are no whole number of periods"), "\(verdict)")
        let rows = ReportTable(report).text.split(separator: "\n")
        #expect(rows.contains { $0.hasPrefix("arithmetic deviation p99 ") && $0.contains("667.0") }, "\(rows)")
        #expect(rows.contains { $0.hasPrefix("timing deviation p99 ") && $0.contains("40.0") }, "\(rows)")
    }

    @Test func `is left out of a ratio that no latency follows`() {
        var report = report([480], arithmetic: 667_000, rest: 40_000)
        for mode in report.modes.indices {
            report.modes[mode].latencyFrames.value = nil
            report.modes[mode].declaredLatencyFrames = nil
        }
        let verdict = Verdict(report).sentence
        #expect(verdict.contains("(20.0 µs against 40.0 µs), arithmetic left out; "), "\(verdict)")
    }

    @Test func `of several queues is told of each, with the rest`() {
        let verdict = Verdict(report([480, 441], arithmetic: 667_000, rest: 40_000)).sentence
        #expect(
            verdict.contains(
                "at p99 the queue of 3 × 480 frames deviated by 707 µs (667 µs by arithmetic alone, 40.0 µs without it) and "
                    + "the queue of 3 × 441 frames deviated by 707 µs (667 µs by arithmetic alone, 40.0 µs without it), as "
                    + "their buffers are no whole number of periods"), "\(verdict)")
    }

    @Test func `is not spoken of where there is none`() {
        let report = report([512], arithmetic: 0, rest: 35_000)
        let verdict = Verdict(report).sentence
        #expect(verdict.contains("(20.0 µs against 35.0 µs) and "), "\(verdict)")
        #expect(!verdict.contains("arithmetic") && !ReportTable(report).text.contains("arithmetic"))
    }
}
