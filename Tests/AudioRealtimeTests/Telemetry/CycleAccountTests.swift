import AudioRealtime
import TestSupport
import Testing

@Suite("The account of cycles") struct CycleAccountTests {
    @Test func `counts nothing but cycles where all is regular`() {
        var line = Timeline()
        line.cycles(1000)
        #expect(line.account.cycles == 1000)
        #expect(line.account.overruns == 0)
        #expect(line.account.frameGaps == 0)
        #expect(line.account.gapFrames == 0)
        #expect(line.account.lateCycles == 0)
        #expect(line.account.lostRecords == 0)
        #expect(line.account.lostNanoseconds == 0)
        #expect(line.account.window.count == 999)
        #expect(abs(line.account.window.meanNanoseconds - line.periodNanoseconds) < 1)
    }

    @Test func `goes on where the frame clock wraps around`() {
        var line = Timeline()
        line.frameTime = UInt32.max - 64 * 20
        line.cycles(100)
        #expect(line.frameTime < 64 * 100)
        #expect(line.account.frameGaps == 0)
        #expect(line.account.lostNanoseconds == 0)
    }

    @Test func `sees a gap across the wrap of the frame clock`() {
        var line = Timeline()
        line.frameTime = UInt32.max - 64 * 40
        line.cycles(40)
        line.stall(nanoseconds: line.periodNanoseconds * 3, skipsFrames: true)
        line.cycles(40)
        #expect(line.account.frameGaps == 1)
        #expect(line.account.gapFrames == 64 * 3)
    }

    @Test func `counts a callback that ran past its period`() {
        var line = Timeline()
        line.cycles(10)
        line.workNanoseconds = UInt64(line.periodNanoseconds * 1.01)
        line.cycles(3)
        line.workNanoseconds = UInt64(line.periodNanoseconds * 0.99)
        line.cycles(10)
        #expect(line.account.overruns == 3)
    }

    @Test func `takes lost records for neither a gap nor a late cycle`() {
        var line = Timeline()
        line.cycles(50)
        for _ in 0..<30 { line.cycle(isSeen: false) }
        line.cycles(50)
        #expect(line.account.cycles == 100)
        #expect(line.account.lostRecords == 30)
        #expect(line.account.frameGaps == 0)
        #expect(line.account.lateCycles == 0)
        #expect(line.account.lostNanoseconds == 0)
        #expect(line.account.window.count == 98)
    }

    @Test func `takes a change of period for neither a gap nor a late cycle`() {
        var line = Timeline(periodFrames: 16)
        for frames in [1024, 16, 8192, 64] {
            line.cycles(50)
            line.periodFrames = frames
        }
        line.cycles(50)
        #expect(line.account.frameGaps == 0)
        #expect(line.account.lateCycles == 0)
        #expect(line.account.overruns == 0)
        #expect(line.account.lostNanoseconds == 0)
    }

    @Test func `takes nothing for late while the server freewheels, but for frames that its clock leaves out`() {
        var line = Timeline()
        line.cycles(50)
        line.isFreewheeling = true
        line.workNanoseconds = UInt64(line.periodNanoseconds * 3)
        line.cycles(2)
        line.stall(nanoseconds: 20e6)
        line.cycles(50)
        #expect(line.account.overruns == 0 && line.account.lateCycles == 0 && line.account.frameGaps == 0)
        line.stall(nanoseconds: 20e6, skipsFrames: true)
        line.cycles(50)
        #expect(line.account.frameGaps == 1 && line.account.gapFrames == 15 * 64)
        // In time again, a stall is one.
        line.isFreewheeling = false
        line.workNanoseconds = 1000
        line.cycles(50)
        #expect(line.account.lateCycles == 0 && line.account.lostNanoseconds == 0)
        line.stall(nanoseconds: 7e6)
        line.cycles(50)
        #expect(line.account.lateCycles == 1)
        #expect(abs(Double(line.account.lostNanoseconds) - 7e6) < line.periodNanoseconds / 4)
    }

    @Test func `remembers the last 8192 cycles by their frame time`() {
        var line = Timeline()
        line.cycles(10_000)
        #expect(line.account.cycle(atFrameTime: 1000 + 64 * 9999)?.position == UInt64(64 * 9999))
        #expect(line.account.cycle(atFrameTime: 1000 + 64 * (10_000 - 8192))?.position == UInt64(64 * (10_000 - 8192)))
        #expect(line.account.cycle(atFrameTime: 1000 + 64 * (10_000 - 8193)) == nil)
        #expect(line.account.cycle(atFrameTime: 1001) == nil)
    }

    @Test func `finds the newest of two cycles with one frame time, where the older one lies behind it in the ring`() {
        var line = Timeline()
        line.cycles(8192)
        // Another server, whose frame clock has come to where the last one's was.
        line.account.breakContinuity(sampleRate: 48000)
        line.frameTime = 1000 + 64 * 5000
        line.cycle()
        #expect(line.account.cycle(atFrameTime: 1000 + 64 * 5000)?.position == UInt64(64 * 8192))
    }

