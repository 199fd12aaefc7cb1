import Testing

@testable import LiveRuns

@Suite("What the page remembers of losses") struct LossHistoryTests {
    @Test func `losses are put together by five seconds, and forgotten after ten minutes`() {
        var history = LossHistory()
        history.update(xruns: 0, lostNanoseconds: 0, at: 1)
        #expect(history.bins.isEmpty)
        history.update(xruns: 2, lostNanoseconds: 3_000_000, at: 6)
        history.update(xruns: 3, lostNanoseconds: 3_500_000, at: 9.9)
        history.update(xruns: 3, lostNanoseconds: 4_000_000, at: 61)
        #expect(
            history.bins == [
                LossHistory.Bin(second: 5, xruns: 3, milliseconds: 3.5),
                LossHistory.Bin(second: 60, xruns: 0, milliseconds: 0.5),
            ])
        history.update(xruns: 3, lostNanoseconds: 4_000_000, at: 612)
        #expect(history.bins.map(\.second) == [60])
        history.update(xruns: 3, lostNanoseconds: 4_000_000, at: 86400)
        #expect(history.bins.isEmpty)
    }
}
