import Testing

@testable import LiveRuns

@Suite("How much is sent by OSC") struct OSCBudgetTests {
    private let second: UInt64 = 1_000_000_000

    @Test func `an address gets so much per second, whatever is asked for in its name`() {
        var budget = OSCBudget<Int>()
        var sent = 0
        for millisecond in UInt64(0)..<10_000 {
            for _ in 0..<10 where budget.take(1000, for: 1, atNanoseconds: millisecond * 1_000_000) { sent += 1000 }
        }
        let due = 10.5 * OSCBudget<Int>.hostRate
        #expect(Double(sent) <= due && Double(sent) > 0.95 * due)
        // After a rest, and for others, there is more.
        let later = [1, 1, 2].map { budget.take(60_000, for: $0, atNanoseconds: 20 * second) }
        #expect(later == [true, false, true])
    }

    @Test func `many addresses together get so much, and so many are remembered`() {
        var budget = OSCBudget<Int>()
        var sent = 0
        for host in 0..<100_000 where budget.take(1000, for: host, atNanoseconds: 0) { sent += 1000 }
        #expect(Double(sent) <= OSCBudget<Int>.totalRate / 2 && sent >= 256_000)
        let later = [second / 2, 2 * second].map { budget.take(1, for: 100_000, atNanoseconds: $0) }
        #expect(later == [false, true])
    }
}
