import Foundation

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
        var wanted = DateComponents(hour: hour, minute: minute, second: 0)
        if parts.count == 3 {
            guard let second = parts[2], second < 60 else { return nil }
            wanted.second = second
        }
        // One that is only just over may still be meant.
        let date = Date(timeIntervalSince1970: Double(now) / 1e9 - 1)
        guard let next = Calendar.current.nextDate(after: date, matching: wanted, matchingPolicy: .nextTime) else {
            return nil
        }
        nanoseconds = Int64((next.timeIntervalSince1970 * 1e9).rounded())
    }

    /// As 22:00:30.
    package var words: String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "HH:mm:ss"
        return formatter.string(from: Date(timeIntervalSince1970: Double(nanoseconds) / 1e9))
    }
}
