import AudioMetering
import AudioReports
import TerminalPages

extension HeartbeatReading {
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
