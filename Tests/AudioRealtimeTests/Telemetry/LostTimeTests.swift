import AudioRealtime
import TestSupport
import Testing

@Suite("Lost time") struct LostTimeTests {
    /// Expects so much lost time, but for a quarter of a period.
    private func expect(
        _ line: Timeline, lost nanoseconds: Double, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let lost = Double(line.account.lostNanoseconds)
        #expect(abs(lost - nanoseconds) <= line.periodNanoseconds / 4, sourceLocation: sourceLocation)
    }

    @Test(arguments: [16, 64, 1024])
    func `is none where cycles begin up to 30 % of a period early or late`(periodFrames: Int) {
        var generator = SeededGenerator(seed: 5)
        var line = Timeline(periodFrames: periodFrames)
        let range = -0.3 * line.periodNanoseconds...0.3 * line.periodNanoseconds
        for _ in 0..<100_000 { line.cycle(lateBy: Double.random(in: range, using: &generator)) }
        #expect(line.account.lateCycles > 0, "some intervals are longer than one and a half periods")
        #expect(line.account.lostNanoseconds == 0)
    }

    @Test(arguments: [200e-6, -200e-6])
    func `is none where the card's clock drifts for an hour, though cycles are late`(drift: Double) {
        var line = Timeline(periodFrames: 1024)
        let cycles = Int(3600e9 / line.periodNanoseconds)
        for number in 0..<cycles {
            // Now and then a cycle is late and the next ones catch up.
            line.cycle(lateBy: number % 1000 == 999 ? line.periodNanoseconds * 0.8 : 0)
            line.dueNanoseconds += line.periodNanoseconds * drift
        }
        #expect(line.account.lateCycles > 100)
        #expect(line.account.lostNanoseconds == 0)
    }

    @Test(arguments: [false, true])
    func `is as long as a stall that the server gives up on, in sync mode and in async mode`(skipsFrames: Bool) {
        var line = Timeline()
        line.cycles(100)
        line.stall(nanoseconds: 20_000_000, skipsFrames: skipsFrames)
        line.cycle()
        expect(line, lost: 20_000_000)
        line.cycles(100)
        expect(line, lost: 20_000_000)
        #expect(line.account.lateCycles == 1)
        #expect(line.account.frameGaps == (skipsFrames ? 1 : 0))
        #expect(line.account.gapFrames == (skipsFrames ? 15 * 64 : 0))
    }

    @Test(arguments: [1, 3, 10, 40, 300])
    func `is none where the server catches up with a stall`(periods: Int) {
        var line = Timeline()
        line.cycles(100)
        // Late by so many periods, then one short interval after another.
        for late in stride(from: Double(periods), to: 0, by: -0.9) { line.cycle(lateBy: late * line.periodNanoseconds) }
        line.cycles(100)
        #expect(line.account.lateCycles > 0)
        #expect(line.account.lostNanoseconds == 0)
    }

    @Test(arguments: [10, 40, 300])
    func `is what the server does not make up for, however long it catches up`(periods: Int) {
        var line = Timeline()
        line.cycles(100)
        line.stall(nanoseconds: 20_000_000)
        var settled: Set<UInt64> = []
        for late in stride(from: Double(periods), to: 0, by: -0.9) {
            line.cycle(lateBy: late * line.periodNanoseconds)
            settled.insert(line.account.settledLostNanoseconds)
        }
        #expect(settled == [0])
        line.cycles(100)
        expect(line, lost: 20_000_000)
        #expect(line.account.settledLostNanoseconds == line.account.lostNanoseconds)
    }

    @Test(arguments: [1, 5, 15, 16, 17, 40])
    func `adds up over two stalls in quick succession`(between: Int) {
        var line = Timeline()
        line.cycles(100)
        line.stall(nanoseconds: 20_000_000)
        line.cycles(between)
        line.stall(nanoseconds: 7_000_000)
        line.cycles(100)
        expect(line, lost: 27_000_000)
    }

