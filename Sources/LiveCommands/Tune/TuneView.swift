import AudioMetering
import AudioReports
import TerminalPages

/// Draws the pitch of a voice: nothing in here knows of a terminal.
struct TuneView {
    private let page: Page
    private let reference: Double

    /// - Parameter reference: of the A above middle C, in hertz.
    init(_ page: Page, reference: Double) {
        self.page = page
        self.reference = reference
    }

    /// The note and how far the pitch is off, or that there is none.
    static func words(_ reading: PitchReading, reference: Double) -> [Page.Part] {
        guard let hertz = reading.hertz, let note = reading.note(reference: reference) else {
            return [[("no pitch", .yellow)]]
        }
        return [
            [(note.name, .bold), (" \(signed(note.cents)) cents", tint(note.cents))],
            [("\(fixed(hertz, 2)) Hz", .plain)],
            [("confidence \(fixed(100 * reading.confidence, 0)) %", .plain)],
        ]
    }

    /// A needle from 50 cents flat to 50 cents sharp; where there is room, above it what the distance was lately, the newest at
    /// the right: sharp above, flat below.
    func picture(_ reading: PitchReading, _ entries: [PitchReading], rows: Int) -> [String] {
        var lines: [String] = []
        let trace = rows - 2
        if trace >= 3 { lines += self.trace(entries, rows: trace % 2 == 1 ? trace : trace - 1) + [""] }
        return lines + [needle(reading)]
    }

    /// Green where nobody hears it, red where everybody does.
    private static func tint(_ cents: Double) -> Page.Tint {
        abs(cents) <= 5 ? .green : abs(cents) <= 20 ? .yellow : .red
    }

    private var width: Int { max(11, page.columns - 13) }

    private func needle(_ reading: PitchReading) -> String {
        let width = self.width
        var line = page.line()
        line.add("  -50 ", .dim)
        let middle = width / 2
        let note = reading.note(reference: reference)
        let place = note.map { min(width - 1, max(0, Int(((0.5 + $0.cents / 100) * Double(width - 1)).rounded()))) }
        for cell in 0..<width {
            if cell == place, let note {
                line.add(page.hasUnicode ? "●" : "O", Self.tint(note.cents))
            } else if cell == middle {
                line.add(page.hasUnicode ? "┼" : "+", .bold)
            } else {
                line.add(page.hasUnicode ? "─" : "-", .dim)
            }
        }
        line.add(" +50", .dim)
        return line.text
    }

    /// - Parameter rows: odd; the middle one is in tune.
    private func trace(_ entries: [PitchReading], rows: Int) -> [String] {
        let width = self.width
        let notes = entries.suffix(width).map { $0.note(reference: reference) }
        let missing = width - notes.count
        return (0..<rows).map { row in
            var line = page.line()
            let label = row == 0 ? "+50" : row == rows - 1 ? "-50" : row == rows / 2 ? "  0" : ""
            line.add("  " + padded(label, 3) + " ", .dim)
            for column in 0..<width {
                let note = column < missing ? nil : notes[column - missing]
                let place = note.map { Int(((0.5 - $0.cents / 100) * Double(rows - 1)).rounded()) }
                if place == row, let note {
                    line.add(page.hasUnicode ? "•" : "*", Self.tint(note.cents))
                } else {
                    line.add(row == rows / 2 ? (page.hasUnicode ? "┄" : "-") : " ", .dim)
                }
            }
            return line.text
        }
    }
}
