/// Markdown as GitHub has it, for the summaries of jobs.
package enum MarkdownText {
    /// Plain text: nothing in it is markup.
    package static func escaped(_ text: String) -> String {
        var safe = ""
        // Not by what people see as one character: a sign is markup with a combining mark behind it too.
        for scalar in shown(text).unicodeScalars {
            switch scalar {
            case "&": safe += "&amp;"
            case "<": safe += "&lt;"
            case ">": safe += "&gt;"
            case "\\", "`", "*", "_", "[", "]", "|", "#", "~", "@", "!", "$": safe += "\\\(scalar)"
            default: safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// - Parameter numbers: the columns that are aligned to the right.
    package static func table(_ head: [String], _ rows: [[String]], numbers: ClosedRange<Int>? = nil) -> [String] {
        func line(_ cells: [String]) -> String { "| " + cells.map(escaped).joined(separator: " | ") + " |" }
        let rule = "|" + head.indices.map { numbers?.contains($0) == true ? "---:|" : "---|" }.joined()
        return [line(head), rule] + rows.map(line)
    }
}
