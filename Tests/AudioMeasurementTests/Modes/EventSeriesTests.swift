import AudioFigures
import Testing

@testable import AudioMeasurement

@Suite("The late callbacks of a run of any length") struct EventSeriesTests {
    private func event(_ seconds: Double, late: Int64, _ blame: Blame = .wakeup) -> Series.Event {
        Series.Event(nanoseconds: Int64(seconds * 1e9), lateNanoseconds: late, blame: blame)
    }

    @Test func `are all kept while there is room`() {
        var series = EventSeries(capacity: 100)
        let events = (0..<100).map { event(Double($0) / 1e6, late: Int64($0), Blame.allCases[$0 % 4]) }
        for event in events { series.add(event) }
        #expect(series.events == events)
    }

    @Test func `are thinned over the whole run, and the latest of each kind stay`() throws {
        var series = EventSeries(capacity: 100)
        for second in 0..<86_400 {
            series.add(event(Double(second), late: Int64(1000 + second * 7919 % 500), Blame.allCases[second % 4]))
            if second == 43_200 { series.add(event(Double(second), late: 9999, .own)) }
        }
        let events = series.events
        #expect(events.count <= 100 && events.count >= 16, "\(events.count)")
        #expect(events.map(\.nanoseconds) == events.map(\.nanoseconds).sorted(), "in the order of time")
        #expect(try #require(events.first).nanoseconds < 20_000 * 1_000_000_000)
        #expect(try #require(events.last).nanoseconds > 80_000 * 1_000_000_000)
        #expect(events.contains { $0.lateNanoseconds == 9999 }, "the latest of all")
        #expect(Set(events.map(\.blame)) == Set(Blame.allCases))
    }

    @Test func `stay within the capacity where all are of one moment or at the end of time`() {
        for time in [0, Int64.max] {
            var series = EventSeries(capacity: 16)
            for late in 0..<1000 {
                series.add(Series.Event(nanoseconds: time, lateNanoseconds: Int64(late), blame: .unknown))
            }
            #expect(series.events.count <= 16 && series.events.last?.lateNanoseconds == 999)
        }
    }
}
