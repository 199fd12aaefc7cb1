import AudioMetering
import AudioReports
import Glibc
import TerminalPages

/// The pitch of a run or a file: in the object of `--json`, and as a summary for people.
struct TuneFigures: ListenFigures {
    struct Reading: Reported {
        var reading: PitchReading
        var reference: Double

        private var note: PitchNote? { reading.note(reference: reference) }

        static let fields: [ReportField<Self>] = [
            .field("seconds", "from the start; a reading each tenth of a second", unit: .seconds) {
                thousandths($0.reading.seconds)
            },
            .field("hertz", "the median of that tenth, or null where the sound does not repeat", unit: .hertz) {
                $0.reading.hertz.map(thousandths)
            },
            .field("note", "nearest to it, or null", \.note?.name),
            .field("cents", "by how much it lies above the note, or null") { $0.note.map { rounded($0.cents, 10) } },
            .field("confidence", "how alike the sound is to itself one period later", unit: .share) {
                thousandths($0.reading.confidence)
            },
        ]
    }

    var file: String?
    var seconds: Double
    var a4Hertz: Double
    var hertz: Double?
    var note: String?
    var cents: Double?
    var lowestHertz: Double?
    var highestHertz: Double?
    var givenShare: Double?
    var readings: [Reading]

    static let name = "tune"
    static let fields: [ReportField<Self>] = [
        .file(\.file),
        .field("a4Hertz", "the A above middle C that notes are counted from", unit: .hertz, \.a4Hertz),
        .field("hertz", "the median of the pitches below; null where there is none", unit: .hertz, \.hertz),
        .field("note", "of equal temperament, nearest to that: as A4, C#5; or null", \.note),
        .field("cents", "by how much it lies above the note, -50 to 50; or null", \.cents),
        .field("lowestHertz", "of the pitches below, or null", unit: .hertz, \.lowestHertz),
        .field("highestHertz", "likewise", unit: .hertz, \.highestHertz),
        .field(
            "givenShare", "of the readings, those with a pitch; null where there are none", unit: .share,
            \.givenShare),
        .group("readings", \.readings),
    ]

    init(_ log: TuneLog, reference: Double, file: String?, seconds: Double) {
        self.file = file
        self.seconds = rounded(seconds, 1e6)
        a4Hertz = reference
        let entries = log.all
        let pitches = TuneLog.pitches(entries)
        let middle = pitches.isEmpty ? nil : pitches[pitches.count / 2]
        let nearest = middle.map { PitchNote(hertz: $0, reference: reference) }
        hertz = middle.map { rounded($0, 1000) }
        note = nearest?.name
        cents = nearest.map { rounded($0.cents, 10) }
        lowestHertz = pitches.first.map { rounded($0, 1000) }
        highestHertz = pitches.last.map { rounded($0, 1000) }
        givenShare =
            entries.isEmpty ? nil : rounded(Double(pitches.count) / Double(entries.count), 1000)
        readings = entries.map { Reading(reading: $0, reference: reference) }
    }

    var summary: String {
        guard let hertz, let note, let cents, let lowest = lowestHertz,
            let highest = highestHertz
        else {
            return readings.isEmpty
                ? "no pitch: \(fixed(seconds, 2)) s are too short: it takes 0.1 s"
                : "no pitch: nothing in the sound repeats 30 to 4000 times a second for long enough"
        }
        let share = givenShare.map { $0 < 1 ? ", sure in \(fixed(100 * $0, 0)) % of the time" : "" } ?? ""
        let range = 1200 * log2(highest / lowest)
        let spread = range < 1 ? "" : ", from \(fixed(lowest, 1)) to \(fixed(highest, 1)) Hz"
        return "\(note) \(signed(cents)) cents (\(fixed(hertz, 2)) Hz)\(spread)\(share)"
    }
}
