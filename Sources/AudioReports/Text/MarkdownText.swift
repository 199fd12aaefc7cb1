/// Markdown as GitHub has it, for the summaries of jobs.
package enum MarkdownText {
    /// Plain text: nothing in it is markup.
    package static func escaped(_ text: String) -> String {
        respelled(shown(text)) { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\\", "`", "*", "_", "[", "]", "|", "#", "~", "@", "!", "$": "\\\(scalar)"
            default: nil
            }
        }
    }

    /// - Parameter numbers: the columns that are aligned to the right.
    package static func table(_ head: [String], _ rows: [[String]], numbers: ClosedRange<Int>? = nil) -> [String] {
        func line(_ cells: [String]) -> String { "| " + cells.map(escaped).joined(separator: " | ") + " |" }
        let rule = "|" + head.indices.map { numbers?.contains($0) == true ? "---:|" : "---|" }.joined()
        return [line(head), rule] + rows.map(line)
    }
}
