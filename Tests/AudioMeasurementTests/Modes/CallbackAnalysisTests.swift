import AudioFigures
import AudioMeasurement
import AudioRealtime
import AudioReports
import TestSupport
import Testing

@Suite("The analysis of callbacks") struct CallbackAnalysisTests {
    private func analysis(
        of log: CycleLog, startNanoseconds: UInt64 = 0, maximumCycles: UInt64 = .max
    ) -> CallbackAnalysis {
        var analysis = CallbackAnalysis(
            mode: .callback, name: "callback", sampleRate: log.sampleRate, periodFrames: 48,
            startNanoseconds: startNanoseconds, maximumCycles: maximumCycles)
        analysis.add(log.records)
        return analysis
    }

    private func report(of log: CycleLog) -> ModeReport { analysis(of: log).report }

    @Test func `gives the percentiles that a log was made with, exactly`() {
        // 1000 intervals of a millisecond, the n-th of them n − 500 ns late: below 2048 ns no place is wider than 1 ns.
        var lateness = (1...1000).map { Int64($0 - 500) }
        var random = SeededGenerator(seed: 31)
        lateness.shuffle(using: &random)
        var log = CycleLog()
        log.cycle()
        for late in lateness { log.cycle(late: late) }
        let report = report(of: log)
        #expect(report.cycles == 1001)
        #expect(report.nominalNanoseconds == 1e6)
        #expect(report.signedDeviation.minimum == -499)
        #expect(report.signedDeviation.maximum == 500)
        #expect(report.signedDeviation.mean == 0.5)
        #expect(report.signedDeviation.p50 == 0)
        #expect(report.signedDeviation.p90 == 400)
        #expect(report.signedDeviation.p99 == 490)
        #expect(report.signedDeviation.p999 == 499)
        #expect(report.signedDeviation.p9999 == 500)
        #expect(report.deviation.minimum == 0)
        #expect(report.deviation.maximum == 500)
        #expect(report.deviation.p50 == 250)
        #expect(report.deviation.p90 == 450)
        #expect(report.deviation.p99 == 495)
        #expect(report.interval.count == 1000)
        #expect(report.interval.minimum == 999_501)
        #expect(report.interval.maximum == 1_000_500)
        #expect(report.interval.mean == 1_000_000.5)
        #expect(abs(report.interval.standardDeviation - (999_999.0 / 12).squareRoot()) < 1e-6)
        #expect(abs(report.interval.p50 - 1_000_000) <= 1000)
        #expect(report.deviationCurve.last == CurvePoint(percentile: 100, nanoseconds: 500, count: 1000))
        #expect(report.lost == Lost())
    }

    @Test func `counts what is lost between the last cycle of the warm-up and the first that counts`() {
        var log = CycleLog()
        log.cycle()
        log.cycle(late: 30_000_000)
        for _ in 0..<10 { log.cycle() }
        var analysis = CallbackAnalysis(mode: .callback, name: "callback", sampleRate: log.sampleRate, periodFrames: 48)
        analysis.follow(log.records[0])
        analysis.add(Array(log.records[1...]))
        let report = analysis.report
        #expect(report.cycles == 11 && report.interval.count == 10, "no interval more")
        #expect(report.lost.longIntervals == 1 && report.lost.nanoseconds ?? 0 > 20_000_000, "\(report.lost)")
        #expect(report.overruns == 0)
    }

