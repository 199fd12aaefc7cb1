import AudioReports
import TerminalPages

/// An article set for a terminal, and for the manual, whose pages take it as it is.
struct ArticleText {
    let article: Article
    let format: HelpText

    var text: String {
        let head = format.wrapped("iounit help \(article.name) - \(article.summary)")
        return (head + article.parts.flatMap { [""] + lines($0) }).joined(separator: "\n")
    }

    private func lines(_ part: Article.Part) -> [String] {
        switch part {
        case .heading(let text): format.wrapped(text.uppercased())
        case .paragraph(let text): format.wrapped(text)
        case .list(let marks, let items): zip(marks, items).flatMap { item($0, $1) }
        case .code(let lines): lines.flatMap(code)
        case .table(let rows): table(rows)
        }
    }

    /// As it is: a line that is copied must stay one. A remark behind a command goes before it where both have no room.
    private func code(_ line: String) -> [String] {
        let room = format.width - 2
        guard line.count > room, let parts = line.wholeMatch(of: /(\S.*\S) +(# .+)/) else {
            return [line.isEmpty ? "" : "  \(line)"]
        }
        return ["  \(parts.2)", "  \(parts.1)"]
    }

    private func item(_ mark: String, _ text: String) -> [String] {
        let indent = mark.count + 3
        return labelled("  \(mark)", wrapped(text, width: format.width - indent), indent: indent)
    }

    /// In columns where they fit, with the last one filled where it is the only one that is too wide, else row by row.
    private func table(_ rows: [[String]]) -> [String] {
        guard let head = rows.first else { return [] }
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let indent = widths.dropLast().reduce(2) { $0 + $1 + 2 }
        let room = format.width - indent
        guard room >= min(widths.last ?? 0, Self.leastRoom) else { return records(head, rows.dropFirst()) }
        return rows.flatMap { row in
            let label = zip(row, widths).dropLast().map { padded($0, $1) }.joined(separator: "  ")
            return labelled("  \(label)", wrapped(row.last ?? "", width: room), indent: indent)
        }
    }

    /// The least columns in which prose can be read.
    private static let leastRoom = 30

    /// Each row under its first cell. A single further cell needs no name.
    private func records(_ head: [String], _ rows: ArraySlice<[String]>) -> [String] {
        rows.flatMap { row in
            hanging("  ", row[0])
                + zip(head, row).dropFirst().filter { !$1.isEmpty }.flatMap { name, value in
                    hanging("    ", head.count > 2 ? "\(name): \(value)" : value)
                }
        }
    }

    private func hanging(_ indent: String, _ text: String) -> [String] {
        labelled(indent, wrapped(text, width: format.width - indent.count - 2), indent: indent.count + 2)
    }
}
