import AudioFigures
import Testing

@testable import LiveCommands
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

@Suite("What the view shows of losses") struct ShownLossesTests {
    @Test func `it is what came since they were taken note of`() {
        var losses = ShownLosses()
        #expect(losses.xruns == 0 && losses.lostMilliseconds == 0 && losses.age(at: 1) == nil)
        losses.update(xruns: 2, lostNanoseconds: 5_000_000, at: 1)
        losses.update(xruns: 2, lostNanoseconds: 5_000_000, at: 2)
        #expect(losses.xruns == 2 && losses.lostMilliseconds == 5 && losses.age(at: 4) == 3)
        losses.reset()
        #expect(losses.xruns == 0 && losses.lostMilliseconds == 0 && losses.age(at: 4) == nil)
        losses.update(xruns: 3, lostNanoseconds: 7_000_000, at: 5)
        #expect(losses.xruns == 1 && losses.lostMilliseconds == 2 && losses.age(at: 6) == 1)
    }
}
