import AudioFigures
import AudioMetering
import AudioReports
import CommandSyntax
import Glibc
import TerminalPages

/// The pitch of a run or a file: in the object of `--json`, and as a summary for people.
struct TuneFigures: ListenFigures {
    struct Reading: Encodable {
        /// From the start, in seconds: the end of the tenth that it is of.
        var seconds: Double
        var hertz: Nullable<Double>
        /// Of equal temperament, the nearest: A4, C#5.
        var note: Nullable<String>
        /// By how much the pitch lies above the note, −50…50.
        var cents: Nullable<Double>
        /// 0…1
        var confidence: Double

        init(_ reading: PitchReading, reference: Double) {
            let note = reading.note(reference: reference)
            seconds = rounded(reading.seconds, 1000)
            hertz = Nullable(reading.hertz.map { rounded($0, 1000) })
            self.note = Nullable(note?.name)
            cents = Nullable(note.map { rounded($0.cents, 10) })
            confidence = rounded(reading.confidence, 1000)
        }
    }

    var schema = "iounit.tune/2"
    /// `null` for the ports of a server.
    var file: Nullable<String>
    var seconds: Double
    /// The A above middle C.
    var a4Hertz: Double
    /// The median of the pitches that were given.
    var hertz: Nullable<Double>
    /// Nearest to it.
    var note: Nullable<String>
    var cents: Nullable<Double>
    var lowestHertz: Nullable<Double>
    var highestHertz: Nullable<Double>
    /// Of the readings, those that have a pitch.
    var givenShare: Nullable<Double>
    var readings: [Reading]

    init(_ log: TuneLog, reference: Double, file: String?, seconds: Double) {
        self.file = Nullable(file)
        self.seconds = rounded(seconds, 1e6)
        a4Hertz = reference
        let entries = log.all
        let pitches = TuneLog.pitches(entries)
        let middle = pitches.isEmpty ? nil : pitches[pitches.count / 2]
        let nearest = middle.map { PitchNote(hertz: $0, reference: reference) }
        hertz = Nullable(middle.map { rounded($0, 1000) })
        note = Nullable(nearest?.name)
        cents = Nullable(nearest.map { rounded($0.cents, 10) })
        lowestHertz = Nullable(pitches.first.map { rounded($0, 1000) })
        highestHertz = Nullable(pitches.last.map { rounded($0, 1000) })
        givenShare = Nullable(
            entries.isEmpty ? nil : rounded(Double(pitches.count) / Double(entries.count), 1000))
        readings = entries.map { Reading($0, reference: reference) }
    }

    var summary: String {
        guard let hertz = hertz.value, let note = note.value, let cents = cents.value, let lowest = lowestHertz.value,
            let highest = highestHertz.value
        else {
            return readings.isEmpty
                ? "no pitch: \(fixed(seconds, 2)) s are too short: it takes 0.1 s"
                : "no pitch: nothing in the sound repeats 30 to 4000 times a second for long enough"
        }
        let share = givenShare.value.map { $0 < 1 ? ", sure in \(fixed(100 * $0, 0)) % of the time" : "" } ?? ""
        let range = 1200 * log2(highest / lowest)
        let spread = range < 1 ? "" : ", from \(fixed(lowest, 1)) to \(fixed(highest, 1)) Hz"
        return "\(note) \(signed(cents)) cents (\(fixed(hertz, 2)) Hz)\(spread)\(share)"
    }
}
