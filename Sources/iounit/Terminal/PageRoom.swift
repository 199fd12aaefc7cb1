import AudioReports

/// The lines of a page that are still free.
struct PageRoom {
    private(set) var lines: Int

    init(_ lines: Int) { self.lines = lines }

    /// Lines that are needed in any case, in whole or in part.
    mutating func reserve(_ count: Int) { lines -= count }

    /// Lines that are shown in whole or not at all.
    mutating func take(_ wanted: [String]) -> [String] {
        guard !wanted.isEmpty, wanted.count <= lines else { return [] }
        lines -= wanted.count
        return wanted
    }

    /// Of so many meters as many as half of the room has; the rest of it comes to them at the end.
    mutating func reserveMeters(_ count: Int) -> Int {
        let least = max(0, min(count, (lines + 1) / 2))
        lines -= least
        return least
    }
}

extension Page {
    /// The program, and facts about the server.
    func title(_ facts: [String]) -> [String] {
        flow([[(" iounit ", .active)]] + facts.map { [(plain($0), .plain)] })
    }

    /// Something that went wrong, or is waited for.
    func trouble(_ words: String?) -> [String] { words.map { flow([[(plain($0), .red)]]) } ?? [] }

    /// That it runs, and for how long, beside where it ends by itself.
    func live(_ elapsedSeconds: Double, of maximumSeconds: Double?, _ tint: Tint) -> [Part] {
        let length = maximumSeconds.map { " / \(clock($0))" } ?? ""
        return [[(hasUnicode ? "● LIVE" : "* LIVE", tint)], [(clock(elapsedSeconds), .bold), (length, .plain)]]
    }

    /// What the server lost.
    func losses(_ xruns: UInt64, _ lostMilliseconds: Double) -> [Part] {
        [
            [("xruns \(xruns)", xruns > 0 ? .red : .plain)],
            [("lost \(fixed(lostMilliseconds, 1)) ms", lostMilliseconds > 0 ? .red : .plain)],
        ]
    }

    /// - Parameter least: what was reserved of the room.
    func lines(_ meters: [LevelMeter], least: Int, _ room: PageRoom) -> [String] {
        least > 0 ? meterLines(meters, room: least + max(0, room.lines)) : []
    }
}
