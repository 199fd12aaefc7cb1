import AudioIO
import AudioRealtime
import AudioRecording
import Glibc
import Jack
import TestSupport
import Testing
import Threads

/// On a server: what a recorder says of a gap, beside what the unit's own records say of the same time.
@Suite("A server that stands still for a second", .serialized, .ownServers) struct GapTruthTests {
    @Test(arguments: [true, false])
    func `leaves a gap in the recording that is as long as the time that nothing was rendered`(isSync: Bool) throws {
        let folder = try TemporaryFolder()
        var server = ServerConfiguration()
        server.periodFrames = 256
        server.isSync = isSync
        let jackd = try Server(server)
        defer { jackd.stop() }
        var configuration = UnitConfiguration()
        configuration.serverName = jackd.name
        let unit = try IOUnit(configuration)
        let log = RecordLog()
        unit.onCycles { log.add($0) }
        let recorder = try Recorder(path: folder("a.wav"), sampleRate: 48000, channels: 2)
        try recorder.start(unit.addTap(capacityFrames: 1 << 18))
        try unit.start()
        try waitUntil("a hundred cycles are rendered") { unit.statistics.cycles >= 100 }
        try jackd.freeze()
        MonotonicClock.sleep(milliseconds: 1000)
        jackd.signal(SIGCONT)
        let goal = unit.statistics.cycles + 100
        // A stall of the machine so near to the end that it lies among the last cycles would be told and not seen in them.
        try waitUntil("a hundred more cycles are rendered, the last 32 of them in time") {
            unit.statistics.cycles >= goal
                && longestInterval(log.all.suffix(33)).nanoseconds < UInt64(1.5 * period)
        }
        unit.stop()
        recorder.finish()

        #expect(recorder.failure == nil && recorder.droppedFrames == 0)
        let records = log.all
        let (first, last) = (try #require(records.first), try #require(records.last))
        #expect(recorder.writtenFrames == UInt64(records.count * 256) + recorder.filledFrames)
        #expect(try Sound.read(folder("a.wav")).sound.frames == Int(recorder.writtenFrames))

        let stall = longestInterval(records[...])
        let gap = try #require(recorder.gaps.max { $0.lengthNanoseconds < $1.lengthNanoseconds })
        #expect(gap.lengthNanoseconds > 900_000_000)
        #expect(gap.cause == .late || gap.cause == .skipped)
        let before = recorder.gaps.filter { $0.frame < gap.frame }.reduce(0) { $0 + $1.filledFrames }
        #expect(gap.frame - before == Int(records[stall.end].position - first.position), "it is where the stall was")

        // What was written and the gaps last as long as the time from the first cycle to the last. Both of them, and the
        // baselines between, are as late as the machine makes them: the least of the lateness of all before the stall, and
        // of the last sixteen.
        func origin(_ records: ArraySlice<CycleRecord>) -> Double {
            records.map { Double($0.entryNanoseconds) - Double($0.position) / 48000 * 1e9 }.min() ?? 0
        }
        let passed = origin(records.suffix(16)) - origin(records[..<stall.end])
        // A stall that came behind that look may lie among them all the same: then the least of them is of before it.
        let tail = try Int(#require(records.suffix(16).first).position - first.position)
        var (told, filled) = (0.0, 0)
        for gap in recorder.gaps {
            if gap.frame - filled <= tail { told += Double(gap.lengthNanoseconds) }
            filled += gap.filledFrames
        }
        #expect(abs(passed - told) <= period, "\(passed / 1e6) ms passed, \(told / 1e6) ms were told")
        #expect(last.entryNanoseconds > first.entryNanoseconds)
    }

    /// In nanoseconds.
    private let period = 256 / 48000.0 * 1e9

    /// - Returns: the index of the record at its end, too.
    private func longestInterval(_ records: ArraySlice<CycleRecord>) -> (end: Int, nanoseconds: UInt64) {
        var longest = (end: records.startIndex, nanoseconds: UInt64(0))
        for (index, (before, record)) in zip(records.indices, zip(records, records.dropFirst())) {
            let interval = record.entryNanoseconds - before.entryNanoseconds
            if interval > longest.nanoseconds { longest = (index + 1, interval) }
        }
        return longest
    }
}
