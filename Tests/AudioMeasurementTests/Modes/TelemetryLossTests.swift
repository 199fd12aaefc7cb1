import AudioFigures
import AudioIO
import AudioMeasurement
import AudioRealtime
import AudioReports
import Foundation
import Glibc
import Jack
import TestSupport
import Testing

@Suite("Telemetry that is lost", .serialized, .ownServers) struct TelemetryLossTests {
    /// The report of a run in which nobody read the records for longer than there is room for them.
    ///
    /// - Parameter isLast: whether the server dies meanwhile, so that no record comes after the loss and tells of it.
    private func report(isLast: Bool) throws -> Report {
        var configuration = ServerConfiguration()
        configuration.isSync = true
        let server = try Server(configuration)
        defer { server.stop() }
        let blockage = try Blockage()
        var measured = MeasurementRun.Configuration()
        measured.unit.serverName = server.name
        measured.queues = [QueueConfiguration(bufferFrames: 32)]
        measured.queues[0].bufferCount = 4
        measured.log = blockage.writer
        let facts = ServerFacts(
            name: server.name, backend: "dummy", sampleRate: 48000, periodFrames: 64, sync: true, realtime: true)
        let run = try MeasurementRun(measured, on: facts)
        let clock = RecordLog()
        let sentinel = try Sentinel(clientName: "clock", server: server.name)
        sentinel.onCycles { clock.add($0) }
        try run.start()
        try run.begin()
        try waitUntil("both modes are measured") { run.callbacks > 20 }
        blockage.begin()
        let driver = try Client(name: "driver", server: server.name)
        // As fast as it can: the rings are full after six seconds otherwise.
        try driver.setFreewheel(true)
        let goal = clock.count + 12_000
        try waitUntil("more cycles go by than there is room for") { clock.count > goal }
        if isLast {
            server.signal(SIGKILL)
            try waitUntil("the server is gone") { run.hasLostServer }
            blockage.clear()
        } else {
            try driver.setFreewheel(false)
            blockage.clear()
            let callbacks = run.callbacks
            try waitUntil("records are read again") { run.callbacks > callbacks + 8500 }
        }
        run.end()
        sentinel.stop()
        var report = run.report(schema: "iounit.compare/2")
        run.leave()
        report.check([try Limit("lost-records=0"), try Limit("queued.lost-records=0")])
        return report
    }

    @Test(arguments: [false, true])
    func `is counted, and table, page, verdict, JSON and limits say so`(isLast: Bool) throws {
        let report = try report(isLast: isLast)
        try #require(report.modes.map(\.mode) == [.callback, .queued])
        for mode in report.modes {
            #expect(mode.lostRecords > 1000, "\(mode.name)")
            // What was read is measured all the same.
            #expect(mode.cycles > 8000, "\(mode.name)")
        }
        let counts = report.modes.map(\.lostRecords)
        let sum = counts.reduce(0, +)
        let verdict = Verdict(report).sentence
        #expect(verdict.contains("the figures leave out \(sum) callbacks whose record was lost"))
        #expect(!verdict.contains("nothing was lost"))

        let table = ReportTable(report).text
        let row = table.split(separator: "\n").first { $0.hasPrefix("lost records") }
        #expect(row?.split(separator: " ").dropFirst(2).compactMap { UInt64($0) } == counts)
        let words = table.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("leave out \(sum) callbacks"))

        let page = HTMLPage(report).text
        // A page is too long to be shown with a failure.
        let cells = page.firstMatch(of: /<th scope="row">lost records<\/th>(.*)<\/tr>/)?.1 ?? ""
        let hasRow = cells.matches(of: />(\d+)<\/td>/).map { UInt64($0.1) } == counts
        let hasVerdict = page.contains("leave out \(sum) callbacks")
        #expect(hasRow && hasVerdict)

        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report)) as? [String: Any]
        let modes = json?["modes"] as? [[String: Any]]
        #expect(modes?.map { $0["lostRecords"] as? UInt64 } == counts.map { $0 })

        #expect(report.limits.map(\.isMet) == [false, false])
        #expect(report.limits.map(\.measured.value) == counts.map { Double($0) })
    }
}
