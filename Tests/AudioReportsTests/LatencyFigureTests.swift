import AudioReports
import Testing

@Suite("The latency of a mode, as tables show it")
struct LatencyFigureTests {
    /// The words of the rows that tell the latency of the callback and of a queue.
    private func rows(callback frames: Double, error: Double) -> [[Substring]] {
        var report = SampleReport.compare
        report.modes = [SampleReport.callback(cycles: 7500), SampleReport.queue(buffers: 3, of: 480, cycles: 1000)]
        report.modes[0].latencyFrames.value = frames
        report.modes[0].latencyErrorFrames.value = error
        report.modes[1].latencyFrames.value = 960.25
        report.baseline.value = nil
        return ReportTable(report).text.split(separator: "\n").filter { $0.hasPrefix("latency measured") }
            .map { $0.split(separator: " ").dropFirst(2).map { $0 } }
    }

    @Test(arguments: [(-0.00005, 0.00001), (-0.0004, 0.0002), (-0.02, 0.03), (0.02, 0.03), (0, 0)])
    func `is none, without a sign, where it cannot be told from none`(_ frames: Double, _ error: Double) {
        let rows = rows(callback: frames, error: error)
        #expect(rows == [["0.000", "960.250", "frames"], ["0.000", "20.005", "ms"]])
    }

    @Test func `keeps what is beyond its error, and its sign`() {
        let rows = rows(callback: -0.5, error: 0.1)
        #expect(rows.first == ["-0.500", "960.250", "frames"])
    }
}