    /// Buffers of 480 frames at periods of 64: by turns 7 and 8 periods pass, half a period too few and too many.
    @Test func `tells what of a queue's deviation is arithmetic, and the rest`() throws {
        var analysis = CallbackAnalysis(
            mode: .queued, name: "queued", sampleRate: 48000, periodFrames: 64, bufferFrames: 480, knowsRest: true)
        let records = (0..<201).map { number in
            var record = CycleRecord()
            let rest = number % 2 == 0 ? 0 : 32
            // Every third one is 3 µs late.
            let frames = UInt64(number * 480 + rest)
            record.entryNanoseconds = 1_000_000_000 + frames * 62_500 / 3 + (number % 3 == 2 ? 3000 : 0)
            record.exitNanoseconds = record.entryNanoseconds + 1000
            record.frames = 480
            record.restFrames = UInt32(rest)
            record.position = UInt64(number * 480)
            record.frameTime = UInt32(number * 480)
            record.sampleRate = 48000
            return record
        }
        analysis.add(records)
        let report = analysis.report
        let arithmetic = try #require(report.arithmeticDeviation.value)
        let timing = try #require(report.timingDeviation.value)
        #expect(arithmetic.count == 200 && arithmetic.minimum == arithmetic.maximum)
        #expect(arithmetic.maximum == 666_667)
        #expect(timing.count == 200 && timing.minimum <= 1 && (2999...3001).contains(timing.maximum))
        #expect(report.deviation.maximum > 660_000)

        // A log does not tell it, and in callback mode there is none.
        for (mode, knows) in [(ModeReport.Mode.queued, false), (.callback, true)] {
            let other = CallbackAnalysis(
                mode: mode, name: "other", sampleRate: 48000, periodFrames: 64, bufferFrames: 480, knowsRest: knows)
            #expect(other.report.arithmeticDeviation.value == nil && other.report.timingDeviation.value == nil)
        }
    }

    @Test func `tells how long callbacks took, and what share of their period that is`() {
        var log = CycleLog()
        for microseconds in 1...100 {
            log.workNanoseconds = UInt64(microseconds) * 1000
            log.cycle()
        }
        log.workNanoseconds = 1_250_000
        log.cycle()
        let report = report(of: log)
        #expect(report.callbackTime.count == 101)
        #expect(report.callbackTime.minimum == 1000)
        #expect(report.callbackTime.maximum == 1_250_000)
        #expect(abs(report.load.mean - (5.050 + 1.25) / 101) < 1e-12)
        #expect(report.load.maximum == 1.25)
        #expect(report.overruns == 1)
    }

