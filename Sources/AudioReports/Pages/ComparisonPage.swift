/// Runs beside the first of them as one page: a file that needs nothing else, in light, dark, print and on phones.
package struct ComparisonPage: Sendable {
    /// XHTML-conformant HTML.
    package let text: String

    package init(_ sheet: ComparisonSheet) {
        let verdicts = sheet.comparisons.enumerated().map { index, comparison in
            sheet.comparisons.count == 1
                ? comparison.verdict : "\(ComparisonSheet.letter(index + 1)): \(comparison.verdict)"
        }
        let warnings = sheet.comparisons.indices.compactMap(sheet.warning).map { warning in
            "<p class=\"warning\" role=\"alert\"><strong>\(escaped(warning))</strong></p>\n"
        }
        var body = "<header>\n\(warnings.joined())<h1>iounit diff</h1>\n"
        body += verdicts.map(PageStyle.sentences).joined()
        body += PageParts.list(sheet.runFacts) + "</header>\n"
        body += Self.distributions(sheet)
        for index in sheet.comparisons.indices { body += Self.comparison(sheet, index) }
        text = PageStyle.page(title: "iounit diff: \(sheet.runs.map(\.name).joined(separator: ", "))", body: body)
    }

    private static func distributions(_ sheet: ComparisonSheet) -> String {
        let hasModes = sheet.runs.contains { $0.parts.count > 1 }
        let curves = sheet.runs.enumerated().flatMap { index, run in
            run.parts.map { part in
                let letter = ComparisonSheet.letter(index)
                return (name: hasModes ? "\(letter) \(part.name)" : letter, points: part.curve)
            }
        }
        return PageParts.section(
            "How rare, how far from nominal", PercentilePlot(curves),
            "All distributions of the deviation over each other. The further right, the rarer: at 99.9 % one of 1000 "
                + "intervals deviates by more. Lower is steadier. Of a report without its cycles only the few percentiles that "
                + "it has are joined.")
    }

    private static func comparison(_ sheet: ComparisonSheet, _ index: Int) -> String {
        let comparison = sheet.comparisons[index]
        var markup = PageParts.section("A against \(ComparisonSheet.letter(index + 1))")
        markup += PageParts.figure(
            ChangePlot(comparison),
            "How much each figure changed. The bar is what chance permits: where it does not reach the middle, the "
                + "change is more than chance. Left is better.")
        let rows = zip(sheet.rows(index, isMain: false), comparison.rows).map { cells, row in
            cells.enumerated().map { column, cell in
                PageParts.Cell(
                    cell, isNumber: 1...3 ~= column, isBad: column == 5 && row.outcome == .worse,
                    isGood: column == 5 && row.outcome == .better)
            }
        }
        markup += PageParts.table(ComparisonSheet.head, rows)
        markup += PageParts.limits(comparison.limits, measured: "change")
        return markup + (sheet.method(index).map { "<p class=\"quiet\">\(escaped($0))</p>\n" } ?? "")
    }
}
