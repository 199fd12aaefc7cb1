import AudioMetering

/// The pitch in each tenth of a second of a run.
struct TuneLog {
    /// One for each tenth of a second: the middle one of its pitches, where most of its readings have one.
    private(set) var entries: [PitchReading] = []
    /// Of the present tenth.
    private var present: [PitchReading] = []

    /// A second.
    static let perSecond = 10.0

    mutating func note(_ readings: [PitchReading]) {
        for reading in readings {
            if let first = present.first, Self.tenth(of: reading) != Self.tenth(of: first) { end() }
            present.append(reading)
        }
    }

    /// All of them: the last tenth, which may not be over, is one too.
    var all: [PitchReading] {
        var log = self
        log.end()
        return log.entries
    }

    /// The last minute, and the present tenth.
    var recent: TuneLog {
        var log = self
        log.entries = Array(entries.suffix(600))
        return log
    }

    /// The pitches that were given, rising, in hertz.
    static func pitches(_ entries: [PitchReading]) -> [Double] { entries.compactMap(\.hertz).sorted() }

    // A moment that lies on the edge but for a rounding error belongs to what is before it.
    private static func tenth(of reading: PitchReading) -> Int {
        Int((reading.seconds * perSecond - 1e-6).rounded(.up))
    }

    private mutating func end() {
        guard let last = present.last else { return }
        let pitched = present.filter { $0.hertz != nil }.sorted { ($0.hertz ?? 0) < ($1.hertz ?? 0) }
        var entry = last
        entry.hertz = nil
        if 2 * pitched.count > present.count { entry = pitched[pitched.count / 2] }
        entry.seconds = last.seconds
        entries.append(entry)
        present = []
    }
}