    @Test func `does not compare across a restart, on a server of another rate`() {
        var line = Timeline()
        line.cycles(50)
        var other = Timeline(sampleRate: 8000)
        other.account = line.account
        other.account.breakContinuity(sampleRate: 8000)
        other.dueNanoseconds = line.dueNanoseconds + 5e9
        other.frameTime = 7
        other.workNanoseconds = UInt64(line.periodNanoseconds * 3)
        other.cycles(50)
        #expect(other.account.cycles == 100)
        #expect(other.account.frameGaps == 0)
        #expect(other.account.lateCycles == 0)
        #expect(other.account.overruns == 0, "a period is longer at a lower rate")
        #expect(other.account.lostNanoseconds == 0)
    }

    @Test(arguments: [44100.0, 8000, 192_000])
    func `goes on at the rate that the server changes to while it runs`(_ rate: Double) {
        var line = Timeline()
        line.cycles(50)
        line.sampleRate = rate
        line.cycles(50)
        #expect(line.account.sampleRate == rate)
        #expect(line.account.frameGaps == 0 && line.account.lateCycles == 0)
        #expect(line.account.lostNanoseconds == 0 && line.account.absentNanoseconds == 0)
        line.workNanoseconds = UInt64(line.periodNanoseconds * 1.01)
        line.cycle()
        #expect(line.account.overruns == 1)
        line.stall(nanoseconds: 30e6)
        line.cycles(50)
        #expect(abs(Double(line.account.lostNanoseconds) - 30e6) < line.periodNanoseconds / 4)
    }

    @Test func `counts as lost what a change of the rate takes, and as absent what went before it`() {
        var line = Timeline()
        line.cycles(50)
        line.account.breakContinuity(sampleRate: 48000)
        line.dueNanoseconds += 1e9
        line.cycles(50)
        line.sampleRate = 44100
        line.stall(nanoseconds: 25e6)
        line.cycles(50)
        #expect(abs(Double(line.account.lostNanoseconds) - 25e6) < 1e5)
        #expect(line.account.lateCycles == 1)
        #expect(abs(Double(line.account.absentNanoseconds) - 1e9) < 1e5, "the outage is counted once")
    }

    @Test func `takes for late what a change of the rate delays by half a period, and for lost a quarter`() {
        for (share, late) in [(0.2, 0), (0.3, 0), (0.6, 1)] {
            var line = Timeline()
            line.cycles(50)
            let lost = share * line.periodNanoseconds
            line.stall(nanoseconds: lost)
            line.sampleRate = 44100
            line.cycles(50)
            #expect(line.account.lateCycles == late)
            #expect(abs(Double(line.account.lostNanoseconds) - (share > 0.25 ? lost : 0)) < 10)
        }
    }

    @Test func `compares no record with one that its position or its time lies before`() throws {
        for isPosition in [false, true] {
            var line = Timeline()
            line.cycles(50)
            let first = line.account
            var record = try #require(first.last)
            if isPosition { record.position -= 64 * 20 } else { record.entryNanoseconds -= 20_000_000 }
            var account = first
            account.add(record)
            #expect(account.cycles == 51)
            #expect(account.lateCycles == 0 && account.frameGaps == 0 && account.lostNanoseconds == 0)
            #expect(account.window == first.window, "there is no interval")
            #expect(account.sampleRate == 48000)
            // It goes on from there.
            record.position += 64
            record.frameTime &+= 64
            record.entryNanoseconds += 1_333_333
            account.add(record)
            #expect(account.window.count == first.window.count + 1)
        }
    }

    @Test func `bears any records and rates`() {
        let numbers: [UInt64] = [0, 1, 1 << 32, 1 << 63, .max - 1, .max]
        var generator = SeededGenerator(seed: 9)
        func number() -> UInt64 { numbers.randomElement(using: &generator) ?? 0 }
        for rate in [Int.min, 0, 1, 48000, .max] {
            var account = CycleAccount(sampleRate: rate)
            for step in 0..<2000 {
                var record = CycleRecord()
                record.entryNanoseconds = number()
                record.exitNanoseconds = number()
                record.frameTime = UInt32(truncatingIfNeeded: number())
                record.frames = UInt32(truncatingIfNeeded: number())
                record.sampleRate = [0, 0, 0, 1, 48000, .max].randomElement(using: &generator) ?? 0
                record.position = number()
                record.lostRecords = number()
                account.add(record)
                if step % 100 == 99 { account.breakContinuity(sampleRate: rate) }
            }
            #expect(account.cycles == 2000)
            #expect(account.window.meanNanoseconds <= 0x1p64 && account.sampleRate >= 1)
        }
    }

    @Test func `loses no more time than there can be`() {
        for sampleRate in [48000, 44100] as [UInt32] {
            var account = CycleAccount(sampleRate: 48000)
            var record = CycleRecord()
            record.frames = 64
            account.add(record)
            record.entryNanoseconds = .max
            record.sampleRate = sampleRate
            account.add(record)
            #expect(account.lateCycles == 1)
            #expect(account.lostNanoseconds == .max)
        }
    }

    @Test func `hands out each interval once`() {
        var line = Timeline()
        line.cycles(10)
        line.cycle(lateBy: 500_000)
        let window = line.account.takeWindow()
        #expect(window.count == 10)
        #expect(abs(Double(window.longestNanoseconds) - line.periodNanoseconds - 500_000) < 2)
        line.cycle()
        let next = line.account.takeWindow()
        #expect(next.count == 1)
        #expect(abs(Double(next.shortestNanoseconds) - line.periodNanoseconds + 500_000) < 2)
        #expect(line.account.takeWindow() == IntervalWindow())
    }
}
