import AudioReports
import Foundation

// Level meters as lines of a page.
extension Page {
    private static let floor = -60.0

    /// Cells of a meter between number and level, at this width.
    private var barWidth: Int { max(5, columns - 24) }

    func meterLines(_ meters: [LevelMeter], room: Int) -> [String] {
        let shown = meters.count <= room ? meters.count : max(0, room - 1)
        var lines = meters.prefix(shown).enumerated().map { meter($1, number: $0 + 1) }
        if shown < meters.count {
            let rest = meters[shown...]
            let highest = rest.map(\.held).max() ?? -.infinity
            var line = line()
            line.add("  … and \(rest.count) more, at most \(decibels(highest)) dB", .dim)
            if rest.contains(where: \.isClipping) { line.add(" CLIP ", .lamp) }
            lines.append(hasUnicode ? line.text : line.text.replacingOccurrences(of: "…", with: "..."))
        }
        return lines
    }

    private func meter(_ meter: LevelMeter, number: Int) -> String {
        var line = line()
        let width = barWidth
        line.add(alignedRight("\(number)", 4) + " ")
        let filled = cells(meter.level, width)
        let mark = meter.held > Self.floor ? min(width - 1, cells(meter.held, width)) : -1
        func look(_ cell: Int) -> (symbol: String, tint: Tint) {
            if cell == mark { return (hasUnicode ? "┃" : "|", tint(cell, width)) }
            return cell < filled ? (hasUnicode ? "━" : "=", tint(cell, width)) : (hasUnicode ? "─" : ".", .dim)
        }
        var cell = 0
        while cell < width {
            let (symbol, tint) = look(cell)
            let end = (cell + 1..<width).first { look($0) != (symbol, tint) } ?? width
            line.add(String(repeating: symbol, count: end - cell), tint)
            cell = end
        }
        line.add(alignedRight(decibels(meter.held), 8) + " dB ")
        line.add(meter.isClipping ? " CLIP " : "      ", meter.isClipping ? .lamp : .plain)
        return line.text
    }

    func scale() -> String {
        var marks = [Character](repeating: " ", count: barWidth + 5)
        for level in [-60, -48, -36, -24, -18, -12, -6, 0] {
            let label = Array("\(level)")
            let start = min(cells(Double(level), barWidth), barWidth - label.count)
            guard start >= 0, marks[max(0, start - 1)..<(start + label.count)].allSatisfy({ $0 == " " }) else {
                continue
            }
            marks.replaceSubrange(start..<(start + label.count), with: label)
        }
        var line = line()
        line.add("     " + String(marks), .dim)
        return line.text
    }

    private func cells(_ level: Double, _ width: Int) -> Int {
        guard level > Self.floor else { return 0 }
        return min(width, Int(((level - Self.floor) / -Self.floor * Double(width)).rounded()))
    }

    private func tint(_ cell: Int, _ width: Int) -> Tint {
        let level = Self.floor - Self.floor * Double(cell) / Double(width)
        return level >= -3 ? .red : level >= -12 ? .yellow : .green
    }
}
