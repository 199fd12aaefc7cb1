/// Many runs as one page: a plot for each figure over the dates of the runs, and all of them in a table.
package struct HistoryPage: Sendable {
    /// XHTML-conformant HTML.
    package let text: String

    package init(_ history: RunHistory) {
        var body = "<header>\n<h1>iounit history</h1>\n"
        body += "<p class=\"verdict\">\(counted(history.count, "run"))</p>\n</header>\n"
        body += history.trends.map(Self.trend).joined()
        text = PageStyle.page(title: "iounit history", body: body)
    }

    private static func trend(_ trend: RunHistory.Trend) -> String {
        var markup = PageParts.section(trend.title)
        for figure in trend.figures {
            guard let plot = TrendPlot(trend, figure) else { continue }
            markup += "<h3>\(escaped(figure.limit ?? ""))</h3>\n"
            markup += PageParts.figure(plot, "\(figure.meaningInWords).")
        }
        let table = trend.table
        let rows = table.dropFirst().map { row in
            row.enumerated().map { PageParts.Cell($1, isNumber: $0 > 2) }
        }
        return markup + PageParts.table(table[0], Array(rows))
    }
}
