import AudioMetering
import AudioReports
import CommandSyntax
import TerminalPages

@testable import LiveCommands

extension Subcommand {
    /// The lowest and the highest note that somebody sings.
    package static let range = Subcommand(RangeListener.syntax) { words in
        try ListenOptions(Arguments(words, RangeListener.syntax), RangeListener.syntax)
    } run: {
        try $0.run(RangeListener())
    }
}

struct RangeListener: Listener {
    static let syntax = Syntax(
        name: "range", summary: "lowest and highest note of a voice",
        groups: ListenOptions.groups(ListenReport<RangeFigures>.kind),
        notes: "Without a FILE it listens to the capture ports.", operands: "[FILE]",
        optionsOfFiles: ["seconds", "json"])

    func figures(_ log: TuneLog, file: String?, seconds: Double) -> RangeFigures {
        let notes = TuneLog.pitches(log.all).map { PitchNote(hertz: $0).name }
        return RangeFigures(file: file, lowest: notes.first, highest: notes.last, seconds: seconds)
    }

    func words(_ meter: PitchMeter) -> [Page.Part] { meter.reading.words(reference: 440) }
    func picture(_ meter: PitchMeter, _: TuneLog, _ page: Page, rows: Int) -> [String] { [] }
}

struct RangeFigures: ListenFigures {
    var file: String?
    var lowest: String?
    var highest: String?
    var seconds: Double

    static let name = "range"
    static let fields: [ReportField<Self>] = [
        .file(\.file),
        .field("lowest", "the lowest note, as A4; null where there is none", \.lowest),
        .field("highest", "the highest note, as A4; null where there is none", \.highest),
    ]

    var summary: String { lowest.map { "from \($0) to \(highest ?? $0)" } ?? "no note" }
}
