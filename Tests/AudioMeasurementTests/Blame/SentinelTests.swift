import AudioIO
import AudioRealtime
import Jack
import Synchronization
import TestSupport
import Testing

@testable import AudioMeasurement

private var server: ServerConfiguration {
    var configuration = ServerConfiguration()
    configuration.periodFrames = 128
    configuration.isSync = true
    return configuration
}

@Suite("A sentinel", .serialized, .privateServer(server)) struct SentinelTests {
    @Test func `notes every cycle, and hands all over by the time that it has stopped`() throws {
        let log = RecordLog()
        let sentinel = try Sentinel(clientName: "sentinel", server: PrivateServer.name)
        sentinel.onCycles { log.add($0) }
        try waitUntil("200 cycles are noted") { log.count >= 200 }
        sentinel.stop()
        sentinel.stop()
        let records = log.all
        for (before, record) in zip(records, records.dropFirst()) {
            // In sync mode the server skips none, but where a client keeps it waiting for twenty periods.
            let isLate = record.entryNanoseconds - before.entryNanoseconds > 50_000_000
            #expect(record.frameTime == before.frameTime &+ 128 || isLate)
            #expect(record.position == before.position + 128)
            #expect(record.frames == 128)
            #expect(before.entryNanoseconds <= before.exitNanoseconds)
            #expect(before.exitNanoseconds <= record.entryNanoseconds)
        }
        #expect(sentinel.lostRecords == 0)
    }

    @Test func `begins with the cycle, whoever keeps whom waiting in it`() throws {
        let sentinelLog = RecordLog()
        let log = RecordLog()
        let sentinel = try Sentinel(clientName: "sentinel", server: PrivateServer.name)
        let upstream = try StallInjector(clientName: "upstream", server: PrivateServer.name)
        let unit = try StallInjector(clientName: "unit", server: PrivateServer.name)
        try unit.client.connect("upstream:out", to: "unit:in")
        sentinel.onCycles { sentinelLog.add($0) }
        unit.client.onCycles { log.add($0) }
        try waitUntil("both have noted fifty cycles") { sentinelLog.count >= 50 && log.count >= 50 }
        upstream.stall(nanoseconds: 200_000_000)
        try waitUntil("the client before us has stalled") { upstream.lastStall != nil }
        let stall = try #require(upstream.lastStall)
        let goal = log.count + 20
        try waitUntil("twenty more cycles are noted") { log.count >= goal }
        unit.client.stop()
        sentinel.stop()
        upstream.client.stop()

        #expect(stall.nanoseconds >= 200_000_000)
        let late = try #require(
            log.all.first { $0.entryNanoseconds > stall.beginNanoseconds }, "the unit has run since")
        #expect(late.entryNanoseconds >= stall.endNanoseconds, "it waited for the client before it")
        // The server goes on without us after twenty periods: the cycle that was held up is the one behind our last.
        let last = try #require(log.all.last { $0.entryNanoseconds < stall.beginNanoseconds })
        let begun = try #require(sentinelLog.all.first { $0.frameTime == last.frameTime &+ 128 })
        #expect(begun.entryNanoseconds < stall.endNanoseconds, "the sentinel began that cycle during the stall")
    }

    @Test func `is refused by a server that is not there`() throws {
        do throws(JackError) {
            _ = try Sentinel(clientName: "sentinel", server: "iounit-no-such-server")
            Issue.record("it was not refused")
        } catch {
            #expect(error.kind == .noServer)
        }
    }
}

@Suite("The reading end of records") struct RecordListenerTests {
    private func record(_ number: UInt64, lost: UInt64 = 0) -> CycleRecord {
        var record = CycleRecord()
        record.entryNanoseconds = number
        record.lostRecords = lost
        return record
    }

    @Test func `hands over in order what comes after a listener, and counts what was lost`() {
        let ring = Ring<CycleRecord>(capacity: 8)
        var records = ring.producer
        let telemetry = Telemetry(ring.consumer)
        telemetry.begin(sampleRate: 48000)
        let log = RecordLog()
        _ = records.push(record(1))
        telemetry.listen { log.add($0) }
        #expect(log.all.isEmpty, "what came before is not handed over")
        _ = records.push(record(2))
        _ = records.push(record(3))
        telemetry.collect()
        _ = records.push(record(9, lost: 5))
        telemetry.collect()
        telemetry.collect()
        #expect(log.all.map(\.entryNanoseconds) == [2, 3, 9])
        #expect(telemetry.lostRecords == 5)
    }
}
