import AudioRealtime
import Testing

@testable import AudioIO

@Suite("The watch for a server that waits in each cycle") struct LimpWatchTests {
    /// A server, looked at every 50 ms.
    private struct Timeline {
        let periodSeconds = 64.0 / 48000
        var watch = LimpWatch()
        var nanoseconds: UInt64 = 1_000_000_000_000
        var records: [CycleRecord] = []
        /// When it was to be left, in seconds from the beginning.
        var calls: [Int] = []

        init() { watch.begin() }

        /// Cycles that take so many periods each, for so long.
        mutating func run(periods: Double, seconds: Double) {
            let end = nanoseconds + UInt64(seconds * 1e9)
            var nextLook = nanoseconds
            while nanoseconds < end {
                var record = CycleRecord()
                record.entryNanoseconds = nanoseconds
                records.append(record)
                let next = nanoseconds + UInt64(periods * periodSeconds * 1e9)
                while nextLook < next {
                    look(at: nextLook)
                    nextLook += 50_000_000
                }
                nanoseconds = next
            }
        }

        private mutating func look(at now: UInt64) {
            let records = records
            let isLimping = watch.isLimping(
                cycles: UInt64(records.count), periodSeconds: periodSeconds, atNanoseconds: now
            ) { records }
            if isLimping { calls.append(Int((now - 1_000_000_000_000) / 1_000_000_000)) }
        }
    }

    @Test(arguments: [0.1, 1, 5, 9.9]) func `is quiet where cycles come in time, or late now and then`(periods: Double)
    {
        var timeline = Timeline()
        timeline.run(periods: periods, seconds: 5)
        #expect(timeline.calls.isEmpty)
    }

    @Test func `calls for a leave after three seconds, and again after ten more, and after twenty`() {
        var timeline = Timeline()
        timeline.run(periods: 20, seconds: 60)
        #expect(timeline.calls == [3, 15, 36])
    }

    @Test func `is quiet where now and then a cycle comes in time`() {
        var timeline = Timeline()
        for _ in 0..<20 {
            timeline.run(periods: 20, seconds: 0.9)
            timeline.run(periods: 1, seconds: 0.001)
        }
        #expect(timeline.calls.isEmpty)
    }

    @Test func `is quiet where the server stands still and goes on`() {
        var timeline = Timeline()
        for _ in 0..<5 {
            timeline.run(periods: 1, seconds: 2)
            timeline.run(periods: 3000, seconds: 0.1)
        }
        #expect(timeline.calls.isEmpty)
    }

    @Test func `is quiet where another client stands still for two seconds`() {
        var timeline = Timeline()
        for _ in 0..<5 {
            timeline.run(periods: 20, seconds: 2)
            timeline.run(periods: 1, seconds: 2)
        }
        #expect(timeline.calls.isEmpty)
    }

    @Test func `forgives another server`() {
        var timeline = Timeline()
        timeline.run(periods: 20, seconds: 5)
        timeline.watch.forgive()
        timeline.watch.begin()
        timeline.run(periods: 20, seconds: 5)
        #expect(timeline.calls.count == 2)
    }
}
