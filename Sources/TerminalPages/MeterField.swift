import AudioReports

/// Level meters as lines of a page: one below the other, side by side where they are many and the window is wide, and in parts
/// where they are more still.
struct MeterField {
    private let page: Page
    private let meters: [LevelMeter]
    /// Those that are seen.
    private let shown: Range<Int>
    /// How many stand side by side, and how many lines they take.
    private let across: Int
    private let height: Int
    /// Of those that are seen.
    private let labels: [String]
    private let labelWidth: Int

    /// A meter that has others beside it has at least so many columns.
    private static let leastWidth = 40
    private static let gap = 2
    /// Behind a bar: level, unit, lamp.
    private static let figureWidth = 18
    private static let mostLabelShare = 3
    /// From so many columns on it says what the port is connected to.
    private static let leastPartnerWidth = 60

    /// - Parameters:
    ///   - room: lines for them.
    ///   - part: which part of them is seen where they do not find room; any number, counted round.
    package init(_ page: Page, _ meters: [LevelMeter], room: Int, part: Int = 0) {
        self.page = page
        self.meters = meters
        let most = max(1, page.columns / Self.leastWidth)
        let across = min(most, max(1, (meters.count + max(1, room) - 1) / max(1, room)))
        var shown = meters.indices
        if meters.count > across * room {
            // A line tells of the others.
            let size = across * max(0, room - 1)
            let parts = size > 0 ? (meters.count + size - 1) / size : 1
            let first = (part % parts + parts) % parts * size
            shown = first..<min(meters.count, first + size)
        }
        height = (shown.count + across - 1) / across
        let width = page.columns / across
        let hasPartners = width >= Self.leastPartnerWidth
        labels = shown.map { index in
            (hasPartners ? meters[index].partner ?? "" : "") + (meters[index].label ?? "\(index + 1)")
        }
        labelWidth = max(4, min(labels.map { TerminalPages.columns(of: $0) }.max() ?? 0, width / Self.mostLabelShare))
        (self.across, self.shown) = (across, shown)
    }

    /// Of one meter with its label and its figure.
    private var width: Int { (page.columns - 1 + Self.gap) / across - Self.gap }

    private var barWidth: Int { max(5, width - labelWidth - 1 - Self.figureWidth) }

    var lines: [String] {
        var lines = (0..<height).map { row in
            var line = page.line()
            for (column, index) in stride(from: shown.lowerBound + row, to: shown.upperBound, by: height).enumerated() {
                align(&line, column)
                add(meters[index], labels[index - shown.lowerBound], to: &line)
            }
            return line.text
        }
        if shown.count < meters.count { lines.append(rest) }
        return lines
    }

    /// The levels that belong to the places of the bars.
    var scale: String {
        var line = page.line()
        for column in 0..<max(1, min(across, shown.count)) {
            align(&line, column)
            line.add(String(repeating: " ", count: labelWidth + 1) + marks, .dim)
        }
        return line.text
    }

    private func align(_ line: inout Page.Line, _ column: Int) {
        line.add(String(repeating: " ", count: max(0, column * (width + Self.gap) - line.width)))
    }

    /// What is not seen, by its highest level.
    private var rest: String {
        let others = meters[..<shown.lowerBound] + meters[shown.upperBound...]
        let highest = others.map(\.held).max() ?? -.infinity
        let seen = shown.isEmpty ? "" : "\(shown.lowerBound + 1)-\(shown.upperBound) of \(meters.count); "
        let level = highest.isFinite ? "\(decibels(highest)) dB" : "silent"
        let most = highest.isFinite ? "at most \(level)" : level
        let lamp = others.contains(where: \.isClipping) ? " CLIP " : ""
        let keys = shown.isEmpty || !page.hasKeys ? "" : page.hasUnicode ? "  ↑↓ others" : "  up, down: others"
        let count = "\(others.count) others"
        // In a narrow window fewer words, and none that is cut off.
        let wordings = [
            ("  \(seen)\(count): \(most) ", keys), ("  \(seen)\(count): \(most) ", ""), ("  \(count): \(most)", ""),
            ("\(count): \(level)", ""),
        ]
        let (words, hint) = wordings.first { columns(of: $0 + lamp + $1) < page.columns } ?? (level, "")
        var line = page.line()
        line.add(words, .dim)
        line.add(lamp, .lamp)
        line.add(hint, .dim)
        return line.text
    }

