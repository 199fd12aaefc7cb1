import AudioFigures
import AudioMeasurement
import AudioRealtime
import Foundation
import Threads

extension Section {
    static let analysis = Section(
        name: "analysis",
        introduction: """
            How fast records become figures. A log of ten million cycles: written, analysed, and merely read in pieces
            of a megabyte, as a count of its lines would. Then ten minutes of 16 frames at 192 kHz, 7.2 million cycles,
            as they come from a unit: in batches of a hundredth of a second, analysed, judged beside a sentinel's, and
            written to a log.
            """
    ) { _ in try tenMillion() + tenMinutes() }

    private static func tenMillion() throws -> [Goal] {
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
                let analyses = try CycleFile.contents(of: path).analyses
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
            Table(
                ["ten million cycles", "s"],
                [
                    ["written", writing.text(2)], ["read", read.text(2)], ["analysed", analysed.text(2)],
                    ["analysed, records in memory", alone.text(2)],
                ]
            ).text)
        return [
            Goal(
                "ten million cycles analysed from their log, ratio to reading it",
                rows.map { $0.analysed / $0.read }.median, atMost: 15, digits: 1)
        ]
    }

    /// What happens to the records of a measured mode while the run lasts; see `MeasuredMode.take`.
    private static func tenMinutes() throws -> [Goal] {
        let mode = CycleFile.Mode(kind: .callback, name: "callback", sampleRate: 192_000, periodFrames: 16)
        let writer = try CycleWriter(path: "/dev/null")
        let number = writer.add(mode)
        var analysis = CallbackAnalysis(mode)
        var judge = BlameJudge(sampleRate: mode.sampleRate)
        var log = LogOfCycles()
        var busy: UInt64 = 0
        var early = 0
        let batches = 60_000
        for batch in 0..<batches {
            let records = log.next(120)
            let start = MonotonicClock.nanoseconds()
            analysis.add(records)
            writer.write(records, mode: number)
            judge.add(own: records)
            judge.add(sentinel: records)
            busy += MonotonicClock.nanoseconds() - start
            // Once every path was taken and each buffer has its size.
            if batch == batches / 100 { early = try Memory.resident() }
        }
        let growth = try Memory.resident() - early
        try writer.finish()
        guard analysis.report.cycles == 7_200_000, judge.counts == BlameCount() else {
            throw Breakdown("cycles are missing, or late where none was")
        }
        let share = Double(busy) / 600e9
        print(
            "\n"
                + Table(
                    ["ten minutes of 16 frames at 192 kHz", ""],
                    [
                        ["cycles a second, needed", "12000"],
                        ["cycles a second, analysed, judged and logged", (12_000 / share).text(0)],
                        ["resident memory, growth after the first six seconds", "\(growth) KiB"],
                    ]
                ).text)
        return [
            Goal("16 frames at 192 kHz, share of a processor", share * 100, atMost: 10, unit: " %"),
            Goal("16 frames at 192 kHz, memory grows by", Double(growth) / 1024, atMost: 1, unit: " MiB"),
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
