import AudioFigures

/// What pages are put together from. Each part is markup; what goes into one is plain text unless it says otherwise.
package enum PageParts {
    package static func section(_ title: String) -> String { "<h2>\(escaped(title))</h2>\n" }

    /// The body under a heading; nothing where there is none.
    ///
    /// - Parameter body: markup.
    package static func section(_ title: String, _ body: String) -> String {
        body.isEmpty ? "" : section(title) + body
    }

    /// A plot under a heading; nothing where there is none.
    static func section(_ title: String, _ plot: (some Plot)?, _ caption: String) -> String {
        section(title, figure(plot, caption))
    }

    /// Names and what they stand for. A command's words stay whole where a line has room for them: an option is not broken
    /// at its hyphens.
    package static func list(_ entries: [(name: String, text: String)]) -> String {
        let lines = entries.map { name, text in
            let words = text.split(separator: " ").map { "<span class=\"word\">\(escaped(String($0)))</span>" }
            let content = name == "command" ? words.joined(separator: " ") : escaped(text)
            return "<dt>\(escaped(name))</dt><dd>\(content)</dd>\n"
        }
        return "<dl class=\"facts\">\n\(lines.joined())</dl>\n"
    }

    /// Words and what they mean, to be read on demand: closed on a screen, open in print.
    static func glossary(_ terms: [Term]) -> String {
        guard !terms.isEmpty else { return "" }
        let entries = terms.map { "<div><dt>\(escaped($0.name))</dt><dd>\(escaped($0.explanation))</dd></div>\n" }
        return
            "<details>\n<summary>What the figures mean</summary>\n<dl class=\"terms\">\n\(entries.joined())</dl>\n</details>\n"
    }

    /// A plot below its caption and the key to its lines; nothing where there is none.
    static func figure(_ plot: (some Plot)?, _ caption: String) -> String {
        guard let plot else { return "" }
        let words = caption.isEmpty ? "" : "<figcaption>\(escaped(caption))</figcaption>\n"
        return "<figure>\n\(words)\(key(plot.key))\(plot.markup)</figure>\n"
    }

    /// - Parameter entries: a sample, which is markup, and what it stands for, which is plain text.
    static func key(_ entries: [(sample: String, text: String)]) -> String {
        guard !entries.isEmpty else { return "" }
        return "<ul class=\"key\">\n"
            + entries.map { "<li>\($0.sample)<span>\(escaped($0.text))</span></li>\n" }.joined() + "</ul>\n"
    }

    package struct Cell {
        var text: String
        var isNumber = false
        /// Whether it is what somebody has to do something about.
        var isBad = false
        var isGood = false

        package init(_ text: String, isNumber: Bool = false, isBad: Bool = false, isGood: Bool = false) {
            (self.text, self.isNumber, self.isBad, self.isGood) = (text, isNumber, isBad, isGood)
        }

        /// What became of a limit.
        static func outcome(_ words: String, isMet: Bool) -> Cell {
            Cell("\(isMet ? "✓" : "✗") \(words)", isBad: !isMet, isGood: isMet)
        }

        fileprivate var style: String {
            let styles = [isNumber ? "number" : nil, isBad ? "bad" : nil, isGood ? "good" : nil].compactMap { $0 }
            return styles.isEmpty ? "" : " class=\"\(styles.joined(separator: " "))\""
        }
    }

    /// A table that fits a phone: there each row is a block of its own, with the column's heading before each cell.
    package static func table(_ head: [String], _ rows: [[Cell]]) -> String {
        guard !rows.isEmpty else { return "" }
        let isNumber = head.indices.map { column in
            rows.contains { column < $0.count && $0[column].isNumber }
        }
        let headings = zip(head, isNumber).map { text, isNumber in
            "<th scope=\"col\"\(isNumber ? " class=\"number\"" : "")>\(escaped(text))</th>"
        }
        let lines = rows.map { row in
            "<tr>"
                + zip(head, row).map { "<td\($1.style) data-label=\"\(escaped($0))\">\(escaped($1.text))</td>" }
                .joined() + "</tr>\n"
        }
        return "<table class=\"blocks\">\n<thead><tr>\(headings.joined())</tr></thead>\n<tbody>\n"
            + lines.joined() + "</tbody>\n</table>\n"
    }

    /// Limits, and what was held against them.
    static func limits(_ results: [LimitResult], measured: String) -> String {
        let rows = results.map { result in
            [Cell.outcome(result.outcome, isMet: result.isMet)]
                + [result.limit, result.mode, result.measuredInWords].map { Cell($0) }
        }
        return table(["outcome", "limit", "mode", measured], rows)
    }

    /// The figures for programs that read the page: an element with the identifier `report`, which no browser runs.
    ///
    /// - Parameter json: one object. What a parser of HTML or XML would see as markup in it is written as JSON permits: the
    ///   content is the same.
    static func data(_ json: String) -> String {
        let safe = respelled(json) { scalar in
            switch scalar {
            case "&": "\\u0026"
            case "<": "\\u003c"
            case ">": "\\u003e"
            default: nil
            }
        }
        return "<script type=\"application/json\" id=\"report\">\(safe)</script>\n"
    }
}
