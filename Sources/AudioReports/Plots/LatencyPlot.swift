import AudioFigures

/// The latency through each mode, as measured and as declared.
struct LatencyPlot: Plot {
    private let modes: [(mode: ModeReport, style: PlotStyle)]

    /// Of the servers that the modes were measured on, in frames, each once.
    private let periods: [Double]

    /// `nil` where there are not two to compare: one is a number, and no picture.
    init?(_ report: Report) {
        guard report.modes.count > 1, report.modes.contains(where: { $0.latencyFrames.value?.isFinite == true })
        else { return nil }
        let told = Set(report.modes.map(\.periodFrames).filter { $0 > 0 })
        periods = (told.isEmpty ? [report.server.periodFrames] : told.sorted()).map(Double.init)
        modes = report.modes.enumerated().map { ($1, PlotStyle(mode: $0)) }
    }

    var description: String {
        "Latency in frames. " + modes.map { "\($0.mode.name): \(words($0.mode))" }.joined(separator: "; ") + "."
    }

    func canvas(width: Double) -> PlotCanvas {
        let pitch = 46.0
        let top = 22.0
        let bottom = top + 4 + pitch * Double(modes.count)
        var canvas = PlotCanvas(width: width, height: bottom + PlotCanvas.labelHeight)
        let ends = modes.flatMap { mode, _ in
            let error = mode.latencyErrorFrames.value ?? 0
            return [mode.latencyFrames.value.map { $0 + error } ?? 0, Double(mode.declaredLatencyFrames ?? 0)]
        }
        let starts = modes.map { $0.mode.latencyFrames.value ?? 0 }
        let scale = PlotScale(
            .linear, from: min(0, starts.min() ?? 0), to: max(periods.max() ?? 0, 1, (ends.max() ?? 0) * 1.04),
            start: 8, end: width - 8)
        canvas.axisAcross(scale, spacing: 58, top: top, bottom: bottom) { fixed($0, $0 == $0.rounded() ? 0 : 1) }
        canvas.titles(across: "latency from input to output, frames", up: nil, bottom: bottom)
        for period in periods {
            canvas.periodUp(period, "period \(frames(period))", scale, top: top - 4, bottom: bottom)
        }
        for (index, row) in modes.enumerated() {
            draw(row.mode, row.style, top: top + 4 + pitch * Double(index), scale, &canvas)
        }
        return canvas
    }

    private func draw(
        _ mode: ModeReport, _ style: PlotStyle, top: Double, _ scale: PlotScale, _ canvas: inout PlotCanvas
    ) {
        let middle = top + 29
        // The time has no room on a phone.
        canvas.heading(mode.name, words(mode, hasTime: canvas.width > 500), scale.start, top + 12)
        if let measured = mode.latencyFrames.value {
            canvas.bar(
                from: scale.position(min(0, measured)), to: scale.position(max(0, measured)), middle: middle,
                height: 14, "filled \(style.hue)")
            if let error = mode.latencyErrorFrames.value {
                let (left, right) = (scale.position(measured - error), scale.position(measured + error))
                canvas.polyline(
                    [
                        (left, middle - 9), (right, middle - 9), ((left + right) / 2, middle - 9),
                        ((left + right) / 2, middle + 9), (left, middle + 9), (right, middle + 9),
                    ], "whisker")
            }
        }
        guard let frames = mode.declaredLatencyFrames else { return }
        let declared = scale.position(Double(frames))
        canvas.polygon(
            [(declared, middle - 5), (declared + 5, middle), (declared, middle + 5), (declared - 5, middle)],
            "declared")
    }

    private func words(_ mode: ModeReport, hasTime: Bool = true) -> String {
        let declared = mode.declaredLatencyFrames.map { "declared \($0)" } ?? "declared latency not known"
        guard let measured = mode.shownLatencyFrames, let nanoseconds = mode.shownLatencyNanoseconds else {
            return "not measured, \(declared)"
        }
        let error = mode.latencyErrorFrames.value.map { " ± \(fixed($0, 3))" } ?? ""
        let time = hasTime ? " (\(duration(nanoseconds)))" : ""
        return "\(fixed(measured, 3))\(error)\(time), \(declared)"
    }
}
