import AudioFigures
import AudioIO
import AudioMeasurement
import AudioRealtime
import AudioReports
import Foundation
import TestSupport
import Testing

@Suite("Records that nobody read in time") struct RecordLossTests {
    /// A run in whose middle the ring of records overflows: 64 records fit, 200 cycles come, and then all is read again.
    private func run() -> ModeReport {
        let ring = Ring<CycleRecord>(capacity: 64)
        var unit = RenderUnit(.none, records: ring.producer)
        let telemetry = Telemetry(ring.consumer)
        let log = RecordLog()
        telemetry.listen { log.add($0) }
        for cycle in 0..<250 {
            let entry = 1_000_000_000 + UInt64(cycle) * 1_000_000
            unit.render(frames: 48, frameTime: UInt32(cycle * 48), entryNanoseconds: entry)
            unit.finish(exitNanoseconds: entry + 1000)
            if cycle >= 199 { telemetry.collect() }
        }
        var analysis = CallbackAnalysis(mode: .callback, name: "callback", sampleRate: 48000, periodFrames: 48)
        analysis.add(log.all)
        return analysis.report
    }

    @Test func `are counted, and bound no interval`() {
        let mode = run()
        #expect(mode.lostRecords == 136)
        #expect(mode.cycles == 114)
        #expect(mode.interval.count == 63 + 49)
        #expect(mode.deviation.maximum == 0)
        #expect(mode.lost == Lost())
    }

    @Test func `are at most as many as can be added up, whatever a log tells`() throws {
        var log = CycleLog()
        log.cycle()
        log.next.lostRecords = .max
        log.cycle()
        var analysis = CallbackAnalysis(mode: .callback, name: "callback", sampleRate: 48000, periodFrames: 48)
        analysis.add(log.records)
        var mode = analysis.report
        try #require(mode.lostRecords == 1 << 53)
        mode.add(try JSONDecoder().decode(ModeSummary.self, from: Data(#"{"callbacks":5}"#.utf8)))
        #expect(mode.lostRecords == (1 << 53) + 3)
        let report = Report(log: "log", of: [analysis, analysis], server: nil, host: nil, schema: "iounit.jitter/2")
        #expect(Verdict(report).sentence.contains("18014398509481984 callbacks"), "\(Verdict(report).sentence)")
    }

    @Test func `are in the table, in the sentence, and held against a limit`() throws {
        var report = Report(
            schema: "iounit.jitter/2",
            server: ServerFacts(
                name: "a", backend: "dummy", sampleRate: 48000, periodFrames: 48, sync: false, realtime: true),
            host: HostFacts(cpu: nil, cores: nil, kernel: nil, preemption: nil, governor: nil))
        report.modes = [run()]
        report.check([try Limit("lost-records=0")])
        #expect(report.limits.map(\.isMet) == [false])
        let sentence = Verdict(report).sentence
        #expect(sentence.contains("the figures leave out 136 callbacks whose record was lost"), "\(sentence)")
        #expect(sentence.contains("no loss was seen") && !sentence.contains("nothing was lost"), "\(sentence)")
        let line = ReportTable(report).text.split(separator: "\n").first { $0.contains("lost records") }
        #expect(try #require(line).contains("136"))
    }
}
