import AudioReports
import Manual

/// An article of the manual, in its parts: what is used of Markdown there, and no more.
struct Article {
    enum Part: Equatable {
        case heading(String)
        case paragraph(String)
        /// - Parameter marks: "-" or a number with its point, of each item.
        case list(marks: [String], items: [String])
        case code([String])
        /// The first row is the head.
        case table([[String]])
    }

    let name: String
    let title: String
    /// The first paragraph.
    let summary: String
    /// Behind the first paragraph. Not read before it is asked for: most who list the articles show none.
    private let rest: ArticleReader

    static let all = ArticleSource.all.map(Article.init)

    init(_ source: ArticleSource) {
        name = source.name
        var reader = ArticleReader(source.markdown)
        title = reader.title
        let whole = reader
        if case .paragraph(let text)? = reader.next() {
            summary = text
            rest = reader
        } else {
            summary = title
            rest = whole
        }
    }

    var parts: [Part] { Array(IteratorSequence(rest)) }
}

/// Takes Markdown apart line by line.
private struct ArticleReader: IteratorProtocol {
    private var lines: ArraySlice<Substring>
    let title: String

    init(_ markdown: String) {
        let all = markdown.split(separator: "\n", omittingEmptySubsequences: false)
        title = all.first.map { String($0.drop { $0 == "#" || $0 == " " }) } ?? ""
        lines = all.dropFirst()
    }

    mutating func next() -> Article.Part? {
        lines = lines.drop(while: \.isEmpty)
        guard let line = lines.first else { return nil }
        if line.hasPrefix("#") { return .heading(Self.plain(lines.removeFirst().drop { $0 == "#" || $0 == " " })) }
        if line.hasPrefix("```") { return code() }
        if line.hasPrefix("|") { return table() }
        if Self.mark(line) != nil { return list() }
        return .paragraph(Self.plain(taken { Self.isText($0) }.joined(separator: " ")))
    }

    private mutating func taken(_ belongs: (Substring) -> Bool) -> [Substring] {
        let part = lines.prefix(while: belongs)
        lines = lines.dropFirst(part.count)
        return Array(part)
    }

    private mutating func code() -> Article.Part {
        lines.removeFirst()
        let part = taken { !$0.hasPrefix("```") }
        lines = lines.dropFirst()
        return .code(part.map(String.init))
    }

    private mutating func table() -> Article.Part {
        let rows = taken { $0.hasPrefix("|") }.map { row in
            row.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { Self.plain(trimmed($0)) }
        }
        return .table(rows.filter { row in !row.allSatisfy { $0.allSatisfy { "-:".contains($0) } && !$0.isEmpty } })
    }

    private mutating func list() -> Article.Part {
        var (marks, items): ([String], [String]) = ([], [])
        while let line = lines.first, let mark = Self.mark(line) {
            let first = String(lines.removeFirst().dropFirst(mark.count + 1))
            let item = [first] + taken { $0.hasPrefix(" ") }.map(trimmed)
            marks.append(mark)
            items.append(Self.plain(item.joined(separator: " ")))
        }
        return .list(marks: marks, items: items)
    }

    private static func isText(_ line: Substring) -> Bool {
        !line.isEmpty && !line.hasPrefix("#") && !line.hasPrefix("```") && !line.hasPrefix("|") && mark(line) == nil
    }

    /// What a list's item begins with.
    private static func mark(_ line: Substring) -> String? {
        if line.hasPrefix("- ") { return "-" }
        let number = line.prefix(while: \.isWholeNumber)
        return !number.isEmpty && line.dropFirst(number.count).hasPrefix(". ") ? "\(number)." : nil
    }

    /// Without the marks of code and stress, and with the address of a link behind its words.
    private static func plain(_ text: some StringProtocol) -> String {
        var text = String(text)
        // An expression costs much before it finds nothing.
        if text.contains("[") { text = text.replacing(#/!?\[([^\]]+)\]\(([^)]+)\)/#) { "\($0.1) (\($0.2))" } }
        if text.contains("<") { text = text.replacing(#/<(https?:[^>]+)>/#) { String($0.1) } }
        text = text.replacing("**", with: "").replacing("`", with: "")
        if text.contains("*") { text = text.replacing(#/(^|[ (])[*]([^* ][^*]*)[*]/#) { "\($0.1)\($0.2)" } }
        return text
    }
}

/// An article of the catalogue `Manual.docc`, as it is written there.
struct ArticleSource: Sendable {
    /// What follows `iounit help`.
    let name: String
    let markdown: String

    /// In the order of the overview.
    static let all: [ArticleSource] = {
        var all: [ArticleSource] = []
        // SAFETY: constants of the program.
        while let article = unsafe manual_article(all.count)?.pointee {
            unsafe all.append(
                ArticleSource(name: String(cString: article.name), markdown: String(cString: article.text)))
        }
        return all
    }()
}

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
