import func Glibc.log2

/// How much each figure of a comparison changed, and what chance permits: on an axis of ratios, on which half as much is as far
/// from the middle as twice as much.
struct ChangePlot: Plot {
    private struct Strip {
        var name: String
        var outcome: RunComparison.Outcome
        var words: String
        /// Of the figure before.
        var least: Double
        var ratio: Double
        var greatest: Double
    }

    private let strips: [Strip]
    /// More cannot be told apart.
    private static let widest = 16.0

    /// `nil` where no change has an interval.
    init?(_ comparison: RunComparison) {
        let hasModes = comparison.before.parts.count > 1
        strips = comparison.rows.filter(\.isMain).compactMap { row in
            // Of next to nothing, as of a latency of 0 frames, there is no ratio.
            let least = row.figure.unit == .frames ? Limit.slackFrames : 0
            guard let interval = row.interval, let before = row.before, before > least, let change = row.change else {
                return nil
            }
            func ratio(_ change: Double) -> Double { min(max(1 + change / before, 1 / Self.widest), Self.widest) }
            return Strip(
                name: hasModes ? "\(row.part).\(row.name)" : row.name, outcome: row.outcome,
                words: "\(row.changeInWords) (\(row.intervalInWords))", least: ratio(interval.lowerBound),
                ratio: ratio(change), greatest: ratio(interval.upperBound))
        }
        if strips.isEmpty { return nil }
    }

    var description: String {
        "Changes. " + strips.map { "\($0.name): \($0.words), \($0.outcome.rawValue)" }.joined(separator: "; ") + "."
    }

    func canvas(width: Double) -> PlotCanvas {
        let pitch = 40.0
        let bottom = 8 + pitch * Double(strips.count)
        var canvas = PlotCanvas(width: width, height: bottom + PlotCanvas.labelHeight)
        let farthest = strips.flatMap { [1 / $0.least, $0.greatest, 1.05] }.max() ?? 2
        let reach = log2(farthest) * 1.1
        let scale = PlotScale(.linear, from: -reach, to: reach, start: 8, end: width - 8)
        for percent in Self.ticks where abs(log2(1 + percent / 100)) <= reach {
            let x = scale.position(log2(1 + percent / 100))
            let label = percent == 0 ? "same" : "\(percent < 0 ? "−" : "+")\(fixed(abs(percent), 0)) %"
            guard percent == 0 || abs(x - scale.position(0)) > 44, isRoom(percent, reach, scale) else { continue }
            canvas.line(x, 4, x, bottom, percent == 0 ? "axis" : "grid")
            canvas.text(label, canvas.labelCentre(x, label), bottom + 16, .middle, "quiet")
        }
        canvas.titles(across: "change of each figure, by ratio", up: nil, bottom: bottom)
        for (index, strip) in strips.enumerated() {
            let top = 8 + pitch * Double(index)
            let hue = strip.outcome == .worse ? "mark" : strip.outcome == .better ? "mode3" : "timer"
            canvas.heading(strip.name, strip.words, scale.start, top + 11)
            canvas.bar(
                from: scale.position(log2(strip.least)), to: scale.position(log2(strip.greatest)), middle: top + 25,
                height: 10, "filled \(hue)", opacity: 0.4)
            let x = scale.position(log2(strip.ratio))
            canvas.bar(from: x - 1.5, to: x + 1.5, middle: top + 25, height: 16, "filled \(hue)")
        }
        return canvas
    }

    /// In percent.
    private static let ticks: [Double] = [0, -50, 100, -80, 400, -20, 25, -90, 900, -10, 10, -5, 5, -2, 2]

    /// The rounder ones come first, and the others find room beside them or not.
    private func isRoom(_ percent: Double, _ reach: Double, _ scale: PlotScale) -> Bool {
        let x = scale.position(log2(1 + percent / 100))
        return Self.ticks.prefix { $0 != percent }.allSatisfy { other in
            let place = log2(1 + other / 100)
            return abs(place) > reach || abs(scale.position(place) - x) > 44
        }
    }
}
