import Glibc

/// A moment as clocks on the wall show it where this machine stands.
package struct LocalTime {
    /// As 2026-11-22.
    package let date: String
    /// As 17:01:18.
    package let time: String
    /// Nanoseconds since midnight.
    package let nanosecondsOfDay: Int64

    /// - Parameter nanoseconds: since 1970 in UTC.
    package init(_ nanoseconds: Int64) {
        let parts = unsafe Self.parts(time_t(nanoseconds / 1_000_000_000))
        func digits(_ value: CInt) -> String { (value < 10 ? "0" : "") + "\(value)" }
        date = unsafe "\(parts.tm_year + 1900)-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
        time = unsafe "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec))"
        let whole = unsafe Int64(parts.tm_hour) * 3600 + Int64(parts.tm_min) * 60 + Int64(parts.tm_sec)
        nanosecondsOfDay = whole * 1_000_000_000 + nanoseconds % 1_000_000_000
    }

    /// The next moment at which clocks show a time of day: where they leave it out, the one at which they are put forward.
    ///
    /// - Parameter now: nanoseconds since 1970 in UTC.
    /// - Returns: the same, later than `now`.
    package static func next(hour: Int, minute: Int, second: Int, after now: Int64) -> Int64? {
        let today = unsafe parts(time_t(now / 1_000_000_000))
        let moments = (0...2).flatMap { day in
            // Daylight saving time first: a time of day that comes twice comes first in that.
            let both = [1, 0].map { (isDaylightSaving: CInt) in
                var wanted = unsafe today
                unsafe wanted.tm_mday += CInt(day)
                unsafe (wanted.tm_hour, wanted.tm_min, wanted.tm_sec) = (CInt(hour), CInt(minute), CInt(second))
                unsafe wanted.tm_isdst = isDaylightSaving
                return unsafe mktime(&wanted)
            }
            let shown = both.filter { moment in
                let parts = unsafe parts(moment)
                return unsafe Int(parts.tm_hour) == hour && Int(parts.tm_min) == minute && Int(parts.tm_sec) == second
            }
            return shown.isEmpty ? [change(between: min(both[0], both[1]), max(both[0], both[1]))] : shown
        }
        return moments.map { Int64($0) * 1_000_000_000 }.filter { $0 > now }.min()
    }

    /// The first second at which clocks are further from UTC, or nearer to it, than at the first of two.
    private static func change(between first: time_t, _ last: time_t) -> time_t {
        let offset = unsafe parts(first).tm_gmtoff
        var (before, behind) = (first, last)
        while behind - before > 1 {
            let middle = before + (behind - before) / 2
            if unsafe parts(middle).tm_gmtoff == offset { before = middle } else { behind = middle }
        }
        return behind
    }

    private static func parts(_ seconds: time_t) -> tm {
        var seconds = seconds
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        return unsafe parts
    }
}
