import Glibc
import Jack

/// Times of day of moments on the monotonic clock, as the wall clock shows them now.
enum WallTime {
    /// In UTC as ISO 8601 has it, with microseconds: `2026-03-14T15:09:26.535897Z`.
    static func text(ofMonotonic nanoseconds: UInt64) -> String {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        let age = Int64(bitPattern: MonotonicClock.nanoseconds() &- nanoseconds)
        let moment = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec) - age
        let (seconds, rest) = moment.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard rest >= 0 else { return text(seconds: seconds - 1, microseconds: (rest + 1_000_000_000) / 1000) }
        return text(seconds: seconds, microseconds: rest / 1000)
    }

    static func text(seconds: Int64, microseconds: Int64) -> String {
        var time = time_t(seconds)
        // SAFETY: the structure is ours; of what it holds only the zone's name, which is not read, is an address.
        var parts = unsafe tm()
        unsafe gmtime_r(&time, &parts)
        func digits(_ value: CInt, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let day = unsafe "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))"
        let clock = unsafe "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))"
        return "\(day)T\(clock).\(digits(CInt(microseconds), 6))Z"
    }
}
