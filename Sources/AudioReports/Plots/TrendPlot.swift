/// A figure of many runs over the dates of the runs: a line for each machine, a mark for each run.
struct TrendPlot: Plot {
    private struct Line {
        var name: String
        var style: PlotStyle
        var points: [(date: RunDate, value: Double)]
    }

    private let figure: Figure
    private let lines: [Line]

    /// `nil` where no run has it.
    init?(_ trend: RunHistory.Trend, _ figure: Figure) {
        self.figure = figure
        let entries = Dictionary(grouping: trend.entries, by: \.machine)
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
        let first = dates.min() ?? RunDate(seconds: 0)
        let last = dates.max() ?? first
        // One run alone stands in the middle.
        let air = first == last ? 1 : 0
        let across = PlotScale(
            .linear, from: Double(first.seconds - air), to: Double(last.seconds + air), start: 70, end: width - 12)
        let values = lines.flatMap { $0.points.map(\.value) }
        let up = PlotScale(
            .linear, from: min(0, values.min() ?? 0), to: values.contains { $0 > 0 } ? (values.max() ?? 1) * 1.1 : 1,
            start: bottom, end: top)
        canvas.axisUp(up, spacing: 34, across: across, label: label)
        // Round numbers of seconds are no round dates: those of the runs themselves, where there is room.
        let isOneDay = first.dayText == last.dayText
        var taken = -Double.infinity
        for date in dates.sorted() {
            let x = across.position(Double(date.seconds))
            guard x - taken >= 84 else { continue }
            taken = x
            let text = isOneDay ? date.timeText : date.dayText
            canvas.line(x, top, x, bottom, "grid")
            canvas.text(text, canvas.labelCentre(x, text), bottom + 16, .middle, "quiet")
        }
        canvas.line(across.start, bottom, across.end, bottom, "axis")
        canvas.titles(across: "when it was measured, UTC", up: title, bottom: bottom)
        for line in lines {
            let points = line.points.map { point in
                (x: across.position(Double(point.date.seconds)), y: up.position(point.value))
            }
            canvas.polyline(points, "line drawn \(line.style.hue)", dashes: line.style.dashes)
            for (x, y) in points {
                canvas.polygon([(x, y - 4), (x + 4, y), (x, y + 4), (x - 4, y)], "mark filled \(line.style.hue)")
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
