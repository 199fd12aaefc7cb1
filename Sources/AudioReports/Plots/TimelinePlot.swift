import AudioFigures

/// The run of one mode: the band in which its deviation lay, and its late callbacks by whom they were late.
struct TimelinePlot: Plot {
    private let mode: ModeReport
    private let seconds: Double
    private let extent: ClosedRange<Double>

    /// - Parameters:
    ///   - seconds: length of the axis of time, the same for all modes of a page.
    ///   - extent: deviations in nanoseconds, likewise.
    init(_ mode: ModeReport, seconds: Double, extent: ClosedRange<Double>) {
        self.mode = mode
        self.seconds = seconds
        self.extent = extent
    }

    /// Plots of all modes that have intervals, on the same axes.
    static func all(_ report: Report) -> [(mode: ModeReport, plot: TimelinePlot)] {
        let modes = report.modes.filter { $0.series.steps.contains { $0 != nil } || !$0.series.events.isEmpty }
        let ends = modes.flatMap { mode in
            [Double(mode.series.stepNanoseconds) * Double(mode.series.steps.count)]
                + mode.series.events.map { Double($0.nanoseconds) }
        }
        let deviations = modes.flatMap { mode in
            mode.series.steps.compactMap { $0 }.flatMap { [Double($0.earliest), Double($0.latest)] }
                + mode.series.events.map { Double($0.lateNanoseconds) }
        }
        let least = min(-10_000, (deviations.min() ?? 0) * 1.3)
        let greatest = max(10_000, (deviations.max() ?? 0) * 1.3)
        let seconds = max((ends.max() ?? 0) / 1e9, 1e-6)
        return modes.map { ($0, TimelinePlot($0, seconds: seconds, extent: least...greatest)) }
    }

    var description: String {
        let events = mode.series.events.count
        let late = events == 0 ? "no late callbacks" : counted(UInt64(events), "late callback")
        return "Deviation of \(mode.name) over \(fixed(seconds, 1)) s, with \(late)."
    }

    func canvas(width: Double) -> PlotCanvas {
        let height = 216.0
        var canvas = PlotCanvas(width: width, height: height)
        let across = PlotScale(.linear, from: 0, to: seconds, start: 58, end: width - 12)
        let up = PlotScale(
            .symmetric(knee: 5000), from: extent.lowerBound, to: extent.upperBound, start: height - 26, end: 8)
        canvas.grid(across, up, labels: { tickLabel(nanoseconds: $0 * 1e9) })
        for run in runs { draw(run, across, up, &canvas) }
        let nominal = up.position(0)
        canvas.line(across.start, nominal, across.end, nominal, "nominal")
        for event in mode.series.events {
            canvas.mark(
                event.blame.rawValue, across.position(Double(event.nanoseconds) / 1e9),
                up.position(Double(event.lateNanoseconds)),
                says: "at \(fixed(Double(event.nanoseconds) / 1e9, 3)) s: "
                    + "\(duration(Double(event.lateNanoseconds))) late, \(event.blame.inWords)")
        }
        return canvas
    }

    /// Steps without a gap between them, and where each begins.
    private var runs: [[(index: Int, step: Series.Step)]] {
        var runs: [[(index: Int, step: Series.Step)]] = [[]]
        for (index, step) in mode.series.steps.enumerated() {
            if let step { runs[runs.count - 1].append((index, step)) } else { runs.append([]) }
        }
        return runs.filter { !$0.isEmpty }
    }

    private func draw(
        _ run: [(index: Int, step: Series.Step)], _ across: PlotScale, _ up: PlotScale, _ canvas: inout PlotCanvas
    ) {
        let width = Double(mode.series.stepNanoseconds) / 1e9
        func edge(_ value: (Series.Step) -> Int64) -> [(x: Double, y: Double)] {
            run.flatMap { index, step in
                let y = up.position(Double(value(step)))
                return [
                    (across.position(Double(index) * width), y), (across.position(Double(index + 1) * width), y),
                ]
            }
        }
        canvas.polygon(edge(\.latest) + edge(\.earliest).reversed(), "band")
    }
}
