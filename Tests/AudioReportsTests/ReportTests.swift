import AudioFigures
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
}
