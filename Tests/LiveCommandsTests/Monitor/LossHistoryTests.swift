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

    @Test func `what was not lost after all goes out of the newest bin again`() {
        var history = LossHistory()
        history.update(xruns: 1, lostNanoseconds: 2_000_000, at: 1)
        history.update(xruns: 1, lostNanoseconds: 5_000_000, at: 6)
        history.update(xruns: 1, lostNanoseconds: 4_000_000, at: 11)
        #expect(history.bins.map(\.milliseconds) == [2, 2])
        history.update(xruns: 1, lostNanoseconds: 2_000_000, at: 11)
        #expect(history.bins == [LossHistory.Bin(second: 0, xruns: 1, milliseconds: 2)])
        // Of an xrun it is known all the same, and what is lost next is counted whole.
        history.update(xruns: 1, lostNanoseconds: 0, at: 12)
        history.update(xruns: 1, lostNanoseconds: 3_000_000, at: 12)
        #expect(
            history.bins == [
                LossHistory.Bin(second: 0, xruns: 1, milliseconds: 0),
                LossHistory.Bin(second: 10, xruns: 0, milliseconds: 3),
            ])
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

    @Test func `what was taken note of and was not lost after all is none that came since`() {
        var losses = ShownLosses()
        losses.update(xruns: 0, lostNanoseconds: 5_000_000, at: 1)
        losses.reset()
        losses.update(xruns: 0, lostNanoseconds: 3_000_000, at: 2)
        #expect(losses.lostMilliseconds == 0 && losses.age(at: 3) == nil)
        losses.update(xruns: 0, lostNanoseconds: 4_000_000, at: 3)
        #expect(losses.lostMilliseconds == 1 && losses.age(at: 4) == 1)
        losses.update(xruns: 0, lostNanoseconds: 3_000_000, at: 4)
        #expect(losses.lostMilliseconds == 0 && losses.age(at: 5) == nil)
    }
}
