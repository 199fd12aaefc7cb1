import AudioFigures
import AudioMetering
import AudioReports
import CommandSyntax
import TerminalPages

struct BeatListener: Listener {
    static let syntax = Syntax(
        name: "beat", summary: "count heartbeats: of a microphone on the chest, or of a recording",
        groups: ListenOptions.groups(ListenReport<BeatFigures>.kind),
        notes: """
            Without a FILE it listens to the capture ports; with one it needs no server. FILE may be -, the standard input.
            It looks at the last 10 s, twice a second: a pair of sounds that repeats 40 to 200 times a minute, loudest at 25 to
            120 Hz. Where it is not sure, it gives no number and says why: noise, speech, music, strokes without a second sound;
            or a rate above 200, whose half fits as well: both are reported. A FILE has 500 Hz or more.
            Variability is the RMSSD of 10 s. It is no medical device.
            Keys on a terminal: r resume after the server came back, q quit.
            """,
        operands: "[FILE]", optionsOfFiles: ListenOptions.ofFiles)

    /// What is shown of the wave.
    private static let waveSeconds = 6.0

    func figures(_ log: BeatLog, file: String?, seconds: Double) -> BeatFigures {
        BeatFigures(log, file: file, seconds: seconds)
    }

    func words(_ meter: HeartbeatMeter) -> [Page.Part] { meter.reading.words }

    func picture(_ meter: HeartbeatMeter, _: BeatLog, _ page: Page, rows: Int) -> [String] {
        page.wave(meter.trace(seconds: Self.waveSeconds), rows: rows)
    }
}

/// What was found in each second of a run.
struct BeatLog: ListenLog {
    struct Entry {
        /// The end of the second.
        var seconds: Double
        var reading: HeartbeatReading
    }

    private(set) var entries: [Entry] = []

    mutating func note(_ analyzer: HeartbeatAnalyzer, atSeconds seconds: Double) {
        note(analyzer.reading, atSeconds: seconds)
    }

    mutating func note(_ meter: HeartbeatMeter) {
        let trace = meter.trace(seconds: 0)
        note(trace.reading, atSeconds: trace.endSeconds)
    }

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

