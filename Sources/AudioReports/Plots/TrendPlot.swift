/// A figure of many runs over the dates of the runs: a line for each machine, a mark for each run.
struct TrendPlot: Plot {
    private struct Line {
        var name: String
        var style: PlotStyle
        var points: [(date: RunDate, value: Double)]
    }

    private let figure: Figure
    private let lines: [Line]

    /// Pixels between two marks or labels of dates so that both can be read.
    private static let markDistance = 8.0
    private static let labelDistance = 16.0

    /// `nil` where no run has it that a clock was set for.
    init?(_ trend: RunHistory.Trend, _ figure: Figure) {
        self.figure = figure
        let entries = Dictionary(grouping: trend.entries.filter(\.date.isOfSetClock), by: \.machine)
        lines = trend.machines.enumerated().compactMap { index, machine in
            let points = entries[machine, default: []].compactMap { entry in
                entry.part.value(figure).map { (date: entry.date, value: $0) }
            }
            return points.isEmpty ? nil : Line(name: machine, style: PlotStyle(mode: index), points: points)
        }
        if lines.isEmpty { return nil }
    }

    var key: [(sample: String, text: String)] { lines.count > 1 ? lines.map { ($0.style.sample, $0.name) } : [] }

    var description: String {
        "\(figure.limit ?? "") over time. "
            + lines.map { line in
                let values = line.points.map(\.value)
                let last = line.points.last.map { figure.words($0.value) } ?? ""
                return "\(line.name): \(counted(values.count, "run")), from "
                    + "\(figure.words(values.min() ?? 0)) to \(figure.words(values.max() ?? 0)), at last \(last)"
            }
            .joined(separator: "; ") + "."
    }

    func canvas(width: Double) -> PlotCanvas {
        let (top, bottom) = (PlotCanvas.titleHeight, 180.0)
        var canvas = PlotCanvas(width: width, height: bottom + PlotCanvas.labelHeight)
        let dates = lines.flatMap { $0.points.map(\.date) }
        guard let first = dates.min(), let last = dates.max() else { return canvas }
        // One run alone stands in the middle.
        let air = first == last ? 1 : 0
        let across = PlotScale(
            .linear, from: Double(first.seconds - air), to: Double(last.seconds + air), start: 70, end: width - 12)
        let values = lines.flatMap { $0.points.map(\.value) }
        // Of less than that ticks cannot be told apart by their labels.
        let least = figure.unit.leastAxis
        let lowest = values.min().map { $0 < -least ? $0 : 0 } ?? 0
        let up = PlotScale(
            .linear, from: lowest, to: max(least, values.max() ?? 0) * 1.1, start: bottom, end: top)
        canvas.axisUp(up, spacing: 34, across: across, isWhole: figure.kind == .integer, label: label)
        // Round numbers of seconds are no round dates: those of the runs themselves, where there is room.
        let isOneDay = first.dayText == last.dayText
        var taken = -Double.infinity
        for date in dates.sorted() {
            let x = across.position(Double(date.seconds))
            let text = isOneDay ? date.timeText : date.dayText
            // At an edge a label is not below its line.
            let (centre, half) = (canvas.labelCentre(x, text), PlotCanvas.width(of: text) / 2)
            guard centre - half - taken >= Self.labelDistance else { continue }
            taken = centre + half
            canvas.line(x, top, x, bottom, "grid")
            canvas.text(text, centre, bottom + 16, .middle, "quiet")
        }
        canvas.line(across.start, bottom, across.end, bottom, "axis")
        canvas.titles(across: "when it was measured, UTC", up: title, bottom: bottom)
        for line in lines {
            let points = line.points.map { point in
                (x: across.position(Double(point.date.seconds)), y: up.position(point.value))
            }
            canvas.polyline(points, "line drawn \(line.style.hue)", dashes: line.style.dashes)
            for (index, (x, y)) in points.enumerated() {
                let isClose = [index - 1, index + 1].contains { other in
                    points.indices.contains(other) && abs(points[other].x - x) < Self.markDistance
                }
                // The ground around a mark would hide the marks beside it, and the line.
                let (size, style) = isClose ? (2.0, "filled") : (4.0, "mark filled")
                canvas.polygon(
                    [(x, y - size), (x + size, y), (x, y + size), (x - size, y)], "\(style) \(line.style.hue)")
            }
        }
        return canvas
    }

    private var title: String? { figure.limit.map { figure.unit == .frames ? "\($0), frames" : $0 } }

    private func label(_ value: Double) -> String {
        switch figure.unit {
        case .nanoseconds: tickLabel(nanoseconds: value)
        // The title has the word, for which there is no room here.
        case .frames: fixed(value, value == value.rounded() ? 0 : 2)
        default: figure.words(value)
        }
    }
}

extension Figure.Unit {
    /// The least that an axis of it reaches.
    fileprivate var leastAxis: Double {
        switch self {
        case .nanoseconds: 1000
        case .milliseconds: 0.001
        case .share: 0.01
        default: 1
        }
    }
}
