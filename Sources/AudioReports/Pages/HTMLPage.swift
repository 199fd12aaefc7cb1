import AudioFigures

/// A report as one page: a file that needs nothing else, in light, dark, print and on phones.
///
/// The same report gives the same bytes. Names from outside appear as text, whatever is in them. However long the run, a
/// page has at most 128 kB, and 256 kB more for each mode.
public struct HTMLPage: Sendable {
    /// XHTML-conformant HTML.
    public let text: String

    /// - Parameter json: the report as one JSON object, to be kept in the page for programs; nothing where it is `nil`.
    public init(_ report: Report, json: String? = nil) {
        let facts = ReportFacts(report)
        let sections = [
            PageStyle.header(
                facts, facts.facts, verdict: Verdict.said(of: report), tiles: ReportTiles(report).tiles),
            PageParts.section("Limits", PageParts.limits(report.limits, measured: "measured")),
            Self.published(report.published),
            Self.intervals(report), Self.parts(report), Self.percentiles(report), Self.timelines(report),
            Self.latencies(report), Self.figures(report),
            PageParts.glossary(FigureTable.measurement.flatMap(\.terms).filter { $0.isNeeded(report) }),
            json.map(PageParts.data) ?? "",
        ]
        text = PageStyle.page(
            title: "\(facts.command): \(report.server.name)", body: Blame.store + sections.joined())
    }

    private static func published(_ figures: [PublishedFigure]) -> String {
        let rows = figures.map { figure in
            [figure.name, figure.published, figure.measured, figure.unit].map { PageParts.Cell($0) }
        }
        return PageParts.section(
            "Published figures, and those measured here",
            PageParts.table(["figure", "published", "measured here", "unit"], rows))
    }

    private static func intervals(_ report: Report) -> String {
        PageParts.section(
            "Intervals", IntervalPlot(report),
            "Half of the intervals lie within the dark bar, 99 % within the light one, all of them within the line. "
                + "The shorter, the steadier. The dashed mark is nominal.")
    }

    /// Only where the period or the rate changed.
    private static func parts(_ report: Report) -> String {
        report.modes.filter(\.hasChangedPeriod).map { mode in
            let rows = ReportTable.parts(mode)
            return PageParts.section("Parts of \(mode.name), each against its own period")
                + PageParts.table(rows[0], rows.dropFirst().map { row in row.map { PageParts.Cell($0) } })
        }.joined()
    }

    private static func percentiles(_ report: Report) -> String {
        PageParts.section(
            "How rare, how far from nominal", PercentilePlot(report),
            "The further right, the rarer: at 99.9 % one of 1000 intervals deviates by more. Lower is steadier. A "
                + "deviation of less than 0.1 µs is drawn at the bottom.")
    }

    private static func timelines(_ report: Report) -> String {
        let plots = TimelinePlot.all(report)
        guard !plots.isEmpty else { return "" }
        var markup = PageParts.section("Deviation over time")
        markup += """
            <p class="quiet">Above 0 intervals were too long, below it too short. The band reaches from the shortest to the \
            longest of each moment; where there is none, no callback came. Red marks are late callbacks, by who was late; of \
            several close together the latest.</p>

            """
        let kinds = Blame.allCases.filter { kind in
            report.modes.contains { $0.series.events.contains { $0.blame == kind } }
        }
        markup += PageParts.key(kinds.map { ($0.sample, "late: \($0.inWords)") })
        for (mode, plot) in plots {
            markup += "<h3>\(escaped(mode.name))</h3>\n" + PageParts.figure(plot, omission(mode))
        }
        return markup
    }

    /// A report holds but the latest of very many late callbacks.
    private static func omission(_ mode: ModeReport) -> String {
        let drawn = UInt64(mode.series.events.count)
        guard let late = mode.lost.longIntervals, late > drawn else { return "" }
        if drawn == 0 { return "\(counted(late, "late callback")) without a mark." }
        return "There were \(late) late callbacks; the latest of each stretch are marked."
    }

    private static func latencies(_ report: Report) -> String {
        PageParts.section(
            "Latency through each mode", LatencyPlot(report),
            "The bar is what a probe signal measured between an input and an output of the unit, the bracket its error, "
                + "the diamond what the unit's ports declare.")
    }

    private static func figures(_ report: Report) -> String {
        let sheet = FigureSheet(report)
        guard !sheet.groups.isEmpty else { return "" }
        let samples = report.modes.indices.map { PlotStyle(mode: $0) } + [.timer]
        // Of more columns than a phone has room for each row is a block there.
        let isBroad = sheet.headings.count > 2
        var markup = PageParts.section("All figures")
        markup += "<table class=\"figures\(isBroad ? " blocks" : "")\">\n<thead><tr><td></td>"
        for (heading, style) in zip(sheet.headings, samples) {
            markup += "<th scope=\"col\" class=\"number\">\(style.sample)\(escaped(heading))</th>"
        }
        markup += "<td></td></tr></thead>\n"
        for group in sheet.groups {
            markup += "<tbody>\n<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"\(sheet.headings.count + 2)\">"
            markup += "\(escaped(group.title))</th></tr>\n"
            for row in group.rows {
                markup += "<tr><th scope=\"row\">\(escaped(row.label))</th>"
                for (cell, heading) in zip(row.cells, sheet.headings) {
                    markup += "<td class=\"number\(cell.isBad ? " bad" : "")\" data-label=\"\(escaped(heading))\">"
                    markup += "\(escaped(cell.text))</td>"
                }
                markup += "<td class=\"unit\">\(escaped(row.unit))</td></tr>\n"
            }
            markup += "</tbody>\n"
        }
        return markup + "</table>\n"
    }
}
