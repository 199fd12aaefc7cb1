import AudioRealtime
import Testing

@Suite("A standstill of the server") struct StandstillTests {
    private let millisecond: UInt64 = 1_000_000

    @Test func `is no mere stall, but half a second without a cycle`() {
        var standstill = Standstill(paceMilliseconds: 50)
        standstill.update(cycles: 7, atNanoseconds: 0)
        for step in 1...9 {
            standstill.update(cycles: 7, atNanoseconds: UInt64(step) * 50 * millisecond)
            #expect(!standstill.isStanding(periodSeconds: 0.001))
        }
        standstill.update(cycles: 7, atNanoseconds: 500 * millisecond)
        #expect(standstill.isStanding(periodSeconds: 0.001))
        #expect(!standstill.isStanding(periodSeconds: 0.1), "or eight periods, where those are longer")
        #expect(standstill.seconds(periodSeconds: 0.001) == nil)
        standstill.update(cycles: 8, atNanoseconds: 550 * millisecond)
        #expect(!standstill.isStanding(periodSeconds: 0.001))
        #expect(standstill.nanoseconds == 0)
    }

    @Test func `does not count the time that we slept ourselves`() {
        var standstill = Standstill(paceMilliseconds: 50)
        standstill.update(cycles: 7, atNanoseconds: 0)
        standstill.update(cycles: 7, atNanoseconds: 3000 * millisecond)
        #expect(standstill.nanoseconds == 100 * millisecond)
    }

    @Test func `is worth a word from two seconds on, or from two periods where those are longer`() {
        var standstill = Standstill(paceMilliseconds: 50)
        for step in 0...50 { standstill.update(cycles: 0, atNanoseconds: UInt64(step) * 50 * millisecond) }
        #expect(standstill.seconds(periodSeconds: 0.001) == 2)
        #expect(standstill.seconds(periodSeconds: 1.5) == nil)
        for step in 51...60 { standstill.update(cycles: 0, atNanoseconds: UInt64(step) * 50 * millisecond) }
        #expect(standstill.seconds(periodSeconds: 1.5) == 3)
    }
}
