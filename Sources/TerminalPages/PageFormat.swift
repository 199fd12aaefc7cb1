import AudioReports
import Glibc

/// How text is set that goes to the standard output.
package struct PageFormat {
    /// In columns.
    package let width: Int
    /// Whether colour is wanted (https://no-color.org).
    package let hasColor: Bool
    /// Whether lines go to a terminal, which would break them within words.
    package let isTerminal: Bool

    /// For the standard output as it is: as wide as the terminal, where that can be read well, and of 80 columns
    /// where there is none.
    package init() {
        isTerminal = isatty(STDOUT_FILENO) == 1
        hasColor = isTerminal && Terminal.isCapable && Terminal.wantsColor
        width = Terminal.size(of: STDOUT_FILENO).map { min(100, max(40, $0.columns)) } ?? 80
    }

    /// The lines of a text, broken at blanks where a terminal has no room for them. A file has them as they are.
    package func broken(_ text: String) -> String {
        guard isTerminal else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            guard columns(of: line) > width else { return [String(line)] }
            let indent = line.prefix { $0 == " " }.count
            let lines = wrapped(String(line), width: width - indent - 2)
            return labelled(String(repeating: " ", count: indent), lines, indent: indent + 2).enumerated().map {
                $0 == 0 ? String($1.dropFirst(2)) : $1
            }
        }.joined(separator: "\n")
    }

    /// The text in bold and one of the terminal's colours (31 is red).
    package func colored(_ text: String, _ color: Int) -> String {
        hasColor ? "\u{1b}[1;\(color)m\(text)\u{1b}[0m" : text
    }
}
