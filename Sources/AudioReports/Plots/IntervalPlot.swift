import AudioFigures

/// The intervals of all modes, and of the timer, on one logarithmic axis of time.
struct IntervalPlot: Plot {
    private struct Strip {
        var name: String
        var style: PlotStyle
        var nominal: Double
        var interval: Distribution
        var deviation: Distribution
    }

    private let strips: [Strip]
    /// Of the servers that the modes were measured on, in nanoseconds.
    private let periods: [Double]
    /// Of so many parts with a period of their own a strip is drawn.
    private static let partLimit = 8

    /// `nil` where no interval was measured.
    init?(_ report: Report) {
        var strips = report.modes.enumerated().flatMap { index, mode in
            // One strip has one nominal time.
            mode.hasChangedPeriod
                ? mode.parts.prefix(Self.partLimit).map { part in
                    Strip(
                        name: "\(mode.name), \(frames(Double(part.frames)))"
                            + (mode.hasChangedRate ? " at \(part.sampleRate) Hz" : ""),
                        style: PlotStyle(mode: index), nominal: part.nominalNanoseconds, interval: part.interval,
                        deviation: part.deviation)
                }
                : [
                    Strip(
                        name: mode.name, style: PlotStyle(mode: index), nominal: mode.nominalNanoseconds,
                        interval: mode.interval, deviation: mode.deviation)
                ]
        }
        if let timer = report.baseline.value {
            strips.append(
                Strip(
                    name: "timer", style: .timer, nominal: timer.nominalNanoseconds, interval: timer.interval,
                    deviation: timer.deviation))
        }
        periods = report.periods
        self.strips = strips.filter { $0.interval.count > 0 }
        if self.strips.isEmpty { return nil }
    }

    var description: String {
        "Intervals on a logarithmic axis. "
            + strips.map { strip in
                "\(strip.name): nominal \(duration(strip.nominal)), from \(duration(Double(strip.interval.minimum)))"
                    + " to \(duration(Double(strip.interval.maximum)))"
            }
            .joined(separator: "; ") + "."
    }

    func canvas(width: Double) -> PlotCanvas {
        let pitch = 46.0
        let top = 22.0
        let bottom = top + 4 + pitch * Double(strips.count)
        var canvas = PlotCanvas(width: width, height: bottom + PlotCanvas.labelHeight)
        // A tenth of a decade of air at both ends.
        let ends = strips.flatMap { [Double($0.interval.minimum), Double($0.interval.maximum), $0.nominal] }
        let scale = PlotScale(
            .logarithmic, from: max(ends.min() ?? 1, 1) / 1.25, to: (ends.max() ?? 10) * 1.25, start: 8, end: width - 8)
        canvas.axisAcross(scale, spacing: 58, top: top, bottom: bottom, label: tickLabel)
        canvas.titles(across: "interval, from one callback's start to the next", up: nil, bottom: bottom)
        for period in periods where (scale.least...scale.greatest).contains(period) {
            let label = "period \(duration(period, significantDigits: 4))"
            canvas.periodUp(period, label, scale, top: top - 4, bottom: bottom)
        }
        for (index, strip) in strips.enumerated() {
            draw(strip, top: top + 4 + pitch * Double(index), scale, &canvas)
        }
        return canvas
    }

    private func draw(_ strip: Strip, top: Double, _ scale: PlotScale, _ canvas: inout PlotCanvas) {
        let middle = top + 30
        let (shortest, longest) = (Double(strip.interval.minimum), Double(strip.interval.maximum))
        canvas.heading(
            strip.name,
            "\(duration(strip.nominal, significantDigits: 4)), \(duration(shortest)) … \(duration(longest))",
            scale.start, top + 12)
        canvas.line(scale.position(shortest), middle, scale.position(longest), middle, "line drawn \(strip.style.hue)")
        for end in [shortest, longest] {
            let x = scale.position(end)
            canvas.line(x, middle - 5, x, middle + 5, "line drawn \(strip.style.hue)")
        }
        // So many intervals are at most so far from nominal, and none is beyond the extremes.
        for (statistic, height, opacity) in [(Statistic.p99, 9.0, 0.5), (.p50, 15.0, 1)] {
            guard let deviation = statistic.value(of: strip.deviation) else { continue }
            canvas.bar(
                from: scale.position(max(shortest, strip.nominal - deviation)),
                to: scale.position(min(longest, strip.nominal + deviation)), middle: middle, height: height,
                "filled \(strip.style.hue)", opacity: opacity)
        }
        // A queue's buffer lasts longer than a period.
        if !periods.contains(where: { abs($0 - strip.nominal) < 1 }) {
            let nominal = scale.position(strip.nominal)
            canvas.line(nominal, middle - 13, nominal, middle + 13, "nominal")
        }
    }
}
