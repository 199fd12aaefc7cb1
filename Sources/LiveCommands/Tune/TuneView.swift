import AudioMetering
import AudioReports
import TerminalPages

/// The pitch of a voice, in words.
enum TuneView {
    /// The note and how far the pitch is off, or that there is none.
    static func words(_ reading: PitchReading, reference: Double) -> [Page.Part] {
        guard let hertz = reading.hertz, let note = reading.note(reference: reference) else {
            return [[("no pitch", .yellow)]]
        }
        return [
            [(note.name, .bold), (" \(signed(note.cents)) cents", note.tint)],
            [("\(fixed(hertz, 2)) Hz", .plain)],
            [("confidence \(fixed(100 * reading.confidence, 0)) %", .plain)],
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
