import AudioFigures
import Jack
import TestSupport
import Testing

@testable import AudioMeasurement

@Suite("A timer's schedule") struct TimerScheduleTests {
    @Test(arguments: [(64, 48000), (64, 44100), (1, 768_000), (8192, 11_025), (441, 44100)] as [(UInt64, UInt64)])
    func `is exact after any number of periods`(periodFrames: UInt64, sampleRate: UInt64) {
        let schedule = TimerSchedule(startNanoseconds: 12345, periodFrames: periodFrames, sampleRate: sampleRate)
        for number in [0, 1, 2, 3, 1000, 123_457, 1_000_000_007] as [UInt64] {
            // In 128 bits, where nothing overflows.
            let exact = UInt128(number) * UInt128(periodFrames) * 1_000_000_000 / UInt128(sampleRate)
            #expect(UInt128(schedule.deadline(number)) == 12345 + exact)
        }
    }

    @Test(arguments: [(64, 48000), (64, 44100), (1, 768_000), (8192, 11_025)] as [(UInt64, UInt64)])
    func `goes on with the first period that is still to come`(periodFrames: UInt64, sampleRate: UInt64) {
        var generator = SeededGenerator(seed: periodFrames)
        let schedule = TimerSchedule(startNanoseconds: 5, periodFrames: periodFrames, sampleRate: sampleRate)
        var number: UInt64 = 0
        for _ in 0..<1000 {
            let time = schedule.deadline(number) + UInt64.random(in: 0...20_000_000, using: &generator)
            let next = schedule.number(after: time, behind: number)
            #expect(next > number)
            #expect(schedule.deadline(next) > time)
            #expect(next == number + 1 || schedule.deadline(next - 1) <= time)
            number = next
        }
    }

    @Test func `is never behind the period before, even if that was woken from too early`() {
        let schedule = TimerSchedule(startNanoseconds: 0, periodFrames: 48, sampleRate: 48000)
        #expect(schedule.number(after: 4_999_999, behind: 5) == 6)
        #expect(schedule.number(after: 5_000_000, behind: 4) == 6, "a deadline that is just now is missed")
    }
}

@Suite("The account of a timer") struct TimerAccountTests {
    @Test func `has lateness, intervals and their deviation`() {
        var account = TimerAccount(nominalNanoseconds: 1000)
        for (time, deadline) in [(1010, 1000), (2005, 2000), (3200, 3000), (7000, 7000)] as [(UInt64, UInt64)] {
            account.wake(at: time, deadline: deadline)
        }
        let report = account.report(scheduling: SchedulingFacts(policy: "SCHED_FIFO", priority: 7))
        #expect(report.cycles == 4)
        #expect(report.lateness.minimum == 0)
        #expect(report.lateness.maximum == 200)
        #expect(report.interval.count == 3)
        #expect(report.interval.minimum == 995)
        #expect(report.interval.maximum == 3800)
        #expect(report.deviation.minimum == 5)
        #expect(report.deviation.maximum == 2800)
        #expect(report.nominalNanoseconds == 1000)
        #expect(report.scheduling.value == SchedulingFacts(policy: "SCHED_FIFO", priority: 7))
        #expect(report.deviationCurve.last?.nanoseconds == 2800)
    }
}

@Suite("A timer thread", .serialized) struct TimerBaselineTests {
    @Test func `wakes once a period and never early`() throws {
        let timer = try TimerBaseline(periodFrames: 64, sampleRate: 48000, scheduling: nil)
        try waitUntil("it has woken a hundred times") { timer.report.cycles >= 100 }
        timer.stop()
        let report = timer.report
        // After an early wake-up nothing would be here: its account subtracts the deadline from the time, and would trap.
        #expect(report.lateness.count == report.cycles)
        #expect(report.interval.count == report.cycles - 1)
        #expect(report.interval.mean >= report.nominalNanoseconds - report.lateness.mean)
        #expect(report.scheduling.value == SchedulingFacts(policy: "SCHED_OTHER", priority: 0))
    }

    @Test func `is over when it is stopped, and stopping it again does nothing`() throws {
        let timer = try TimerBaseline(periodFrames: 8192, sampleRate: 48000, scheduling: nil)
        timer.stop()
        timer.stop()
        let cycles = timer.report.cycles
        // A period of 171 ms, of which the machine may let several pass before it looks at the flag.
        #expect(timer.report.cycles == cycles)
    }

    @Test func `reports the scheduling that the kernel gave: what was asked for, or none in real time`() throws {
        let wanted = Scheduling(policy: .fifo, priority: 5)
        let timer = try TimerBaseline(periodFrames: 64, sampleRate: 48000, scheduling: wanted)
        try waitUntil("it has woken ten times") { timer.report.cycles >= 10 }
        timer.stop()
        let given = try #require(timer.report.scheduling.value)
        #expect(given == SchedulingFacts(policy: given.policy, priority: given.policy == "SCHED_FIFO" ? 5 : 0))
    }

    @Test(arguments: [(0, 48000), (8193, 48000), (64, 0), (64, -1)])
    func `is refused a period that is none`(periodFrames: Int, sampleRate: Int) {
        do throws(JackError) {
            _ = try TimerBaseline(periodFrames: periodFrames, sampleRate: sampleRate, scheduling: nil)
            Issue.record("it was not refused")
        } catch {
            #expect(error.kind == .invalidRequest)
        }
    }
}
