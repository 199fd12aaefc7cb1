/// When a run was made, as `Provenance.date` has it: in UTC, to the second.
package struct RunDate: Sendable, Comparable {
    /// Since the beginning of 1970.
    package let seconds: Int
    /// `2026-11-23`.
    package let dayText: String
    /// `07:58`.
    package let timeText: String

    /// - Parameter text: `2026-11-23T07:58:01Z`; `nil` for anything else.
    package init?(_ text: String) {
        let separators: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "Z")]
        let characters = Array(text)
        guard characters.count == 20, separators.allSatisfy({ characters[$0] == $1 }) else { return nil }
        let parts = text.utf8.split { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) }
            .compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        guard text.utf8.count == 20, parts.count == 6, 1970...9999 ~= parts[0],
            1...12 ~= parts[1], 1...31 ~= parts[2], 0...23 ~= parts[3], 0...59 ~= parts[4], 0...60 ~= parts[5]
        else { return nil }
        let days = Self.days(year: parts[0], month: parts[1], day: parts[2])
        // A day that its month does not have is one of the next month.
        guard days < Self.days(year: parts[0] + parts[1] / 12, month: parts[1] % 12 + 1, day: 1) else { return nil }
        seconds = ((days * 24 + parts[3]) * 60 + parts[4]) * 60 + parts[5]
        (dayText, timeText) = (String(text.prefix(10)), String(text.dropFirst(11).prefix(5)))
    }

    /// Whether a clock can have told it that was set: one that was not begins with 1970.
    package var isOfSetClock: Bool { seconds >= 946_684_800 }

    /// Since the beginning of 1970 (H. Hinnant, "chrono-compatible low-level date algorithms", 2013).
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    package static func < (one: RunDate, other: RunDate) -> Bool { one.seconds < other.seconds }

    /// `2026-11-23 07:58`.
    package var text: String { "\(dayText) \(timeText)" }
}
