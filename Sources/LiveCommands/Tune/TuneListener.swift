import AudioMetering
import AudioReports
import CommandSyntax
import Glibc
import TerminalPages

struct TuneOptions {
    static let syntax = Syntax(
        name: "tune", summary: "pitch of one voice or instrument in cents: of the capture ports, or of a recording",
        groups: ListenOptions.groups(ListenReport<TuneFigures>.kind, ("Pitch", [a4.option])),
        notes: """
            Without a FILE it listens to the capture ports; with one it needs no server. FILE may be -, the standard input.
            It looks at the last 100 ms, fifty times a second, by the McLeod pitch method: 30 to 4000 Hz, and at most a fifth of the
            sample rate. Where the sound does not repeat, as noise, it gives no pitch. It is made for one voice at a time: several
            have the pitch of what all of them repeat at, or none.
            Keys on a terminal: r resume after the server came back, q quit.
            """,
        operands: "[FILE]", optionsOfFiles: ListenOptions.ofFiles.union([a4.option.name]))

    private static let a4 = TypedOption<Double>.number(
        "a4", .pitch, 380...500, initial: 440, "the A above middle C in hertz")

    let listen: ListenOptions
    /// The A above middle C, in hertz.
    let reference: Double

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
        reference = try arguments.value(of: Self.a4)
        listen = try ListenOptions(arguments, Self.syntax)
    }
}

struct TuneListener: Listener {
    /// The A above middle C, in hertz.
    let reference: Double

    func figures(_ log: TuneLog, file: String?, seconds: Double) -> TuneFigures {
        TuneFigures(log, reference: reference, file: file, seconds: seconds)
    }

    func words(_ meter: PitchMeter) -> [Page.Part] { meter.reading.words(reference: reference) }

    func picture(_ meter: PitchMeter, _ log: TuneLog, _ page: Page, rows: Int) -> [String] {
        page.picture(meter.reading, log.entries, reference: reference, rows: rows)
    }
}

/// The pitch in each tenth of a second of a run.
struct TuneLog: ListenLog {
    /// One for each tenth of a second: the middle one of its pitches, where most of its readings have one.
    private(set) var entries: [PitchReading] = []
    /// Of the present tenth.
    private var present: [PitchReading] = []

    /// A second.
    static let perSecond = 10.0

    mutating func note(_ analyzer: PitchAnalyzer, atSeconds seconds: Double) { note(analyzer.take()) }

    mutating func note(_ meter: PitchMeter) { note(meter.takeReadings()) }

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
        if 2 * pitched.count > present.count { entry = pitched.middle ?? last }
        entry.seconds = last.seconds
        entries.append(entry)
        present = []
    }
}

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

    let file: String?
    let seconds: Double
    private let a4Hertz: Double
    private let pitches: [Double]
    let readings: [Reading]

    static let name = "tune"
    static let fields: [ReportField<Self>] = [
        .file(\.file),
        .field("a4Hertz", "the A above middle C that notes are counted from", unit: .hertz, \.a4Hertz),
        .field("hertz", "the median of the readings' pitches; null where there is none", unit: .hertz, \.hertz),
        .field("note", "of equal temperament, nearest to that: as A4, C#5; or null", \.note?.name),
        .field("cents", "by how much it lies above the note, -50 to 50; or null", \.cents),
        .field("lowestHertz", "the lowest of the readings' pitches, or null", unit: .hertz, \.lowestHertz),
        .field("highestHertz", "the highest of the readings' pitches, or null", unit: .hertz, \.highestHertz),
        .field(
            "givenShare", "of the readings, those with a pitch; null where there are none", unit: .share,
            \.givenShare),
        .group("readings", \.readings),
    ]

    init(_ log: TuneLog, reference: Double, file: String?, seconds: Double) {
        (self.file, self.seconds, a4Hertz) = (file, rounded(seconds, 1e6), reference)
        let entries = log.all
        pitches = TuneLog.pitches(entries)
        readings = entries.map { Reading(reading: $0, reference: reference) }
    }

    var hertz: Double? { pitches.middle.map { rounded($0, 1000) } }
    var lowestHertz: Double? { pitches.first.map { rounded($0, 1000) } }
    private var highestHertz: Double? { pitches.last.map { rounded($0, 1000) } }
    private var note: PitchNote? { pitches.middle.map { PitchNote(hertz: $0, reference: a4Hertz) } }
    private var cents: Double? { note.map { rounded($0.cents, 10) } }

    private var givenShare: Double? {
        readings.isEmpty ? nil : rounded(Double(pitches.count) / Double(readings.count), 1000)
    }

    var summary: String {
        guard let hertz, let note, let cents, let lowest = lowestHertz,
            let highest = highestHertz
        else {
            return readings.isEmpty
                ? "no pitch: \(fixed(seconds, 2)) s are too short: it takes a little more than 0.1 s"
                : "no pitch: nothing in the sound repeats 30 to 4000 times a second for long enough"
        }
        let range = 1200 * log2(highest / lowest)
        let spread = range < 1 ? "" : ", from \(fixed(lowest, 1)) to \(fixed(highest, 1)) Hz"
        return "\(note.name) \(signed(cents)) cents (\(fixed(hertz, 2)) Hz)\(spread)\(sureness(givenShare))"
    }
}

