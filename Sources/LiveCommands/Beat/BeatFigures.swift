import AudioFigures
import AudioMetering
import AudioReports

/// The heart-beats of a run or a file: in the object of `--json`, and as a summary for people.
struct BeatFigures: ListenFigures {
    struct Reading: Encodable {
        /// From the start, in seconds: the end of the 10 s that it is of.
        var seconds: Double
        var beatsPerMinute: Nullable<Double>
        /// Why there is no number.
        var absence: Nullable<String>
        /// 0…1
        var confidence: Double
        /// Where two rates fit, and their strengths, 0…1.
        var slowerBeatsPerMinute: Nullable<Double>
        var slowerStrength: Nullable<Double>
        var fasterBeatsPerMinute: Nullable<Double>
        var fasterStrength: Nullable<Double>
        /// The RMSSD.
        var variabilityMilliseconds: Nullable<Double>

        init(_ entry: BeatLog.Entry) {
            seconds = entry.seconds
            beatsPerMinute = Nullable(entry.reading.beatsPerMinute.map { rounded($0, 10) })
            absence = Nullable(entry.reading.absence?.rawValue)
            confidence = rounded(entry.reading.confidence, 1000)
            let (slower, faster) = (entry.reading.candidates.first, entry.reading.candidates.last)
            slowerBeatsPerMinute = Nullable(slower.map { rounded($0.beatsPerMinute, 10) })
            slowerStrength = Nullable(slower.map { rounded($0.strength, 1000) })
            fasterBeatsPerMinute = Nullable(faster.map { rounded($0.beatsPerMinute, 10) })
            fasterStrength = Nullable(faster.map { rounded($0.strength, 1000) })
            variabilityMilliseconds = Nullable(entry.reading.variabilityMilliseconds.map { rounded($0, 10) })
        }
    }

    var schema = "iounit.beat/2"
    /// `null` for the ports of a server.
    var file: Nullable<String>
    var seconds: Double
    /// The median of the rates that were given.
    var beatsPerMinute: Nullable<Double>
    var lowestBeatsPerMinute: Nullable<Double>
    var highestBeatsPerMinute: Nullable<Double>
    /// Of the seconds from the tenth on, those that have a number.
    var givenShare: Nullable<Double>
    var readings: [Reading]
    private let absence: HeartbeatReading.Absence?
    private let candidates: String?

    private enum CodingKeys: CodingKey {
        case schema, file, seconds, beatsPerMinute, lowestBeatsPerMinute, highestBeatsPerMinute, givenShare, readings
    }

    init(_ log: BeatLog, file: String?, seconds: Double) {
        self.file = Nullable(file)
        self.seconds = rounded(seconds, 1e6)
        let rates = log.rates
        beatsPerMinute = Nullable(rates.isEmpty ? nil : rounded(rates[rates.count / 2], 10))
        lowestBeatsPerMinute = Nullable(rates.first.map { rounded($0, 10) })
        highestBeatsPerMinute = Nullable(rates.last.map { rounded($0, 10) })
        let looked = log.entries.count { $0.reading.absence != .tooShort }
        givenShare = Nullable(looked > 0 ? rounded(Double(rates.count) / Double(looked), 1000) : nil)
        readings = log.entries.map(Reading.init)
        let usual = log.usualAbsence
        absence = usual
        candidates = log.entries.last { $0.reading.absence == usual }?.reading.candidateWords
    }

    var summary: String {
        guard let rate = beatsPerMinute.value, let lowest = lowestBeatsPerMinute.value,
            let highest = highestBeatsPerMinute.value
        else {
            let reason = candidates ?? absence?.words ?? "\(fixed(seconds, 1)) s are too short: it takes 10 s"
            return "no heart-beats: \(reason)"
        }
        let range = lowest == highest ? "" : " (\(fixed(lowest, 1)) to \(fixed(highest, 1)))"
        let share = givenShare.value.map { $0 < 1 ? ", sure in \(fixed(100 * $0, 0)) % of the time" : "" } ?? ""
        let variabilities = readings.compactMap(\.variabilityMilliseconds.value).sorted()
        let variability =
            variabilities.isEmpty
            ? "" : "\n  variability \(fixed(variabilities[variabilities.count / 2], 0)) ms (RMSSD of 10 s, median)"
        return "\(fixed(rate, 1)) beats per minute\(range)\(share)\(variability)"
    }
}