    /// The reason that was given most often where there was no number; of several that were given as often the one that is asked
    /// first, so that a file gets the same one each time.
    var usualAbsence: HeartbeatReading.Absence? {
        let reasons = entries.compactMap(\.reading.absence).filter { $0 != .tooShort }
        return HeartbeatReading.Absence.allCases.filter(reasons.contains)
            .max { one, other in reasons.count { $0 == one } < reasons.count { $0 == other } }
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

    /// The number, or why there is none.
    var words: [Page.Part] {
        guard let rate = beatsPerMinute else {
            return [[("no number: \(candidateWords ?? absence?.words ?? "")", .yellow)]]
        }
        return [
            [("\(fixed(rate, 1)) beats per minute", .bold)],
            [("confidence \(fixed(100 * confidence, 0)) %", .plain)],
        ] + (variabilityMilliseconds.map { [[("variability \(fixed($0, 0)) ms", .plain)]] } ?? [])
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

/// A reading, in the object of `--json`.
extension BeatLog.Entry: Reported {
    private var slower: HeartbeatReading.Candidate? { reading.candidates.first }
    private var faster: HeartbeatReading.Candidate? { reading.candidates.last }
    var variabilityMilliseconds: Double? { reading.variabilityMilliseconds.map { rounded($0, 10) } }

    private static let absences = HeartbeatReading.Absence.allCases.map(\.rawValue)

    static let fields: [ReportField<Self>] = [
        .field("seconds", "from the start; a reading each second, of the 10 s before", unit: .seconds, \.seconds),
        .field("beatsPerMinute", "null where it is not sure") { $0.reading.beatsPerMinute.map { rounded($0, 10) } },
        .field(
            "absence", "why there is no number: \(absences.listed("or")); else null", of: absences,
            \.reading.absence?.rawValue),
        .field("confidence", "how alike the sound is to itself one beat later", unit: .share) {
            thousandths($0.reading.confidence)
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

/// The heartbeats of a run or a file: in the object of `--json`, and as a summary for people.
struct BeatFigures: ListenFigures {
    let file: String?
    let seconds: Double
    private let log: BeatLog
    private let rates: [Double]

    static let name = "beat"
    static let fields: [ReportField<Self>] = [
        .file(\.file),
        .field("beatsPerMinute", "the median of the readings; null where there is none", \.beatsPerMinute),
        .field("lowestBeatsPerMinute", "the lowest of the readings; null where there is none", \.lowestBeatsPerMinute),
        .field(
            "highestBeatsPerMinute", "the highest of the readings; null where there is none", \.highestBeatsPerMinute),
        .field(
            "givenShare", "of the readings from the tenth second on, those with a number", unit: .share, \.givenShare),
        .group("readings", \.log.entries),
    ]

    init(_ log: BeatLog, file: String?, seconds: Double) {
        (self.log, rates, self.file, self.seconds) = (log, log.rates, file, rounded(seconds, 1e6))
    }

    private var beatsPerMinute: Double? { rates.middle.map { rounded($0, 10) } }
    private var lowestBeatsPerMinute: Double? { rates.first.map { rounded($0, 10) } }
    private var highestBeatsPerMinute: Double? { rates.last.map { rounded($0, 10) } }

    /// Of the seconds from the tenth on.
    private var givenShare: Double? {
        let looked = log.entries.count { $0.reading.absence != .tooShort }
        return looked > 0 ? rounded(Double(rates.count) / Double(looked), 1000) : nil
    }

    /// Why there is no rate.
    private var reason: String {
        let usual = log.usualAbsence
        let candidates = log.entries.last { $0.reading.absence == usual }?.reading.candidateWords
        return candidates ?? usual?.words ?? "\(fixed(seconds, 1)) s are too short: it takes 10 s"
    }

    var summary: String {
        guard let rate = beatsPerMinute, let lowest = lowestBeatsPerMinute,
            let highest = highestBeatsPerMinute
        else { return "no heartbeats: \(reason)" }
        let range = lowest == highest ? "" : " (\(fixed(lowest, 1)) to \(fixed(highest, 1)))"
        let variability = log.entries.compactMap(\.variabilityMilliseconds).sorted().middle.map {
            "\n  variability \(fixed($0, 0)) ms (RMSSD of 10 s, median)"
        }
        return "\(fixed(rate, 1)) beats per minute\(range)\(sureness(givenShare))\(variability ?? "")"
    }
}

extension Page {
    /// The envelope of the heart sounds in columns of eighths of a cell, and below it a mark for each beat.
    func wave(_ trace: HeartbeatMeter.Trace, rows: Int) -> [String] {
        let width = max(1, self.columns - 4)
        let height = rows - 1
        let levels = trace.levels
        guard !levels.isEmpty else { return [] }
        let highest = max(levels.max() ?? 0, 1e-5)
        let columns = (0..<width).map { column -> Double in
            let first = column * levels.count / width
            let last = max(first, (column + 1) * levels.count / width - 1)
            return Double(levels[first...last].max() ?? 0) / Double(highest)
        }
        let seconds = Double(levels.count) / 200
        let start = trace.endSeconds - seconds
        var marks = [Character](repeating: " ", count: width)
        for beat in trace.reading.beats where beat >= start && beat < trace.endSeconds {
            marks[min(width - 1, Int((beat - start) / seconds * Double(width)))] = hasUnicode ? "▲" : "^"
        }
        let symbols: [Character] = hasUnicode ? Array(" ▁▂▃▄▅▆▇█") : [" ", ".", ".", ":", ":", "|", "|", "#", "#"]
        let pictures = (0..<height).map { row -> String in
            let cells = columns.map { column -> Character in
                let eighths = Int((column * Double(8 * height)).rounded()) - 8 * (height - 1 - row)
                return symbols[max(0, min(8, eighths))]
            }
            var line = self.line()
            line.add("  " + String(cells), .green)
            return line.text
        }
        var line = self.line()
        line.add("  " + String(marks), .red)
        return pictures + [line.text]
    }
}
