import AudioReports
import Testing

@Suite("Numbers as people read them") struct QuantityTests {
    @Test(arguments: [
        (0, "0 ns"), (999, "999 ns"), (1000, "1.00 µs"), (1001, "1.01 µs"), (12_345, "12.4 µs"), (999_001, "1.00 ms"),
        (.max, "9230000000 s"),
    ])
    func `a time that something lies within is never shorter, however long it is`(_ time: Int64, _ text: String) {
        #expect(durationAtMost(time) == text)
    }

    @Test(
        arguments: [
            (0, "00:00:00"), (59.9, "00:00:59"), (3600, "01:00:00"), (360_000, "100:00:00"), (-5, "00:00:00"),
            (1e300, "99999:59:59"), (.infinity, "99999:59:59"), (-.infinity, "00:00:00"), (.nan, "00:00:00"),
        ] as [(Double, String)])
    func `a time that no clock shows is shown as the nearest one`(seconds: Double, text: String) {
        #expect(clock(seconds) == text)
    }

    @Test func `how often something was`() {
        #expect([0, 1, 2].map { timesInWords($0) } == ["0 times", "once", "2 times"])
    }
}
