import AudioIO
import AudioMeasurement
import AudioRealtime
import Foundation
import Jack
import Synchronization

extension Section {
    static let measurement = Section(
        name: "measurement",
        introduction: """
            What measuring costs. A value recorded in a histogram, against a loop that adds the same values up. Then a
            log of ten million cycles, about as long as ten minutes of 16 frames at 192 kHz: written, analysed, and
            merely read in pieces of a megabyte, as a count of its lines would. Then the unit on a server, with
            somebody who analyses and logs every cycle, in turns of half a second with nobody.
            p50, p90: microseconds from a callback's start to its end.
            """
    ) { _ in try recording() + analysis() + listening() }

    private static func recording() -> [Goal] {
        var state: UInt64 = 1
        let values = (0..<1 << 16).map { _ -> Int64 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return 1_333_000 + Int64(state >> 48)
        }
        var histogram = Histogram()
        var signed = SignedHistogram()
        var sum: Int64 = 0
        let race = Race(
            [
                Contender { for index in 0..<$0 { histogram.record(values[index & 0xffff]) } },
                Contender { for index in 0..<$0 { signed.record(values[index & 0xffff] - 1_365_000) } },
                Contender { for index in 0..<$0 { sum &+= values[index & 0xffff] } },
            ], roundNanoseconds: 1_000_000, rounds: 300)
        // Or the loops would be left out.
        precondition(histogram.count > 0 && signed.count > 0 && sum != 0)
        let names = ["histogram", "signed histogram", "sum"]
        print(Table(["record", "ns"], names.enumerated().map { [$1, race.nanoseconds($0).text(2)] }).text)
        return [
            Goal("a value recorded", race.nanoseconds(0), atMost: 10, unit: " ns"),
            Goal("a signed value recorded", race.nanoseconds(1), atMost: 10, unit: " ns"),
            Goal("a value recorded, ratio to a sum", race.ratio(0, to: 2).text(1)),
        ]
    }

    private static func analysis() throws -> [Goal] {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("iounit-bench-\(getpid()).csv").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let cycles = 10_000_000
        let mode = CycleFile.Mode(kind: .callback, name: "callback", sampleRate: 192_000, periodFrames: 16)
        let writing = try seconds {
            let writer = try CycleWriter(path: path)
            let number = writer.add(mode)
            var log = LogOfCycles()
            for _ in 0..<cycles / 1000 { writer.write(log.next(1000), mode: number) }
            try writer.finish()
        }
        var rows: [(read: Double, analysed: Double)] = []
        for _ in 1...3 {
            let read = try seconds { try readOnly(path) }
            let analysed = try seconds {
                let analyses = try CycleFile.analyses(of: path)
                guard analyses.first?.report.cycles == UInt64(cycles) else { throw Breakdown("cycles are missing") }
            }
            rows.append((read, analysed))
        }
        var log = LogOfCycles()
        let batches = (0..<100).map { _ in log.next(1000) }
        let alone = seconds {
            var analysis = CallbackAnalysis(mode)
            for _ in 0..<100 { for batch in batches { analysis.add(batch) } }
        }
        let read = rows.map(\.read).median
        let analysed = rows.map(\.analysed).median
        print(
            "\n"
                + Table(
                    ["ten million cycles", "s"],
                    [
                        ["written", writing.text(2)], ["read", read.text(2)], ["analysed", analysed.text(2)],
                        ["analysed, records in memory", alone.text(2)],
                    ]
                ).text)
        return [
            Goal("ten million cycles analysed from their log", analysed, atMost: 2, unit: " s"),
            Goal("the same, ratio to reading", rows.map { $0.analysed / $0.read }.median.text(1)),
        ]
    }

    private static func listening() throws -> [Goal] {
        let server = try Server()
        defer { server.stop() }
        var configuration = UnitConfiguration()
        configuration.serverName = server.name
        let unit = try IOUnit(configuration)
        try unit.start()
        defer { unit.stop() }
        let facts = server.configuration
        let mode = CycleFile.Mode(
            kind: .callback, name: "callback", sampleRate: facts.sampleRate, periodFrames: facts.periodFrames)
        let writer = try CycleWriter(path: "/dev/null")
        let number = writer.add(mode)
        let analysis = Shared(CallbackAnalysis(mode))
        let listener: @Sendable ([CycleRecord]) -> Void = { records in
            analysis.value.withLock { $0.add(records) }
            writer.write(records, mode: number)
        }
        var durations: [Bool: [Double]] = [:]
        for turn in 0..<60 {
            // Back and forth, as in a race.
            let isOn = turn % 4 == 1 || turn % 4 == 2
            unit.onCycles(isOn ? listener : nil)
            let begin = MonotonicClock.nanoseconds()
            MonotonicClock.sleep(milliseconds: 500)
            let cycles = unit.recentCycles.filter { $0.entryNanoseconds > begin }
            durations[isOn, default: []] += cycles.map { Double($0.exitNanoseconds - $0.entryNanoseconds) }
        }
        try writer.finish()
        let on = durations[true] ?? []
        let off = durations[false] ?? []
        let rows = [("somebody listens", on), ("nobody listens", off)].map {
            [$0, "\($1.count)", ($1.median / 1000).text(3), ($1.percentile(90) / 1000).text(3)]
        }
        print("\n" + Table(["callback", "cycles", "p50", "p90"], rows).text)
        return [
            Goal("what listening adds to the callback, median", on.median - off.median, atMost: 100, unit: " ns"),
            Goal("the same as a ratio", (on.median / off.median).text(3)),
        ]
    }

    private static func seconds(_ work: () throws -> Void) rethrows -> Double {
        let start = MonotonicClock.nanoseconds()
        try work()
        return Double(MonotonicClock.nanoseconds() - start) / 1e9
    }

    private static func readOnly(_ path: String) throws {
        guard let file = FileHandle(forReadingAtPath: path) else { throw Breakdown("the log is not there") }
        while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty {}
    }
}

/// Cycles as they are on a machine with some jitter.
private struct LogOfCycles {
    private var record = CycleRecord()
    private var due: UInt64 = 80_000_000_000_000
    private var state: UInt64 = 1

    mutating func next(_ count: Int) -> [CycleRecord] {
        (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let late = state >> 49
            record.position += UInt64(record.frames)
            record.frameTime &+= record.frames
            record.frames = 16
            record.entryNanoseconds = due + late
            record.exitNanoseconds = record.entryNanoseconds + 2000 + late / 16
            due += 83333
            return record
        }
    }
}

private final class Shared<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
}
