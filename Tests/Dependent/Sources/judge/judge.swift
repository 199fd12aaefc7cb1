import AudioFigures
import AudioReports

/// Judges figures that came from elsewhere, and shows them: without JACK.
@main struct Judge {
    static func main() throws {
        let server = ServerFacts(
            name: "elsewhere", backend: nil, sampleRate: 48000, periodFrames: 64, sync: nil, realtime: nil)
        let host = HostFacts(cpu: nil, cores: nil, kernel: nil, preemption: nil, governor: nil)
        var deviations = Histogram()
        for nanoseconds in 1...1000 { deviations.record(Int64(nanoseconds) * 100) }
        var mode = ModeReport(
            mode: .callback, name: "callback", periodFrames: 64, sampleRate: 48000, nominalNanoseconds: 1e9 / 750)
        mode.cycles = 1001
        mode.deviation = deviations.distribution
        var report = Report(schema: "iounit.jitter/2", server: server, host: host)
        report.modes = [mode]
        report.check([try Limit("p99=100us"), try Limit("p50=50us")])
        print(ReportTable(report).text)
        print(report.exceeded.map(\.limit))
    }
}
