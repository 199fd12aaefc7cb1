import AudioReports

/// A page of text for a window: its lines know their width, and nothing in here knows of a terminal.
package struct Page {
    package var columns: Int
    package var rows: Int
    var hasColor: Bool
    package var hasUnicode: Bool
    package var hasKeys: Bool

    package enum Tint: String {
        case plain = ""
        case dim = "2"
        case bold = "1"
        case green = "32"
        case yellow = "33"
        case red = "31"
        case blue = "34"
        case cyan = "36"
        case lamp = "1;37;41"
        case active = "7"

        /// What is written where the next text has another one.
        func change(to next: Tint) -> String {
            (self == .plain ? "" : "\u{1b}[0m") + (next == .plain ? "" : "\u{1b}[\(next.rawValue)m")
        }
    }

    package init(columns: Int, rows: Int, hasColor: Bool, hasUnicode: Bool, hasKeys: Bool) {
        (self.columns, self.rows) = (columns, rows)
        (self.hasColor, self.hasUnicode, self.hasKeys) = (hasColor, hasUnicode, hasKeys)
    }

    /// A line that knows its width, with or without colours in it. Pieces of one colour that follow each other share a
    /// colour sequence: with one for each cell a page of many channels is more than a terminal takes at that rate.
    package struct Line {
        package private(set) var width = 0
        private let limit: Int
        private let hasColor: Bool
        private var content = ""
        private var tint = Tint.plain

        init(limit: Int, hasColor: Bool) {
            self.limit = limit
            self.hasColor = hasColor
        }

        package var text: String { content + tint.change(to: .plain) }

        package mutating func add(_ piece: String, _ tint: Tint = .plain) {
            let fitting = piece.fitting(limit - width)
            guard !fitting.isEmpty else { return }
            width += TerminalPages.columns(of: fitting)
            if hasColor && tint != self.tint {
                content += self.tint.change(to: tint)
                self.tint = tint
            }
            content += fitting
        }
    }

    /// Words side by side; no line where there are none.
    package func words(_ words: [String]) -> [String] { words.isEmpty ? [] : flow(words.map { [($0, .plain)] }) }

    private static let plainArrows: [Character: Character] = ["→": ">", "←": "<"]

    /// Text from outside as this window can show it.
    package func plain(_ text: String) -> String {
        hasUnicode ? text : String(text.map { $0.isASCII ? $0 : Self.plainArrows[$0] ?? "?" })
    }

    package func line() -> Line { Line(limit: columns - 1, hasColor: hasColor) }

    package typealias Part = [(text: String, tint: Tint)]

    /// Puts parts side by side, as many on a line as fit. A part that is wider than a line is broken at a blank, else at the
    /// edge; a window that is too narrow for sentences has few lines, which the meters need, and it is cut there.
    package func flow(_ parts: [Part]) -> [String] {
        var lines: [String] = []
        var current = line()
        func next() {
            lines.append(current.text)
            current = line()
        }
        for part in parts {
            let width = part.reduce(0) { $0 + TerminalPages.columns(of: $1.text) }
            if current.width > 0 && current.width + 3 + width > columns - 1 { next() }
            current.add(current.width == 0 ? Self.margin : "   ")
            for piece in part {
                var rest = piece.text[...]
                while columns >= Self.leastBroken, current.width + TerminalPages.columns(of: rest) > columns - 1 {
                    let isFirst = current.width <= Self.margin.count
                    let taken = fitting(rest, room: columns - 1 - current.width, isFirst: isFirst)
                    current.add(String(taken), piece.tint)
                    rest = rest[taken.endIndex...].drop { $0 == " " }
                    next()
                    current.add(Self.margin)
                }
                current.add(String(rest), piece.tint)
            }
        }
        return lines + [current.text]
    }

    private static let margin = "  "
    private static let leastBroken = 40

    /// How much of a text goes on a line, up to a blank. Empty where it begins on the next line.
    private func fitting(_ text: Substring, room: Int, isFirst: Bool) -> Substring {
        let whole = text.fitting(room)
        let rest = text[whole.endIndex...]
        if rest.first == " " { return whole }
        if let blank = whole.lastIndex(of: " "), whole[..<blank].contains(where: { $0 != " " }) {
            return whole[..<blank]
        }
        return isFirst ? whole : whole.prefix(0)
    }
}

extension Page {
    package init(_ terminal: Terminal) {
        let size = terminal.size
        self.init(
            columns: size.columns, rows: size.rows, hasColor: terminal.hasColor, hasUnicode: terminal.hasUnicode,
            hasKeys: terminal.hasKeys)
    }
}

extension StringProtocol {
    /// As much of the beginning as finds room in so many columns.
    func fitting(_ room: Int) -> SubSequence {
        var width = 0
        return prefix { character in
            width += columns(of: character)
            return width <= room
        }
    }

    /// As much of the end as finds room in so many columns.
    func fittingEnd(_ room: Int) -> SubSequence {
        var width = 0
        let fitting = reversed().prefix { character in
            width += columns(of: character)
            return width <= room
        }
        return suffix(fitting.count)
    }
}

/// How many cells of a terminal a text takes.
package func columns(of text: some StringProtocol) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

/// East Asian and emoji characters take two cells, as Unicode's Annex 11 has it.
package func columns(of character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first, scalar.value >= 0x1100 else { return 1 }
    let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97c, 0xac00...0xd7a3,
        0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x16fe0...0x1b2fb,
        0x1f200...0x1f64f, 0x1f680...0x1f6ff, 0x1f900...0x1faff, 0x20000...0x3fffd,
    ]
    // Those that are emoji by themselves are wide, and stand among narrow symbols.
    return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) } ? 2 : 1
}

/// A level for people: one decimal, or a word for silence.
package func decibels(_ level: Double) -> String { level.isFinite ? fixed(level, 1) : "silent" }

/// A loudness or true peak for people: one decimal, or a dash for silence and what is not known yet.
package func loudnessText(_ level: Double?) -> String {
    if let level, level.isFinite { fixed(level, 1) } else { "–" }
}

package func signed(_ value: Double) -> String {
    // Of what is hardly below 0, no -0.0.
    let tenths = (value * 10).rounded() / 10 + 0
    return (tenths < 0 ? "" : "+") + fixed(tenths, 1)
}
