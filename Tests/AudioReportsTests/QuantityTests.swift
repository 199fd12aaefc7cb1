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
}
