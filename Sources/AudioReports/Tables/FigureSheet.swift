import AudioFigures

/// All figures of a report in rows, each with a cell for every mode and for the timer: what tables are made from.
struct FigureSheet {
    struct Cell {
        /// `–` where there is nothing.
        var text: String
        /// Whether something was lost, or is beyond a limit that was set on it.
        var isBad: Bool
    }

    struct Row {
        var label: String
        var unit: String
        var cells: [Cell]
        /// Whether it is among the few that a terminal shows.
        var isMain: Bool
    }

    /// The headings of the columns.
    let headings: [String]
    let groups: [(title: String, rows: [Row])]

    init(_ report: Report) {
        let timer = report.baseline.value
        headings = report.modes.map { shown($0.name) } + (timer == nil ? [] : ["timer"])
        let columns = report.modes.map(Figure.Source.mode) + (timer.map { [.timer($0)] } ?? [])
        let exceeded = Exceeded(report)
        groups = FigureTable.measurement.compactMap { Self.group($0, columns, exceeded) }
    }

    /// Times are microseconds, whatever was measured: rows, groups and runs can be compared at a glance. Rows of which no
    /// column has anything are left out, but for those of losses.
    private static func group(
        _ group: FigureGroup, _ columns: [Figure.Source], _ exceeded: Exceeded
    ) -> (title: String, rows: [Row])? {
        let lines = group.figures.flatMap { [$0] + $0.statistics }.flatMap { figure in
            figure.rows.map { row in
                Line(
                    row: row, unit: row.unit ?? figure.unit, values: columns.map(row.value ?? figure.value),
                    areBad: columns.map { figure.isLost(in: $0) || exceeded.contains(figure, of: $0) })
            }
        }.filter { $0.row.isKept || $0.values.contains { $0 != nil } }
        guard !lines.isEmpty else { return nil }
        let rows = lines.map { line in
            let (symbol, text) = form(line)
            return Row(
                label: line.row.label, unit: symbol,
                cells: zip(line.values, line.areBad).map { Cell(text: $0.map(text) ?? "–", isBad: $1) },
                isMain: line.row.isMain)
        }
        return (group.title, rows)
    }

    /// A row before it is text.
    private struct Line {
        var row: Figure.Row
        var unit: Figure.Unit
        var values: [Double?]
        var areBad: [Bool]
    }

    /// The unit as it is shown, and how a value is written in it.
    private static func form(_ line: Line) -> (symbol: String, text: (Double) -> String) {
        let times = TimeUnit.microseconds
        return switch line.unit {
        case .nanoseconds: (times.symbol, { times.text($0, digits: 1) })
        case .share: ("%", { fixed($0 * 100, 2) })
        case .perSecond: ("per s", { fixed($0, 1) })
        case .milliseconds: ("ms", { fixed($0, 3) })
        default: (line.unit.rawValue, { fixed($0, line.row.digits ?? 0) })
        }
    }
}

/// The limits that were not met, by figure and mode.
private struct Exceeded {
    private let limits: [(name: String, mode: String)]

    init(_ report: Report) {
        limits = report.limits.filter { !$0.isMet }.compactMap { result in
            (try? Limit(result.limit)).map { ($0.name, result.mode) }
        }
    }

    func contains(_ figure: Figure, of source: Figure.Source) -> Bool {
        guard let name = figure.limit, let mode = source.mode?.name else { return false }
        return limits.contains { $0 == (name, mode) }
    }
}

extension Figure {
    /// Whether it counts what was lost, and something was.
    fileprivate func isLost(in source: Source) -> Bool {
        isLoss && value(source) ?? 0 > 0
    }
}
