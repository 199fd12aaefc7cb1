import AudioMetering
import AudioReports

/// What was found in each second of a run.
struct BeatLog {
    struct Entry {
        /// The end of the second.
        var seconds: Double
        var reading: HeartbeatReading
    }

    /// One for each second.
    private(set) var entries: [Entry] = []

    /// Takes the reading, unless there is one of that second. A run's last, shorter second has none.
    mutating func note(_ reading: HeartbeatReading, atSeconds seconds: Double) {
        guard Int(seconds) > entries.count else { return }
        entries.append(Entry(seconds: seconds, reading: reading))
    }

    /// The last ten minutes.
    var recent: BeatLog {
        var log = self
        log.entries = Array(entries.suffix(600))
        return log
    }

    /// The rates that were given, rising.
    var rates: [Double] { entries.compactMap(\.reading.beatsPerMinute).sorted() }

    /// The reason that was given most often where there was no number.
    var usualAbsence: HeartbeatReading.Absence? {
        let reasons = Dictionary(grouping: entries.compactMap(\.reading.absence).filter { $0 != .tooShort }) { $0 }
        return reasons.max { $0.value.count < $1.value.count }?.key
    }
}

extension HeartbeatReading {
    /// Both rates that fit, in words; `nil` where there are none.
    var candidateWords: String? {
        guard absence == .ambiguous, candidates.count == 2 else { return nil }
        let rates = candidates.map { fixed($0.beatsPerMinute, 0) }
        let strengths = candidates.map { fixed(100 * $0.strength, 0) }
        return "\(rates[0]) or \(rates[1]) a minute, both fit (\(strengths[0]) and \(strengths[1]) %)"
    }
}

extension HeartbeatReading.Absence {
    /// In words, with what to do.
    var words: String {
        switch self {
        case .tooShort: "listening; it takes 10 s"
        case .silence: "silence; is the microphone connected?"
        case .otherSounds: "there are other sounds, as of speech or music; let there be quiet"
        case .noPulse: "nothing beats; hold the microphone to the left of the breastbone, and keep still"
        case .ambiguous: "two rates fit, one of them above 200 a minute"
        case .noSecondSound: "something beats, but not in pairs as a heart does; move the microphone"
        }
    }
}
