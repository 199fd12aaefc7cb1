import Threads

/// A moment as clocks on the wall show it where this machine stands.
package struct LocalMoment {
    /// Since 1970 in UTC.
    let nanoseconds: Int64

    package init(_ nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The next moment at which clocks show a time of day, as 22:00 or 22:00:30.
    init?(nextTimeOfDay text: String, after now: Int64) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { part in
            (1...2).contains(part.count) && part.allSatisfy { ("0"..."9").contains($0) } ? Int(part) : nil
        }
        guard (2...3).contains(parts.count), let hour = parts[0], let minute = parts[1], hour < 24, minute < 60 else {
            return nil
        }
        guard let second = parts.count == 3 ? parts[2] : 0, second < 60,
            // One that is only just over may still be meant.
            let next = LocalTime.next(hour: hour, minute: minute, second: second, after: now - 1_000_000_000)
        else { return nil }
        nanoseconds = next
    }

    /// As 22:00:30.
    package var words: String { LocalTime(nanoseconds).time }
}
