import AudioFigures
import AudioReports

/// `iounit help figures`: what is measured, what it is called in limits and in the JSON, and in which unit.
enum FigureHelp {
    typealias Reports = [(kind: ReportKind, subcommands: [String])]

    /// - Parameter reports: what the program prints, in the order of its subcommands.
    static func text(_ format: HelpText, _ reports: Reports) -> String {
        let measured = [ReportKind.jitter, .compare, .latency].map(\.name)
        return format.paragraphs(source(format, reports.filter { !measured.contains($0.kind.name) }))
            .joined(separator: "\n")
    }

    private static func section(_ kind: ReportKind, _ subcommands: [String], _ format: HelpText) -> String {
        let names = subcommands.map { "iounit \($0) --json" }.joined(separator: " and ")
        let note = kind.note.isEmpty ? "" : " \(kind.note)"
        return """
            Fields of what \(names) print\(subcommands.count == 1 ? "s" : "").\(note)

            \(fields(kind.figures, format))
            """
    }

    /// - Parameter reports: without those of measurements.
    private static func source(_ format: HelpText, _ reports: Reports) -> String {
        """
        iounit help figures - what is measured, and what it is called

        Limits (--limit NAME=VALUE): the most that a figure may be. A time has a unit (ns, us, ms, s), frames may
        have one, a share may be in percent. Of several modes a limit holds for callback mode; queued.NAME holds
        for every queue. STATISTIC is \(statistics.listed("or")).
        A STATISTIC alone is the deviation's: p99 is deviation.p99.

        A figure has one name. Tables have it in words (lost records), limits with hyphens (lost-records), and the JSON as one
        word with the unit behind it (lostRecords, lostNanoseconds). p999 is the percentile 99.9, p9999 the percentile 99.99.

        \(limits(Report.figures, format))

        The JSON Schema of a kind of report: iounit help --schema KIND; without KIND, their names.

        Fields of the JSON. A distribution has \(Statistic.allCases.map(\.rawValue).joined(separator: ", ")).
        A percentile is the value whose rank is nearest to that share of all (iounit help measuring), at most 0.1 % too great. A
        statistic that there are too few values for is null, and no limit on it is met: p99 takes 100 of them, p999 1000, p9999 10000.

        \(fields(Report.figures, format))

        Limits of iounit latency (--limit NAME=VALUE).

        \(limits(FigureTable.latency, format))

        Fields of its JSON, beside schema, end, seconds, server, host, scheduling, provenance, limits and verdict, which are as above.

        \(fields(FigureTable.latency, format))

        \(reports.map { section($0.kind, $0.subcommands, format) }.joined(separator: "\n\n"))
        """
    }

    /// Those that every limit on a distribution can name.
    private static let statistics = Statistic.allCases.compactMap(\.limit)

    private static func limits(_ figures: [Figure], _ format: HelpText) -> String {
        table(
            figures.compactMap { figure in
                figure.limit.map { name in
                    let unit = figure.unit == .nanoseconds ? "time" : figure.unit.rawValue
                    return (figure.statistics.isEmpty ? name : "\(name)STATISTIC", unit, figure.meaning)
                }
            }, format)
    }

    private static func fields(_ figures: [Figure], _ format: HelpText) -> String {
        table(figures.map { ($0.path, $0.unit.rawValue, $0.meaning) }, format)
    }

    /// What has no room beside its unit and meaning stands above them.
    private static func table(_ rows: [(name: String, unit: String, meaning: String)], _ format: HelpText) -> String {
        let units = rows.map(\.unit.count).max() ?? 0
        let names = min(longestName, rows.map(\.name.count).max() ?? 0)
        let indent = 2 + names + 2 + units + (units > 0 ? 2 : 0)
        return rows.flatMap { row in
            let unit = units > 0 ? "  \(padded(row.unit, units))" : ""
            let isLong = row.name.count > names
            return (isLong ? ["  \(row.name)"] : [])
                + format.labelled("  \(padded(isLong ? "" : row.name, names))\(unit)", row.meaning, indent: indent)
        }.joined(separator: "\n")
    }

    private static let longestName = 30
}
