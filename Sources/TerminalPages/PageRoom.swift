import AudioReports

/// The lines of a page that are still free.
package struct PageRoom {
    package private(set) var lines: Int

    package init(_ lines: Int) { self.lines = lines }

    /// Lines that are needed in any case, in whole or in part.
    package mutating func reserve(_ count: Int) { lines -= count }

    /// Lines that are shown in whole or not at all.
    package mutating func take(_ wanted: [String]) -> [String] {
        guard !wanted.isEmpty, wanted.count <= lines else { return [] }
        lines -= wanted.count
        return wanted
    }

    /// One line, where there is one; returns whether there was.
    package mutating func takeLine() -> Bool {
        guard lines > 0 else { return false }
        lines -= 1
        return true
    }

    /// Of so many meters as many as half of the room has; the rest of it comes to them at the end.
    package mutating func reserveMeters(_ count: Int) -> Int {
        let least = max(0, min(count, (lines + 1) / 2))
        lines -= least
        return least
    }
}

extension Page {
    /// The program, and facts about the server.
    package func title(_ facts: [String]) -> [String] {
        flow([[(" iounit ", .active)]] + facts.map { [(plain($0), .plain)] })
    }

    /// Something that went wrong, or is waited for: at most a quarter of the page, and stderr has all of it at the end.
    package func trouble(_ words: String?) -> [String] {
        guard let words else { return [] }
        return Array(flow([[(plain(words), .red)]]).prefix(max(1, rows / 4)))
    }

    /// That it runs, and for how long, beside where it ends by itself.
    package func live(_ elapsedSeconds: Double, of maximumSeconds: Double?, _ tint: Tint) -> [Part] {
        let length = maximumSeconds.map { " / \(clock($0))" } ?? ""
        return [[(hasUnicode ? "● LIVE" : "* LIVE", tint)], [(clock(elapsedSeconds), .bold), (length, .plain)]]
    }

    /// What the server lost.
    ///
    /// - Parameter age: since it last did; after a minute it is no alarm any more.
    package func losses(_ xruns: UInt64, _ lostMilliseconds: Double, secondsAgo age: Double? = nil) -> [Part] {
        let tint = (age ?? 0) < Self.alarmSeconds ? Tint.red : .plain
        let parts: [Part] = [
            [("xruns \(xruns)", xruns > 0 ? tint : .plain)],
            [("lost \(fixed(lostMilliseconds, 1)) ms", lostMilliseconds > 0 ? tint : .plain)],
        ]
        guard let age else { return parts }
        return parts.dropLast() + [(parts.last ?? []) + [(" (\(Self.ago(age)))", .plain)]]
    }

    private static let alarmSeconds = 60.0

    /// How long ago something was, in one unit.
    static func ago(_ seconds: Double) -> String {
        let whole = Int(seconds)
        return whole < 120 ? "\(whole) s ago" : whole < 7200 ? "\(whole / 60) min ago" : "\(whole / 3600) h ago"
    }

    /// - Parameters:
    ///   - least: what was reserved of the room.
    ///   - hasScale: whether there is a line for the scale besides.
    ///   - part: which part of the meters is seen where they do not find room.
    package func lines(_ meters: [LevelMeter], least: Int, hasScale: Bool, part: Int = 0, _ room: PageRoom) -> [String]
    {
        guard least > 0 else { return [] }
        let field = MeterField(self, meters, room: least + max(0, room.lines), part: part)
        return field.lines + (hasScale ? [field.scale] : [])
    }
}