    @Test func `finds a stall in the wall clock, in the intervals and in the events`() throws {
        var log = CycleLog()
        log.cycles(100)
        log.cycle(late: 20_000_000)
        log.cycles(100)
        let report = report(of: log)
        #expect(report.lost.gapFrames == 0)
        #expect(report.lost.longIntervals == 1)
        #expect(report.lost.nanoseconds == 20_000_000)
        #expect(
            report.series.events == [.init(nanoseconds: 120_000_000, lateNanoseconds: 20_000_000, blame: .unknown)])
        #expect(report.interval.maximum == 21_000_000)
    }

    @Test func `finds the frames that the server skipped, across the wrap of the frame clock`() {
        var log = CycleLog()
        log.next.frameTime = UInt32.max - 48 * 100 + 24
        log.cycles(100)
        log.next.frameTime &+= 48 * 20
        log.cycle(late: 20_000_000)
        log.cycles(100)
        let report = report(of: log)
        #expect(log.next.frameTime < 48 * 200)
        #expect(report.lost.gapFrames == 48 * 20)
        #expect(report.lost.longIntervals == 1)
        #expect(report.interval.count == 200)
    }

    @Test func `takes a frame clock that a late server sets back for no gap`() {
        var log = CycleLog()
        log.cycles(100)
        log.next.frameTime &-= 48 * 20
        log.cycle(late: 20_000_000)
        log.cycles(100)
        let report = report(of: log)
        #expect(report.lost.gapFrames == 0)
        #expect(report.lost.nanoseconds == 20_000_000)
        #expect(report.lost.longIntervals == 1)
        #expect(report.interval.count == 201 - 1)
    }

    @Test func `takes lost records for no interval, and counts them`() {
        var log = CycleLog()
        log.cycles(50)
        for _ in 0..<30 { log.cycle(isKept: false) }
        log.cycles(50)
        let report = report(of: log)
        #expect(report.cycles == 100)
        #expect(report.lostRecords == 30)
        #expect(report.interval.count == 98)
        #expect(report.interval.maximum == 1_000_000)
        #expect(report.lost == Lost())
        #expect(report.series.events.isEmpty)
    }

    @Test func `does not count what was lost before the measurement`() {
        var log = CycleLog()
        for _ in 0..<7 { log.cycle(isKept: false) }
        log.cycles(20)
        #expect(report(of: log).lostRecords == 0)
        for _ in 0..<3 { log.cycle(isKept: false) }
        log.cycles(20)
        #expect(report(of: log).lostRecords == 3)
        let later = analysis(of: log, startNanoseconds: log.records[10].entryNanoseconds)
        #expect(later.report.lostRecords == 3)
        let last = analysis(of: log, startNanoseconds: log.records[21].entryNanoseconds)
        #expect(last.report.lostRecords == 0)
    }

    @Test func `measures each interval against the period that it is of`() {
        var log = CycleLog(periodFrames: 48)
        for frames in [480, 48, 4800, 96] {
            log.cycles(20)
            log.periodFrames = frames
        }
        log.cycles(20)
        let report = report(of: log)
        #expect(report.interval.minimum == 1_000_000)
        #expect(report.interval.maximum == 100_000_000)
        #expect(report.deviation.count == 99)
        #expect(report.deviation.maximum == 0)
        #expect(report.lost == Lost())
        #expect(report.overruns == 0)
    }

    @Test func `counts a callback that began before the one before it, and knows no interval on either side`() {
        var log = CycleLog()
        log.cycles(100)
        log.records[50].entryNanoseconds -= 30_000_000
        let analysis = analysis(of: log)
        #expect(analysis.impossibleRecords == 1)
        #expect(analysis.report.cycles == 100)
        #expect(analysis.report.interval.count == 97)
        #expect(analysis.report.interval.maximum == 1_000_000)
        #expect(analysis.report.lost == Lost())
    }

    @Test func `goes on after a clock that was set back`() {
        var log = CycleLog()
        log.cycles(50)
        for index in 25..<50 {
            log.records[index].entryNanoseconds -= 500_000_000
            log.records[index].exitNanoseconds -= 500_000_000
        }
        let analysis = analysis(of: log)
        #expect(analysis.impossibleRecords == 1)
        #expect(analysis.report.interval.count == 24 + 23)
        #expect(analysis.report.interval.maximum == 1_000_000)
    }

    @Test func `counts the first callback of a second run whose records follow those of the first`() {
        var log = CycleLog()
        log.cycles(50)
        for index in 25..<50 { log.records[index].position -= 20 * UInt64(log.records[index].frames) }
        let analysis = analysis(of: log)
        #expect(analysis.impossibleRecords == 1 && analysis.report.impossibleRecords == 1)
        #expect(analysis.report.interval.count == 24 + 23)
    }

    @Test func `takes a cycle of no frames for no interval`() {
        var log = CycleLog()
        log.cycles(10)
        var empty = log.next
        empty.entryNanoseconds = log.records[9].entryNanoseconds + 400_000
        empty.exitNanoseconds = empty.entryNanoseconds + 1000
        empty.frames = 0
        log.records.append(empty)
        log.cycles(10)
        let report = report(of: log)
        #expect(report.cycles == 21)
        #expect(report.callbackTime.count == 21)
        #expect(report.interval.count == 19)
        #expect(report.deviation.maximum == 0)
        #expect(abs(report.load.mean - 0.001) < 1e-12)
    }

    @Test func `does not see the warm-up, nor what comes after the last cycle that it is to see`() {
        var log = CycleLog()
        log.cycles(10)
        log.cycle(late: 40_000_000)
        log.cycles(100)
        log.cycle(late: 40_000_000)
        let start = log.records[20].entryNanoseconds
        let analysis = analysis(of: log, startNanoseconds: start, maximumCycles: 50)
        #expect(analysis.report.cycles == 50)
        #expect(analysis.report.interval.count == 49)
        #expect(analysis.report.lost == Lost())
        #expect(analysis.report.series.steps.compactMap(\.?.latest).max() == 0)
    }

    @Test func `survives any record`() {
        var random = SeededGenerator(seed: 32)
        let strange: [UInt64] = [0, 1, 63, 1 << 31, 1 << 32 - 1, 1 << 61, 1 << 62, 1 << 63, .max]
        var analysis = CallbackAnalysis(mode: .queued, name: "x", sampleRate: 0, periodFrames: -1, bufferFrames: .max)
        for round in 0..<200 {
            let records = (0..<200).map { index in
                func value(_ regular: UInt64) -> UInt64 {
                    random.next() % 8 == 0 ? strange[Int(random.next() % UInt64(strange.count))] : regular
                }
                var record = CycleRecord()
                let time = UInt64(round * 200 + index)
                record.entryNanoseconds = value(time * 1_000_000)
                record.exitNanoseconds = value(time * 1_000_000 + 1000)
                record.frameTime = UInt32(truncatingIfNeeded: value(time * 48))
                record.frames = UInt32(truncatingIfNeeded: value(48))
                record.position = value(time * 48)
                record.lostRecords = value(0)
                return record
            }
            analysis.add(records)
        }
        #expect(analysis.report.cycles == 40_000)
        #expect(analysis.impossibleRecords > 0)
    }

    @Test func `keeps a run of any length in 600 steps that forget no extreme`() {
        var log = CycleLog()
        for cycle in 0..<5000 { log.cycle(late: cycle == 4321 ? 7_000_000 : cycle == 1234 ? -900_000 : 0) }
        let series = report(of: log).series
        #expect(series.stepNanoseconds == 16_000_000)
        #expect(series.steps.count <= 600)
        #expect(series.steps.compactMap(\.?.latest).max() == 7_000_000)
        #expect(series.steps.compactMap(\.?.earliest).min() == -900_000)
        #expect(series.steps[4328 / 16]?.latest == 7_000_000)
        #expect(series.steps[1233 / 16]?.earliest == -900_000)
    }

    @Test func `measures each part against its own period where that changes`() throws {
        var log = CycleLog()
        for (part, frames) in [48, 480, 96].enumerated() {
            log.periodFrames = frames
            for _ in 0..<200 { log.cycle(late: Int64(part) * 1000) }
        }
        let report = report(of: log)
        #expect(report.parts.map(\.frames) == [48, 480, 96] && report.omittedParts == 0)
        #expect(report.parts.map(\.nominalNanoseconds) == [1e6, 10e6, 2e6])
        // A part ends with the interval that its last callback begins; there is none after the run's last.
        #expect(report.parts.map(\.interval.count) == [200, 200, 199])
        #expect(report.parts.map(\.deviation.p50) == [0, 1000, 2000])
        #expect(report.parts.map(\.deviation.maximum) == [1000, 2000, 2000])
        #expect(report.parts.map(\.startNanoseconds) == [0, 200_001_000, 2_200_202_000])
        #expect(report.deviation.maximum == 2000 && report.series.steps.compactMap(\.?.latest).max() == 2000)
        var whole = Report(log: "run.csv", of: [], server: nil, host: nil, schema: "iounit.jitter/2")
        whole.modes = [report]
        let verdict = Verdict(whole).sentence
        #expect(verdict.contains("every 1.000 ms, then every 10.00 ms, then every 2.000 ms"), "\(verdict)")
        let table = ReportTable(whole).text
        #expect(table.contains("parts of callback, each against its own period"), "\(table)")
    }

    @Test func `counts the parts beyond the first hundred`() {
        var log = CycleLog()
        for part in 0..<250 {
            log.periodFrames = part % 2 == 0 ? 48 : 96
            log.cycles(3)
        }
        let report = report(of: log)
        #expect(report.parts.count == 100 && report.omittedParts == 150)
        #expect(report.deviation.maximum == 0 && report.interval.count == 749)
    }

    @Test func `leaves steps empty in which nothing began`() throws {
        var log = CycleLog()
        log.cycles(3)
        log.cycle(late: 100_000_000)
        log.cycles(3)
        let steps = report(of: log).series.steps
        #expect(steps.count == 107)
        #expect(steps[1...2].allSatisfy { $0 != nil })
        #expect(steps[3..<103].allSatisfy { $0 == nil })
        #expect(steps[103]?.latest == 100_000_000)
    }

    @Test func `tells of a thousand late callbacks at the most, over the whole run, and counts them all`() throws {
        var log = CycleLog()
        log.cycle()
        for _ in 0..<1500 { log.cycle(late: 600_000) }
        let report = report(of: log)
        #expect(report.lost.longIntervals == 1500)
        let events = report.series.events
        #expect(events.count <= CallbackAnalysis.eventCapacity && events.count >= CallbackAnalysis.eventCapacity / 4)
        #expect(events.allSatisfy { $0.lateNanoseconds == 600_000 })
        #expect(try #require(events.last).nanoseconds > 1400 * 1_600_000, "to the end of the run")
    }

    @Test func `shows while records come what the report says at the end`() {
        var log = CycleLog()
        log.cycles(99)
        log.cycle(late: -3000)
        var analysis = analysis(of: log)
        let early = analysis.look()
        #expect(early.callbacks == 100 && early.p99 == nil, "99 intervals have no p99")
        #expect(early.now == -3000 && early.recent == 3000 && early.worst == 3000)
        let next = log.records.count
        log.cycle(late: 20_000_000)
        log.cycle(late: 500)
        analysis.add(Array(log.records[next...]))
        let late = analysis.look()
        #expect(late.now == 500 && late.recent == 20_000_000 && late.worst == 20_000_000)
        let report = analysis.report
        #expect(late.p99 == report.deviation.p99 && late.callbacks == report.cycles)
        #expect(late.lostNanoseconds == 20_000_000 && late.longIntervals == 1)
        #expect(analysis.look().recent == nil, "nothing has come since")
    }

    /// A day at periods of 8192 frames: half a million callbacks.
    @Test func `a page of a day is no larger than one of a minute may be`() {
        func page(hours: Double) -> String {
            var analysis = CallbackAnalysis(
                mode: .callback, name: "callback", sampleRate: 48000, periodFrames: 8192)
            var random = SeededGenerator(seed: 24)
            var record = CycleRecord()
            record.frames = 8192
            for cycle in 0..<Int(hours * 3600 * 48000 / 8192) {
                let stall: UInt64 = cycle % 97 == 13 ? 120_000_000 : 0
                record.position = UInt64(cycle) * 8192
                record.frameTime = UInt32(truncatingIfNeeded: record.position)
                record.entryNanoseconds = 1_000_000_000 + UInt64(cycle) * 170_666_667 + random.next() % 400_000 + stall
                record.exitNanoseconds = record.entryNanoseconds + 40_000
                analysis.add([record])
            }
            var report = Report(
                schema: "iounit.jitter/2",
                server: ServerFacts(
                    name: "stage", backend: nil, sampleRate: 48000, periodFrames: 8192, sync: nil, realtime: nil),
                host: HostFacts(cpu: nil, cores: nil, kernel: nil, preemption: nil, governor: nil))
            report.modes = [analysis.report]
            return HTMLPage(report).text
        }
        let day = page(hours: 24)
        #expect(day.contains("time since the beginning, h"))
        #expect(day.utf8.count < (128 + 256) << 10, "\(day.utf8.count)")
        #expect(day.utf8.count < 2 * page(hours: 1).utf8.count)
    }

    @Test func `is the same whether the records came at once or in parts`() {
        var random = SeededGenerator(seed: 33)
        var log = CycleLog()
        for _ in 0..<3000 { log.cycle(late: Int64(random.next() % 1_200_000) - 200_000) }
        var parts = CallbackAnalysis(mode: .callback, name: "callback", sampleRate: 48000, periodFrames: 48)
        var rest = log.records[...]
        while !rest.isEmpty {
            let count = Int(random.next() % 50)
            parts.add(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let whole = report(of: log)
        #expect(parts.report.interval == whole.interval)
        #expect(parts.report.signedDeviation == whole.signedDeviation)
        #expect(parts.report.lost == whole.lost)
        #expect(parts.report.series == whole.series)
    }

    @Test func `of nothing is a report of zeros`() {
        let report = report(of: CycleLog())
        #expect(report.cycles == 0)
        #expect(report.interval == Distribution())
        #expect(report.load == Load())
        #expect(report.series.steps.isEmpty)
    }

    @Test func `of a queue is held against its buffers`() {
        var log = CycleLog(periodFrames: 4410)
        log.cycles(10)
        var analysis = CallbackAnalysis(
            mode: .queued, name: "queued 4410", sampleRate: 48000, periodFrames: 64, bufferFrames: 4410)
        analysis.add(log.records)
        #expect(analysis.report.mode == .queued)
        #expect(analysis.report.bufferFrames == Nullable(4410))
        #expect(analysis.report.periodFrames == 64)
        #expect(analysis.report.nominalNanoseconds == 91_875_000)
        #expect(analysis.report.deviation.maximum == 0)
    }
}
