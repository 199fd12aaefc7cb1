import AudioFigures
import AudioMetering
import AudioReports

/// The heart-beats of a run or a file: in the object of `--json`, and as a summary for people.
struct BeatFigures: ListenFigures {
    struct Reading: Reported {
        var entry: BeatLog.Entry

        private var slower: HeartbeatReading.Candidate? { entry.reading.candidates.first }
        private var faster: HeartbeatReading.Candidate? { entry.reading.candidates.last }
        var variabilityMilliseconds: Double? { entry.reading.variabilityMilliseconds.map { rounded($0, 10) } }

        private static let absences = HeartbeatReading.Absence.allCases.map(\.rawValue)

        static let fields: [ReportField<Self>] = [
            .field(
                "seconds", "from the start; a reading each second, of the 10 s before", unit: .seconds, \.entry.seconds),
            .field("beatsPerMinute", "null where it is not sure") {
                $0.entry.reading.beatsPerMinute.map { rounded($0, 10) }
            },
            .field(
                "absence",
                "why there is no number: \(absences.listed("or")); else null",
                of: absences, \.entry.reading.absence?.rawValue),
            .field("confidence", "how alike the sound is to itself one beat later", unit: .share) {
                thousandths($0.entry.reading.confidence)
            },
            .field("slowerBeatsPerMinute", "where it is ambiguous, a rate that fits; else null") {
                $0.slower.map { rounded($0.beatsPerMinute, 10) }
            },
            .field("slowerStrength", "how alike the sound is to itself one such beat later", unit: .share) {
                $0.slower.map { thousandths($0.strength) }
            },
            .field("fasterBeatsPerMinute", "where it is ambiguous, the rate above 200 that fits; else null") {
                $0.faster.map { rounded($0.beatsPerMinute, 10) }
            },
            .field("fasterStrength", "how alike the sound is to itself one such beat later", unit: .share) {
                $0.faster.map { thousandths($0.strength) }
            },
            .field(
                "variabilityMilliseconds", "the RMSSD of these 10 s, or null", unit: .milliseconds,
                \.variabilityMilliseconds),
        ]
    }

    var file: String?
    var seconds: Double
    var beatsPerMinute: Double?
    var lowestBeatsPerMinute: Double?
    var highestBeatsPerMinute: Double?
    /// Of the seconds from the tenth on.
    var givenShare: Double?
    var readings: [Reading]
    private let absence: HeartbeatReading.Absence?
    private let candidates: String?

    static let name = "beat"
    static let fields: [ReportField<Self>] = [
        .file(\.file),
        .field("beatsPerMinute", "the median of those below; null where there is none", \.beatsPerMinute),
        .field("lowestBeatsPerMinute", "likewise", \.lowestBeatsPerMinute),
        .field("highestBeatsPerMinute", "likewise", \.highestBeatsPerMinute),
        .field(
            "givenShare", "of the readings from the tenth second on, those with a number", unit: .share, \.givenShare),
        .group("readings", \.readings),
    ]

    init(_ log: BeatLog, file: String?, seconds: Double) {
        self.file = file
        self.seconds = rounded(seconds, 1e6)
        let rates = log.rates
        beatsPerMinute = rates.isEmpty ? nil : rounded(rates[rates.count / 2], 10)
        lowestBeatsPerMinute = rates.first.map { rounded($0, 10) }
        highestBeatsPerMinute = rates.last.map { rounded($0, 10) }
        let looked = log.entries.count { $0.reading.absence != .tooShort }
        givenShare = looked > 0 ? rounded(Double(rates.count) / Double(looked), 1000) : nil
        readings = log.entries.map(Reading.init(entry:))
        let usual = log.usualAbsence
        absence = usual
        candidates = log.entries.last { $0.reading.absence == usual }?.reading.candidateWords
    }

    var summary: String {
        guard let rate = beatsPerMinute, let lowest = lowestBeatsPerMinute,
            let highest = highestBeatsPerMinute
        else {
            let reason = candidates ?? absence?.words ?? "\(fixed(seconds, 1)) s are too short: it takes 10 s"
            return "no heart-beats: \(reason)"
        }
        let range = lowest == highest ? "" : " (\(fixed(lowest, 1)) to \(fixed(highest, 1)))"
        let share = givenShare.map { $0 < 1 ? ", sure in \(fixed(100 * $0, 0)) % of the time" : "" } ?? ""
        let variabilities = readings.compactMap(\.variabilityMilliseconds).sorted()
        let variability =
            variabilities.isEmpty
            ? "" : "\n  variability \(fixed(variabilities[variabilities.count / 2], 0)) ms (RMSSD of 10 s, median)"
        return "\(fixed(rate, 1)) beats per minute\(range)\(share)\(variability)"
    }
}
