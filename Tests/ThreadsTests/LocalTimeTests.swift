import Foundation
import Testing
import Threads

@Suite("Clocks on the wall") struct LocalTimeTests {
    private static func enter(_ zone: String) {
        unsafe setenv("TZ", zone, 1)
        tzset()
    }

    /// In a process of its own, because the zone is the whole process's.
    @Test func `show a time of day next when Foundation's calendar says, in summer, in winter and between them`() async
    {
        await #expect(processExitsWith: .success) {
            var failures = 0
            for zone in ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"] {
                LocalTimeTests.enter(zone)
                var calendar = Calendar(identifier: .gregorian)
                calendar.timeZone = try #require(TimeZone(identifier: zone))
                var generator = SystemRandomNumberGenerator()
                for _ in 0..<300 {
                    let now = Int64.random(in: 1_767_225_600..<1_798_761_600, using: &generator)
                    let wanted = DateComponents(
                        hour: .random(in: 4...23), minute: .random(in: 0...59), second: .random(in: 0...59))
                    let date = Date(timeIntervalSince1970: Double(now))
                    let expected = calendar.nextDate(after: date, matching: wanted, matchingPolicy: .nextTime)
                    let found = LocalTime.next(
                        hour: wanted.hour ?? 0, minute: wanted.minute ?? 0, second: wanted.second ?? 0,
                        after: now * 1_000_000_000)
                    let seconds = expected.map { Int64($0.timeIntervalSince1970) }
                    if found != seconds.map({ $0 * 1_000_000_000 }) { failures += 1 }
                }
            }
            exit(failures == 0 ? 0 : 1)
        }
    }

    @Test func `leave a time out when they are put forward, and show one twice when they are put back`() async {
        await #expect(processExitsWith: .success) {
            LocalTimeTests.enter("Europe/Berlin")
            func next(_ hour: Int, _ minute: Int, after seconds: Int64) -> Int64? {
                LocalTime.next(hour: hour, minute: minute, second: 0, after: seconds * 1_000_000_000).map {
                    $0 / 1_000_000_000
                }
            }
            // On 29 March 2026 at 01:00 UTC, 02:00 becomes 03:00.
            let forward: Int64 = 1_774_746_000
            let isLeftOut = next(2, 30, after: forward - 3600) == forward
            // On 25 October 2026 at 01:00 UTC, 03:00 becomes 02:00.
            let back: Int64 = 1_792_890_000
            let comesFirst = next(2, 30, after: back - 3600) == back - 1800
            let comesAgain = next(2, 30, after: back - 1800) == back + 1800
            exit(isLeftOut && comesFirst && comesAgain ? 0 : 1)
        }
    }

    @Test func `a moment is later than the one it is after`() {
        let now: Int64 = 1_795_000_000 * 1_000_000_000
        let local = LocalTime(now).time.split(separator: ":").compactMap { Int($0) }
        #expect(LocalTime.next(hour: local[0], minute: local[1], second: local[2], after: now - 1) == now)
        #expect((LocalTime.next(hour: local[0], minute: local[1], second: local[2], after: now) ?? 0) > now)
    }
}
