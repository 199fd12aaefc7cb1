import AudioReports
import TerminalPages

/// How help is set: for a terminal of 80 columns, the least that is usual.
enum HelpText {
    static let width = 80
    /// Where explanations begin. What is longer than that stands on a line of its own.
    private static let column = 28

    /// - Parameter indent: of the lines behind the first.
    static func wrapped(_ text: String, hanging indent: Int = 0) -> [String] {
        AudioReports.wrapped(text, width: width - indent).enumerated().map { number, line in
            number == 0 ? line : padded("", indent) + line
        }
    }

    /// Names, and what each means beside it.
    ///
    /// - Parameter column: where the meanings begin; as far to the left as the names permit where that is less.
    static func table(_ rows: [(name: String, meaning: String)], column: Int = column) -> [String] {
        let longest = rows.map(\.name.count).max() ?? 0
        let indent = min(column, longest + 4)
        return rows.flatMap { row in
            let meaning = AudioReports.wrapped(row.meaning, width: width - indent)
            let fits = row.name.count + 4 <= indent
            let lines = labelled(fits ? "  \(row.name)" : "", meaning, indent: indent)
            return fits && !lines.isEmpty ? lines : ["  \(row.name)"] + lines
        }
    }

    /// Prose, however its lines were broken. A line that ends a sentence ends a paragraph, and one that begins with a blank is
    /// a table's.
    static func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        var paragraph = ""
        func end() {
            lines += wrapped(paragraph)
            paragraph = ""
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard let first = line.first, first != " " else {
                end()
                lines.append(String(line))
                continue
            }
            paragraph += (paragraph.isEmpty ? "" : " ") + line
            if line.last == "." || line.last == ":" { end() }
        }
        end()
        return lines
    }
}
