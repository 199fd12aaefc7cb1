/// How text is set in lines and columns.

/// The text and blanks behind it, up to a width.
package func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

/// The text and blanks before it, up to a width.
package func alignedRight(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

/// Without blanks at its end.
func withoutEnd(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
}

/// Rows of as many cells as lines, whose columns are as wide as their widest cell.
package func aligned(_ rows: [[String]]) -> [String] {
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in withoutEnd(zip(row, widths).map { padded($0, $1) }.joined(separator: "  ")) }
}

/// Without blanks and line breaks at its ends.
package func trimmed(_ text: some StringProtocol) -> String {
    // By scalars: a blank and a combining mark behind it are one character.
    var text = Substring(text).unicodeScalars
    while let last = text.last, last.properties.isWhitespace { text.removeLast() }
    return String(text.drop { $0.properties.isWhitespace })
}

/// Breaks between words; a word that is longer than a line, as a path, stays whole.
package func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
        if let last = lines.last, last.count + 1 + word.count <= width {
            lines[lines.count - 1] = "\(last) \(word)"
        } else {
            lines.append(String(word))
        }
    }
    return lines
}

/// A label before the first of some lines, which all begin behind it.
package func labelled(_ label: String, _ lines: [String], indent: Int) -> [String] {
    lines.enumerated().map { padded($0 == 0 ? label : "", indent) + $1 }
}
