import AudioFigures

/// A report as one page: a file that needs nothing else, in light, dark, print and on phones.
///
/// The same report gives the same bytes. Names from outside appear as text, whatever is in them.
public struct HTMLPage: Sendable {
    /// XHTML-conformant HTML.
    public let text: String

    public init(_ report: Report) {
        let facts = ReportFacts(report)
        let sections = [
            PageStyle.header(facts, facts.facts, verdict: Verdict.said(of: report)), Self.limits(report.limits),
            Self.published(report.published),
            Self.intervals(report), Self.parts(report), Self.percentiles(report), Self.timelines(report),
            Self.latencies(report), Self.figures(report), Self.glossary(report),
        ]
        text = PageStyle.page(
            title: "\(facts.command): \(report.server.name)", body: Blame.store + sections.joined())
    }

    private static func limits(_ results: [LimitResult]) -> String {
        guard !results.isEmpty else { return "" }
        let rows = results.map { result in
            let cells = [result.limit, result.mode, result.measuredInWords].map(escaped)
            let (style, sign) = result.isMet ? ("good", "✓") : ("bad", "✗")
            return "<tr><td class=\"\(style)\">\(sign) \(result.outcome)</td>" + cells.map { "<td>\($0)</td>" }.joined()
                + "</tr>\n"
        }
        return section("Limits") + table(["outcome", "limit", "mode", "measured"], rows)
    }

    private static func published(_ figures: [PublishedFigure]) -> String {
        guard !figures.isEmpty else { return "" }
        let rows = figures.map { figure in
            "<tr><th scope=\"row\">\(escaped(figure.name))</th>"
                + [figure.published, figure.measured, figure.unit].map { "<td>\(escaped($0))</td>" }.joined()
                + "</tr>\n"
        }
        return section("Published figures, and those measured here")
            + table(["", "published", "measured here", "unit"], rows)
    }

    private static func intervals(_ report: Report) -> String {
        guard let plot = IntervalPlot(report) else {
            return section("Intervals") + "<p>Nothing to draw: no interval was measured.</p>\n"
        }
        return section("Intervals")
            + figure(
                plot,
                "From one callback's start to the next. The dashed mark is nominal. Half of the intervals lie within the "
                    + "dark bar, 99 % within the light one, all of them within the line. The shorter, the steadier.")
    }

    /// Only where the period or the rate changed.
    private static func parts(_ report: Report) -> String {
        report.modes.filter(\.hasChangedPeriod).map { mode in
            let rows = ReportTable.parts(mode).map { row in row.map { "<td>\(escaped($0))</td>" }.joined() }
            return section("Parts of \(mode.name), each against its own period")
                + table(ReportTable.parts(mode)[0], rows.dropFirst().map { "<tr>\($0)</tr>\n" })
        }.joined()
    }

    private static func percentiles(_ report: Report) -> String {
        guard let plot = PercentilePlot(report) else { return "" }
        return section("How rare, how far from nominal")
            + figure(
                plot,
                "The further right, the rarer: at 99.9 % one of 1000 intervals deviates by more. Lower is steadier. A "
                    + "deviation of less than 0.1 µs is drawn at the bottom.",
                key: plot.key)
    }

    private static func timelines(_ report: Report) -> String {
        let plots = TimelinePlot.all(report)
        guard !plots.isEmpty else { return "" }
        var markup = section("Deviation over time")
        markup += """
            <p>Above the dashed line intervals were too long, below it too short. The band reaches from the shortest to \
            the longest of each moment; where there is none, no callback came. Marks are late callbacks, by who was \
            late. All modes have the same axes.</p>

            """
        let kinds = Blame.allCases.filter { kind in
            report.modes.contains { $0.series.events.contains { $0.blame == kind } }
        }
        markup += key(kinds.map { ($0.sample, "late: \($0.inWords)") })
        for (mode, plot) in plots {
            markup += "<h3>\(escaped(mode.name))</h3>\n" + figure(plot, omission(mode))
        }
        return markup
    }

    /// A report holds but the first late callbacks.
    private static func omission(_ mode: ModeReport) -> String {
        let drawn = UInt64(mode.series.events.count)
        guard mode.lost.longIntervals > drawn else { return "" }
        if drawn == 0 { return "\(counted(mode.lost.longIntervals, "late callback")) without a mark." }
        return "The first \(drawn) of \(mode.lost.longIntervals) late callbacks are marked."
    }

    private static func latencies(_ report: Report) -> String {
        guard let plot = LatencyPlot(report) else { return "" }
        return section("Latency through each mode")
            + figure(
                plot,
                "The bar is what a probe signal measured between an input and an output of the unit, the bracket its error, "
                    + "the diamond what the unit's ports declare.")
    }

    private static func figures(_ report: Report) -> String {
        let sheet = FigureSheet(report)
        guard !sheet.groups.isEmpty else { return "" }
        var markup = section("All figures") + "<div class=\"broad\">\n<table>\n<thead><tr><td></td>"
        for heading in sheet.headings { markup += "<th scope=\"col\" class=\"number\">\(escaped(heading))</th>" }
        markup += "<td></td></tr></thead>\n"
        for group in sheet.groups {
            markup += "<tbody>\n<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"\(sheet.headings.count + 2)\">"
            markup += "\(escaped(group.title))</th></tr>\n"
            for row in group.rows {
                markup += "<tr><th scope=\"row\">\(escaped(row.label))</th>"
                markup += row.cells.map { "<td class=\"number\">\(escaped($0))</td>" }.joined()
                markup += "<td class=\"unit\">\(escaped(row.unit))</td></tr>\n"
            }
            markup += "</tbody>\n"
        }
        return markup + "</table>\n</div>\n"
    }

    private static func glossary(_ report: Report) -> String {
        section("What the figures mean") + "<dl class=\"terms\">\n"
            + FigureTable.measurement.flatMap(\.terms).filter { $0.isNeeded(report) }.map { term in
                "<div><dt>\(escaped(term.name))</dt><dd>\(escaped(term.explanation))</dd></div>\n"
            }
            .joined() + "</dl>\n"
    }

    private static func section(_ title: String) -> String { "<h2>\(escaped(title))</h2>\n" }

    private static func figure(
        _ plot: some Plot, _ caption: String, key entries: [(sample: String, text: String)] = []
    ) -> String {
        let words = caption.isEmpty ? "" : "<figcaption>\(escaped(caption))</figcaption>\n"
        return "<figure>\n\(words)\(key(entries))\(plot.markup)</figure>\n"
    }

    /// - Parameter entries: a sample, which is markup, and what it stands for, which is plain text.
    private static func key(_ entries: [(sample: String, text: String)]) -> String {
        guard !entries.isEmpty else { return "" }
        return "<ul class=\"key\">\n"
            + entries.map { "<li>\($0.sample)<span>\(escaped($0.text))</span></li>\n" }.joined() + "</ul>\n"
    }

    /// - Parameter rows: markup.
    private static func table(_ head: [String], _ rows: [String]) -> String {
        "<div class=\"broad\">\n<table>\n<thead><tr>"
            + head.map { "<th scope=\"col\">\(escaped($0))</th>" }.joined() + "</tr></thead>\n<tbody>\n"
            + rows.joined() + "</tbody>\n</table>\n</div>\n"
    }
}
