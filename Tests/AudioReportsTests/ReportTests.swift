import AudioFigures
import AudioReports
import Testing

@Suite("A report") struct ReportTests {
    @Test func `is complete only where the run came to its end`() {
        let server = ServerFacts(
            name: "a", backend: "dummy", sampleRate: 48000, periodFrames: 64, sync: false, realtime: true)
        let host = HostFacts(cpu: nil, cores: 2, kernel: "6", preemption: nil, governor: nil)
        var report = Report(schema: "iounit.jitter/2", server: server, host: host)
        #expect(report.isComplete)
        report.end = .serverLost
        #expect(!report.isComplete)
    }

    @Test func `puts nothing beside what was published of a mode that has no interval`() {
        var report = SampleReport.jitter
        #expect(SeedPreset.published(beside: report).count == 1)
        report.modes[0].interval = Distribution()
        #expect(SeedPreset.published(beside: report).isEmpty)
    }
}
