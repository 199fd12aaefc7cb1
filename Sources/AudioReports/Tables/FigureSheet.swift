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

    let headings: [String]
    let groups: [(title: String, rows: [Row])]

    init(_ report: Report) {
        let timer = report.baseline.value
        headings = report.modes.map { shown($0.name) } + (timer == nil ? [] : ["timer"])
        var columns: [any Reported] = report.modes
        if let timer { columns.append(timer) }
        let exceeded = report.exceeded.compactMap { result in
            (try? Limit(result.limit)).map { (name: $0.name, mode: result.mode) }
        }
        groups = FigureTable.measurement.compactMap { Self.group($0, columns, exceeded) }
    }

    /// Times are microseconds, whatever was measured: rows, groups and runs can be compared at a glance. Rows of which no
    /// column has anything are left out, but for those of losses.
    private static func group(
        _ group: FigureGroup, _ columns: [any Reported], _ exceeded: [(name: String, mode: String)]
    ) -> (title: String, rows: [Row])? {
        let rows = group.figures.flatMap { [$0] + $0.statistics }.flatMap { figure in
            figure.rows.compactMap { row -> Row? in
                let values = columns.map(row.value ?? figure.value)
                guard row.isKept || values.contains(where: { $0 != nil }) else { return nil }
                let (symbol, text) = form(row.unit ?? figure.unit, digits: row.digits)
                let cells = zip(columns, values).map { column, value in
                    let mode = (column as? ModeReport)?.name
                    let isExceeded = exceeded.contains { $0.name == figure.limit && $0.mode == mode }
                    return Cell(text: value.map(text) ?? "–", isBad: isExceeded || figure.isLost(in: column))
                }
                return Row(label: row.label, unit: symbol, cells: cells, isMain: row.isMain)
            }
        }
        return rows.isEmpty ? nil : (group.title, rows)
    }

    /// The unit as it is shown, and how a value is written in it.
    ///
    /// - Parameter digits: after the point; `nil` for as many as are usual for the unit.
    private static func form(_ unit: Figure.Unit, digits: Int?) -> (symbol: String, text: (Double) -> String) {
        let times = TimeUnit.microseconds
        return switch unit {
        case .nanoseconds: (times.symbol, { times.text($0, digits: 1) })
        case .share: ("%", { fixed($0 * 100, 2) })
        case .perSecond: ("per s", { fixed($0, 1) })
        case .milliseconds: ("ms", { fixed($0, 3) })
        default: (unit.rawValue, { fixed($0, digits ?? 0) })
        }
    }
}

extension Figure {
    /// Whether it counts what was lost, and something was.
    fileprivate func isLost(in report: any Reported) -> Bool { isLoss && value(report) ?? 0 > 0 }
}