    @Test func `adds up where a stall that is caught up with follows one that is not`() {
        var line = Timeline()
        line.cycles(100)
        line.stall(nanoseconds: 20_000_000)
        line.cycles(5)
        line.cycle(lateBy: 3_000_000)
        line.cycle(lateBy: 2_000_000)
        line.cycle(lateBy: 800_000)
        line.cycles(100)
        expect(line, lost: 20_000_000)
    }

    @Test func `is counted before sixteen cycles have gone by, at the start and at the end`() {
        var line = Timeline()
        line.cycles(2)
        line.stall(nanoseconds: 20_000_000)
        line.cycles(2)
        expect(line, lost: 20_000_000)
        line.account.breakContinuity(sampleRate: 48000)
        line.stall(nanoseconds: 9e9)
        line.cycles(100)
        expect(line, lost: 20_000_000)
    }

    @Test func `is settled sixteen cycles after a stall`() {
        var line = Timeline()
        line.cycles(100)
        line.stall(nanoseconds: 20_000_000)
        line.cycles(15)
        expect(line, lost: 20_000_000)
        #expect(line.account.settledLostNanoseconds == 0)
        line.cycle()
        #expect(line.account.settledLostNanoseconds == line.account.lostNanoseconds)
    }

    @Test(arguments: [1, 2, 5])
    func `is settled while the server is late for good, but for the last of it`(every: Int) throws {
        var line = Timeline()
        line.cycles(100)
        var stalls = 0
        for number in 0..<10_000 {
            if number % every == 0 {
                line.stall(nanoseconds: 1_000_000)
                stalls += 1
            }
            line.cycle()
            let settled = line.account.settledLostNanoseconds
            try #require(settled <= line.account.lostNanoseconds && settled + 81_000_000 > UInt64(stalls) * 1_000_000)
        }
        line.cycles(100)
        expect(line, lost: Double(stalls) * 1e6)
        #expect(line.account.settledLostNanoseconds == line.account.lostNanoseconds)
    }

    @Test func `is none where every other cycle is late for good and the next one catches up`() {
        var line = Timeline()
        line.cycles(100)
        for _ in 0..<10_000 {
            line.cycle(lateBy: line.periodNanoseconds * 0.8)
            line.cycle()
        }
        line.cycles(100)
        #expect(line.account.lateCycles == 10_000)
        #expect(line.account.lostNanoseconds == 0)
    }

    @Test(arguments: 0..<20)
    func `that is settled never falls, whatever the server does`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var line = Timeline()
        var settled: UInt64 = 0
        for _ in 0..<5000 {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                let skipsFrames = Bool.random(using: &generator)
                line.stall(nanoseconds: .random(in: 0...1e7, using: &generator), skipsFrames: skipsFrames)
            case 1...8: line.cycle(lateBy: .random(in: 0...1e6, using: &generator))
            default: line.cycle()
            }
            try #require(line.account.settledLostNanoseconds >= settled)
            settled = line.account.settledLostNanoseconds
        }
    }

    @Test(arguments: [false, true])
    func `is found among lost records`(skipsFrames: Bool) {
        var line = Timeline()
        line.cycles(100)
        line.stall(nanoseconds: 20_000_000, skipsFrames: skipsFrames)
        for _ in 0..<5 { line.cycle(isSeen: false) }
        line.cycles(100)
        #expect(line.account.lostRecords == 5)
        #expect(line.account.frameGaps == (skipsFrames ? 1 : 0))
        expect(line, lost: 20_000_000)
    }

    @Test func `is found in jitter`() {
        var generator = SeededGenerator(seed: 6)
        var line = Timeline()
        let range = -0.1 * line.periodNanoseconds...0.1 * line.periodNanoseconds
        func jitter() -> Double { Double.random(in: range, using: &generator) }
        for _ in 0..<20 {
            for _ in 0..<50 { line.cycle(lateBy: jitter()) }
            line.stall(nanoseconds: 5_000_000)
        }
        for _ in 0..<50 { line.cycle(lateBy: jitter()) }
        let lost = Double(line.account.lostNanoseconds)
        #expect(abs(lost - 100_000_000) <= 20 * line.periodNanoseconds / 4)
    }
}
