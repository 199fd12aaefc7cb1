import AudioFigures

import func Glibc.log10
import func Glibc.pow

/// The deviation at each percentile: all modes and the timer, rare ones to the right.
struct PercentilePlot: Plot {
    private struct Curve {
        var name: String
        var style: PlotStyle
        var points: [CurvePoint]
        var count: UInt64
    }

    private let curves: [Curve]
    /// Of the servers that the modes were measured on, in nanoseconds.
    private let periods: [Double]

    /// `nil` where no interval was measured.
    init?(_ report: Report) {
        var curves = report.modes.enumerated().map { index, mode in
            Curve(
                name: mode.name, style: PlotStyle(mode: index), points: mode.deviationCurve,
                count: mode.deviation.count)
        }
        if let timer = report.baseline.value {
            curves.append(
                Curve(name: "timer", style: .timer, points: timer.deviationCurve, count: timer.deviation.count))
        }
        self.init(curves, periods: report.periods)
    }

    /// - Parameter curves: of any runs; `nil` where there is nothing in them.
    init?(_ curves: [(name: String, points: [CurvePoint])]) {
        let curves = curves.enumerated().map { index, curve in
            Curve(
                name: curve.name, style: PlotStyle(mode: index), points: curve.points,
                count: curve.points.map(\.count).max() ?? 0)
        }
        self.init(curves, periods: [])
    }

    private init?(_ curves: [Curve], periods: [Double]) {
        self.curves = curves.filter { !$0.points.isEmpty && $0.count > 0 }
        self.periods = periods
        if self.curves.isEmpty { return nil }
    }

    var description: String {
        "Deviation by percentile, both axes logarithmic. "
            + curves.map { curve in
                "\(curve.name): up to \(duration(Double(curve.points.map(\.nanoseconds).max() ?? 0)))"
            }
            .joined(separator: "; ") + "."
    }

    var key: [(sample: String, text: String)] { curves.map { ($0.style.sample, $0.name) } }

    func canvas(width: Double) -> PlotCanvas {
        let height = width > 500 ? 360.0 : 300
        var canvas = PlotCanvas(width: width, height: height)
        let bottom = height - PlotCanvas.labelHeight
        let most = curves.map { rarest($0.count) }.max() ?? 90
        let across = PlotScale(.percentile, from: 0, to: most, start: 62, end: width - 12)
        let values = curves.flatMap { $0.points.map { Double($0.nanoseconds) } }
        // What is less than the clock can tell, or nothing, lies on the floor.
        let floor = max(values.filter { $0 > 0 }.min() ?? 100, 100)
        let up = PlotScale(
            .logarithmic, from: pow(10, log10(floor).rounded(.down)),
            to: max(values.max() ?? 1000, periods.max() ?? 0) * 1.6, start: bottom, end: PlotCanvas.titleHeight)
        canvas.grid(across, up, labels: { fixed($0, digits(of: $0)) + " %" })
        canvas.titles(
            across: "share of intervals that deviate by at most this, %", up: "deviation, early or late",
            bottom: bottom)
        canvas.periodsAcross(periods, across, up)
        for curve in curves {
            let points = curve.points.map { point in
                (
                    x: across.position(min(point.percentile, rarest(curve.count))),
                    y: up.position(Double(point.nanoseconds))
                )
            }
            canvas.polyline(points, "line drawn \(curve.style.hue)", dashes: curve.style.dashes)
        }
        return canvas
    }

    /// The percentile that one of so many values lies beyond: no curve goes further, as its 100 % is at infinity.
    private func rarest(_ count: UInt64) -> Double { 100 * (1 - 1 / max(Double(count), 2)) }

    private func digits(of percentile: Double) -> Int {
        (0...6).first { digits in
            let scaled = percentile * pow(10, Double(digits))
            return abs(scaled - scaled.rounded()) < 1e-6
        } ?? 6
    }
}

extension PlotCanvas {
    /// Lines at the round values of both axes; times up, and labels of any kind across.
    mutating func grid(_ across: PlotScale, _ up: PlotScale, labels: (Double) -> String) {
        axisUp(up, spacing: 20, across: across, label: tickLabel)
        axisAcross(across, spacing: 52, top: up.end, bottom: up.start, label: labels)
        line(across.start, up.start, across.start, up.end, "axis")
    }
}