    private func add(_ meter: LevelMeter, _ label: String, to line: inout Page.Line) {
        let words = page.plain(label)
        let fitting = words.fittingEnd(labelWidth)
        line.add(String(repeating: " ", count: max(0, labelWidth - columns(of: fitting))) + fitting + " ")
        let bar = Bar(meter, width: barWidth, hasUnicode: page.hasUnicode)
        var cell = 0
        while cell < barWidth {
            let look = bar.look(cell)
            let end = (cell + 1..<barWidth).first { bar.look($0) != look } ?? barWidth
            line.add(String(repeating: look.symbol, count: end - cell), look.tint)
            cell = end
        }
        line.add(alignedRight(decibels(meter.held) + (meter.held.isFinite ? " dB" : ""), 11) + " ")
        line.add(meter.isClipping ? " CLIP " : "      ", meter.isClipping ? .lamp : .plain)
    }

    private var marks: String {
        var marks = [Character](repeating: " ", count: barWidth)
        for level in MeterScale.marks {
            let label = Array("\(level)")
            let place = Int(MeterScale.place(of: Double(level)) * Double(barWidth))
            let start = min(place, barWidth - label.count)
            let around = max(0, start - 1)..<min(barWidth, start + label.count + 1)
            guard start >= 0, marks[around].allSatisfy({ $0 == " " }) else { continue }
            marks.replaceSubrange(start..<(start + label.count), with: label)
        }
        return String(marks)
    }
}

/// A meter's bar, cell by cell; with Unicode in eighths of a cell.
private struct Bar {
    private let filled: Int
    private let eighths: Int
    private let mark: Int
    private let width: Int
    private let hasUnicode: Bool

    private static let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    struct Look: Equatable {
        var symbol: String
        var tint: Page.Tint
    }

    init(_ meter: LevelMeter, width: Int, hasUnicode: Bool) {
        self.width = width
        self.hasUnicode = hasUnicode
        let all = Int((MeterScale.place(of: meter.level) * Double(width) * 8).rounded())
        (filled, eighths) = hasUnicode ? (all / 8, all % 8) : ((all + 4) / 8, 0)
        let place = MeterScale.place(of: meter.held)
        mark = place > 0 ? min(width - 1, Int(place * Double(width))) : -1
    }

    func look(_ cell: Int) -> Look {
        if cell == mark { return Look(symbol: hasUnicode ? "┃" : "|", tint: tint(cell)) }
        if cell < filled { return Look(symbol: hasUnicode ? "█" : "=", tint: tint(cell)) }
        if cell == filled, eighths > 0 { return Look(symbol: Self.parts[eighths], tint: tint(cell)) }
        return Look(symbol: hasUnicode ? "─" : ".", tint: .dim)
    }

    private func tint(_ cell: Int) -> Page.Tint {
        let level = MeterScale.level(at: Double(cell) / Double(width))
        return level >= -3 ? .red : level >= -12 ? .yellow : .green
    }
}

/// Where a level stands on a meter, as on a mixing desk: half of the way is for the top 20 dB.
///
/// IEC 60268-18 has these points, with straight lines between them.
enum MeterScale {
    /// Levels in decibels of full scale, and their places from 0 to 1.
    private static let points: [(level: Double, place: Double)] = [
        (-70, 0), (-60, 0.025), (-50, 0.075), (-40, 0.15), (-30, 0.3), (-20, 0.5), (0, 1),
    ]
    /// Those that have a number, the most important first.
    static let marks = [0, -20, -10, -30, -40, -5, -50, -60]

    /// From 0 to 1; −∞ is silence.
    static func place(of level: Double) -> Double {
        guard let above = points.firstIndex(where: { level < $0.level }) else { return 1 }
        guard above > 0 else { return 0 }
        let (low, high) = (points[above - 1], points[above])
        return low.place + (level - low.level) / (high.level - low.level) * (high.place - low.place)
    }

    /// The level at a place from 0 to 1.
    static func level(at place: Double) -> Double {
        guard let above = points.firstIndex(where: { place < $0.place }), above > 0 else {
            return place < 0.5 ? -70 : 0
        }
        let (low, high) = (points[above - 1], points[above])
        return low.level + (place - low.place) / (high.place - low.place) * (high.level - low.level)
    }
}