extension PitchReading {
    /// The note and how far the pitch is off, or that there is none.
    func words(reference: Double) -> [Page.Part] {
        guard let hertz, let note = note(reference: reference) else { return [[("no pitch", .yellow)]] }
        return [
            [(note.name, .bold), (" \(signed(note.cents)) cents", note.tint)],
            [("\(fixed(hertz, 2)) Hz", .plain)],
            [("confidence \(fixed(100 * confidence, 0)) %", .plain)],
        ]
    }
}

extension PitchNote {
    /// Green where nobody hears how far off it is, red where everybody does.
    fileprivate var tint: Page.Tint { abs(cents) <= 5 ? .green : abs(cents) <= 20 ? .yellow : .red }
}

extension Page {
    /// A needle from 50 cents flat to 50 cents sharp; where there is room, above it what the distance was lately, the newest at
    /// the right: sharp above, flat below.
    ///
    /// - Parameter reference: of the A above middle C, in hertz.
    func picture(_ reading: PitchReading, _ entries: [PitchReading], reference: Double, rows: Int) -> [String] {
        let width = max(11, columns - 13)
        var lines: [String] = []
        let trace = rows - 2
        if trace >= 3 {
            let notes = entries.suffix(width).map { $0.note(reference: reference) }
            lines += self.trace(notes, width: width, rows: trace % 2 == 1 ? trace : trace - 1) + [""]
        }
        return lines + [needle(reading.note(reference: reference), width: width)]
    }

    private func needle(_ note: PitchNote?, width: Int) -> String {
        var line = line()
        line.add("  -50 ", .dim)
        let middle = width / 2
        let place = note.map { min(width - 1, max(0, Int(((0.5 + $0.cents / 100) * Double(width - 1)).rounded()))) }
        for cell in 0..<width {
            if cell == place, let note {
                line.add(hasUnicode ? "●" : "O", note.tint)
            } else if cell == middle {
                line.add(hasUnicode ? "┼" : "+", .bold)
            } else {
                line.add(hasUnicode ? "─" : "-", .dim)
            }
        }
        line.add(" +50", .dim)
        return line.text
    }

    /// - Parameters:
    ///   - notes: the last ones, `width` at the most.
    ///   - rows: odd; the middle one is in tune.
    private func trace(_ notes: [PitchNote?], width: Int, rows: Int) -> [String] {
        let missing = width - notes.count
        return (0..<rows).map { row in
            var line = line()
            let label = row == 0 ? "+50" : row == rows - 1 ? "-50" : row == rows / 2 ? "  0" : ""
            line.add("  " + padded(label, 3) + " ", .dim)
            for column in 0..<width {
                let note = column < missing ? nil : notes[column - missing]
                let place = note.map { Int(((0.5 - $0.cents / 100) * Double(rows - 1)).rounded()) }
                if place == row, let note {
                    line.add(hasUnicode ? "•" : "*", note.tint)
                } else {
                    line.add(row == rows / 2 ? (hasUnicode ? "┄" : "-") : " ", .dim)
                }
            }
            return line.text
        }
    }
}
