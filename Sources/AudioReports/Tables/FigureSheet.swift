import AudioFigures

/// All figures of a report in rows, each with a cell for every mode and for the timer: what tables are made from.
struct FigureSheet {
    struct Row {
        var label: String
        var unit: String
        /// `–` where there is nothing.
        var cells: [String]
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
        groups = FigureTable.measurement.compactMap { Self.group($0, columns) }
    }

    /// Times of one group have one unit, so that they can be compared at a glance. Rows of which no column has anything
    /// are left out.
    private static func group(_ group: FigureGroup, _ columns: [Figure.Source]) -> (title: String, rows: [Row])? {
        let lines = group.figures.flatMap { [$0] + $0.statistics }.flatMap { figure in
            figure.rows.map { row in
                Line(row: row, unit: row.unit ?? figure.unit, values: columns.map(row.value ?? figure.value))
            }
        }.filter { $0.values.contains { $0 != nil } }
        guard !lines.isEmpty else { return nil }
        let main = lines.filter(\.row.isMain)
        let times = (main.isEmpty ? lines : main).filter { $0.unit == .nanoseconds }.flatMap(\.values)
        let (unit, digits) = scale(times.compactMap { $0.map(abs) }.filter { $0 > 0 })
        let rows = lines.map { line in
            let (symbol, text) = form(line, times: unit, digits: digits)
            return Row(
                label: line.row.label, unit: symbol, cells: line.values.map { $0.map(text) ?? "–" },
                isMain: line.row.isMain)
        }
        return (group.title, rows)
    }

    /// A row before it is text.
    private struct Line {
        var row: Figure.Row
        var unit: Figure.Unit
        var values: [Double?]
    }

    /// The unit of one of the shorter ones, with as many digits as are worth reading.
    private static func scale(_ times: [Double]) -> (TimeUnit, digits: Int) {
        guard !times.isEmpty else { return (.milliseconds, 3) }
        return switch times.sorted()[times.count / 4] {
        case ..<1e3: (.nanoseconds, 0)
        case ..<1e4: (.microseconds, 2)
        case ..<1e6: (.microseconds, 1)
        case ..<1e9: (.milliseconds, 3)
        default: (.seconds, 3)
        }
    }

    /// The unit as it is shown, and how a value is written in it.
    private static func form(
        _ line: Line, times: TimeUnit, digits: Int
    ) -> (symbol: String, text: (Double) -> String) {
        switch line.unit {
        case .nanoseconds: (times.symbol, { times.text($0, digits: digits) })
        case .share: ("%", { fixed($0 * 100, 2) })
        case .perSecond: ("per s", { fixed($0, 1) })
        case .milliseconds: ("ms", { fixed($0, 3) })
        default: (line.unit.rawValue, { fixed($0, line.row.digits ?? 0) })
        }
    }
}
