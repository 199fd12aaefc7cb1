import AudioFigures

/// A report for people at a terminal: the modes side by side, at most 100 columns wide where names permit it.
///
/// A percentile that so few values cannot have, and whatever was not measured, is a dash.
public struct ReportTable: Sendable {
    /// Lines without a line break after the last.
    public let text: String

    /// - Parameter hasColor: whether a terminal is to show what is bad in red, and a limit that was met in green.
    public init(_ report: Report, hasColor: Bool = false) {
        let head = ReportFacts(report)
        var lines = head.warning.map { Self.wrapped($0) + [""] } ?? []
        lines.append(head.command)
        lines += Self.list(head.facts, width: 16)
        for table in Self.figures(FigureSheet(report), hasColor: hasColor) { lines += [""] + table }
        for mode in report.modes where mode.hasChangedPeriod {
            lines += Self.section("parts of \(shown(mode.name)), each against its own period", Self.parts(mode))
        }
        lines += Self.colored(Self.section("limits", Self.limits(report.limits)), report.limits.map(\.isMet), hasColor)
        lines += Self.section("published figures beside those measured here", Self.published(report.published))
        lines += [""] + Self.wrapped(Verdict.said(of: report))
        text = lines.joined(separator: "\n")
    }

    private static let width = 100

    /// Names and what belongs to each, which goes on below itself.
    static func list(_ entries: [(name: String, text: String)], width: Int) -> [String] {
        entries.flatMap { name, text in
            labelled("  \(name)", AudioReports.wrapped(text, width: Self.width - width), indent: width)
        }
    }

    static func wrapped(_ text: String) -> [String] { AudioReports.wrapped(text, width: width) }

    /// As many tables of the same rows as it takes to show all columns.
    private static func figures(_ sheet: FigureSheet, hasColor: Bool) -> [[String]] {
        let groups = sheet.groups.map { $0.rows.filter(\.isMain) }.filter { !$0.isEmpty }
        let rows = groups.flatMap { $0 }
        let labels = rows.map(\.label.count).max() ?? 0
        let units = rows.map(\.unit.count).max() ?? 0
        let columns = sheet.headings.indices.map { column in
            DecimalColumn(
                heading: shortened(sheet.headings[column]),
                cells: groups.map { rows in rows.map { $0.cells[column] } }, hasColor: hasColor)
        }
        var tables: [[DecimalColumn]] = []
        var taken = 0
        for column in columns {
            if tables.isEmpty || taken + 2 + column.width > width - labels - 1 - units {
                tables.append([])
                taken = 0
            }
            tables[tables.count - 1].append(column)
            taken += 2 + column.width
        }
        return tables.map { table in
            var lines = [padded("", labels) + table.map { "  " + alignedRight($0.heading, $0.width) }.joined()]
            for (group, rows) in groups.enumerated() {
                if group > 0 { lines.append("") }
                for (row, figure) in rows.enumerated() {
                    let cells = table.map { "  " + $0.cells[group][row] }.joined()
                    lines.append(padded(figure.label, labels) + cells + " " + figure.unit)
                }
            }
            return lines.map(withoutEnd)
        }
    }

    /// The lines of a section, of which each below the title is good or bad.
    static func colored(_ section: [String], _ areGood: [Bool], _ hasColor: Bool) -> [String] {
        guard hasColor, !section.isEmpty else { return section }
        return section.prefix(2) + zip(section.dropFirst(2), areGood).map { ($1 ? Ink.green : .red).text($0) }
    }

    static func section(_ title: String, _ rows: [[String]]) -> [String] {
        guard !rows.isEmpty else { return [] }
        return ["", title] + aligned(rows).map { "  " + $0 }
    }

    /// Of a run whose period or rate changed: names of columns, and a row for each part.
    static func parts(_ mode: ModeReport) -> [[String]] {
        let head = [
            "from, s", "frames", "rate, Hz", "nominal, µs", "intervals", "deviation p50, µs", "p99, µs", "max, µs",
        ]
        func time(_ statistic: Statistic, _ part: PeriodPart) -> String {
            statistic.value(of: part.deviation).map { microseconds($0) } ?? "–"
        }
        func microseconds(_ nanoseconds: Double) -> String { TimeUnit.microseconds.text(nanoseconds, digits: 1) }
        var rows = mode.parts.map { part in
            [
                fixed(Double(part.startNanoseconds) / 1e9, 3), "\(part.frames)", "\(part.sampleRate)",
                microseconds(part.nominalNanoseconds), "\(part.interval.count)", time(.p50, part), time(.p99, part),
                time(.max, part),
            ]
        }
        if mode.omittedParts > 0 {
            rows.append(["and \(mode.omittedParts) more"] + [String](repeating: "", count: head.count - 1))
        }
        return [head] + rows
    }

    static func limits(_ results: [LimitResult]) -> [[String]] {
        results.map { result in
            [result.outcome, shown(result.limit), shown(result.mode), result.measuredInWords]
        }
    }

    private static func published(_ figures: [PublishedFigure]) -> [[String]] {
        guard !figures.isEmpty else { return [] }
        return [["", "published", "measured", ""]]
            + figures.map { [shown($0.name), shown($0.published), shown($0.measured), shown($0.unit)] }
    }
}

/// One column, its cells aligned on the decimal point.
private struct DecimalColumn {
    let heading: String
    let cells: [[String]]
    let width: Int

    /// - Parameter hasColor: whether bad values are red.
    init(heading: String, cells: [[FigureSheet.Cell]], hasColor: Bool) {
        let all = cells.joined().map { Self.parts($0.text) }
        let before = all.map(\.before).max() ?? 0
        let after = all.map(\.after).max() ?? 0
        let width = max(heading.count, before + after)
        self.heading = heading
        self.width = width
        self.cells = cells.map { group in
            group.map { cell in
                let tail = after - Self.parts(cell.text).after
                let text = padded(alignedRight(cell.text, width - tail), width)
                return hasColor && cell.isBad ? Ink.red.text(text) : text
            }
        }
    }

    /// How long a number is before its point, and from it on.
    private static func parts(_ cell: String) -> (before: Int, after: Int) {
        let before = cell.prefix { $0 != "." }.count
        return (before, cell.count - before)
    }
}

/// A colour of a terminal's, as ECMA-48 numbers them.
private enum Ink: Int {
    case red = 31
    case green = 32

    func text(_ text: String) -> String { "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" }
}

private func shortened(_ heading: String) -> String {
    heading.count <= 24 ? heading : heading.prefix(23) + "…"
}
