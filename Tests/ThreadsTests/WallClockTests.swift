import Testing
import Threads

@Suite("The time of day") struct WallClockTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
        (-2_000_000_000, "1969-12-31T23:59:58.000000Z"), (.min, "1677-09-21T00:12:43.145224Z"),
        (951_782_400_000_000_999, "2000-02-29T00:00:00.000000Z"),
        (1_795_273_445_123_456_789, "2026-11-21T15:04:05.123456Z"),
        (4_102_444_799_999_999_999, "2099-12-31T23:59:59.999999Z"),
    ])
    func `is written as ISO 8601 has it, to the microsecond`(nanoseconds: Int64, text: String) {
        #expect(WallClock.text(nanoseconds) == text)
    }
}
