import AudioReports
import TerminalPages

/// How help is set: names beside what they mean, and prose.
struct HelpText {
    /// In columns.
    let width: Int

    /// For the manual: a terminal of 80 columns, the least that is usual, of which man indents text by 7.
    static let manual = HelpText(width: 73)

    static var standardOutput: HelpText { HelpText(width: PageFormat().width) }

    /// Where explanations begin. What is longer than that stands on a line of its own.
    private static let column = 28
    /// The least columns in which prose can be read. Where names leave fewer, the prose stands below them.
    static let leastRoom = 24
    private static let belowIndent = 6

    /// - Parameter indent: of the lines behind the first.
    func wrapped(_ text: String, hanging indent: Int = 0) -> [String] {
        AudioReports.wrapped(text, width: width - indent).enumerated().map { number, line in
            number == 0 ? line : padded("", indent) + line
        }
    }

    /// A text beside a label, or below it where there is no room beside it.
    ///
    /// - Parameter indent: where the text begins; a label that reaches it stands on a line of its own.
    func labelled(_ label: String, _ text: String, indent: Int) -> [String] {
        let hasRoom = width - indent >= Self.leastRoom
        let indent = hasRoom ? indent : Self.belowIndent
        let lines = AudioReports.wrapped(text, width: width - indent)
        let fits = hasRoom && label.count + 2 <= indent && !lines.isEmpty
        let below = AudioReports.labelled(fits ? label : "", lines, indent: indent)
        return fits ? below : [label] + below
    }

    /// Names, and what each means beside it.
    ///
    /// - Parameter column: where the meanings begin; as far to the left as the names permit where that is less.
    func table(_ rows: [(name: String, meaning: String)], column: Int = column) -> [String] {
        let indent = min(column, (rows.map(\.name.count).max() ?? 0) + 4)
        return rows.flatMap { labelled("  \($0.name)", $0.meaning, indent: indent) }
    }

    /// Prose, however its lines were broken. A line that ends a sentence ends a paragraph, and one that begins with a blank is
    /// a table's: its last column is broken where it has no room.
    func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        var paragraph = ""
        func end() {
            lines += wrapped(paragraph)
            paragraph = ""
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard let first = line.first, first != " " else {
                end()
                lines += row(line)
                continue
            }
            paragraph += (paragraph.isEmpty ? "" : " ") + line
            if line.last == "." || line.last == ":" { end() }
        }
        end()
        return lines
    }

    private func row(_ line: Substring) -> [String] {
        guard line.count > width, let parts = line.wholeMatch(of: /( *\S.*?)  +(\S.*)/) else { return [String(line)] }
        return labelled(String(parts.1), String(parts.2), indent: line.count - parts.2.count)
    }
}
