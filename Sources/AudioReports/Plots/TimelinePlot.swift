import AudioFigures

/// The run of one mode: the band in which its deviation lay, and its late callbacks by whom they were late.
///
/// However long the run, it holds an extreme for each pixel across and a mark for each few of them.
struct TimelinePlot: Plot {
    private let mode: ModeReport
    private let style: PlotStyle
    private let seconds: Double
    private let time: RunTime
    private let extent: ClosedRange<Double>
    /// Of the server that the mode was measured on, in nanoseconds; `nil` where it is not told.
    private var period: Double? { mode.periodNanoseconds }

    /// In pixels: of two marks of one kind that are nearer to each other the later callback is drawn.
    private static let markDistance = 6.0

    /// - Parameters:
    ///   - seconds: length of the axis of time, the same for all modes of a page.
    ///   - extent: deviations in nanoseconds, likewise.
    private init(_ mode: ModeReport, _ style: PlotStyle, seconds: Double, extent: ClosedRange<Double>) {
        (self.mode, self.style, self.seconds, self.extent) = (mode, style, seconds, extent)
        time = RunTime(length: seconds)
    }

    /// Plots of all modes that have intervals, on the same axes.
    static func all(_ report: Report) -> [(mode: ModeReport, plot: TimelinePlot)] {
        let modes = report.modes.enumerated().filter { _, mode in
            mode.series.steps.contains { $0 != nil } || !mode.series.events.isEmpty
        }
        var ends: [Double] = []
        var deviations: [Double] = []
        for (_, mode) in modes {
            let series = mode.series
            ends.append(Double(series.stepNanoseconds) * Double(series.steps.count))
            for step in series.steps.compactMap({ $0 }) { deviations += [Double(step.earliest), Double(step.latest)] }
            for event in series.events {
                ends.append(Double(event.nanoseconds))
                deviations.append(Double(event.lateNanoseconds))
            }
        }
        let period = modes.compactMap(\.element.periodNanoseconds).max()
        let least = min(-10_000, (deviations.min() ?? 0) * 1.3)
        let greatest = max(10_000, (deviations.max() ?? 0) * 1.3, (period ?? 0) * 1.6)
        let seconds = max((ends.max() ?? 0) / 1e9, 1e-6)
        return modes.map { index, mode in
            let plot = TimelinePlot(mode, PlotStyle(mode: index), seconds: seconds, extent: least...greatest)
            return (mode, plot)
        }
    }

    var description: String {
        let events = mode.series.events.count
        let late = events == 0 ? "no late callbacks" : counted(events, "late callback")
        return "Deviation of \(mode.name) over \(fixed(seconds, 1)) s, with \(late)."
    }

    func canvas(width: Double) -> PlotCanvas {
        let height = 250.0
        var canvas = PlotCanvas(width: width, height: height)
        let across = PlotScale(.linear, from: 0, to: seconds / time.seconds, start: 62, end: width - 12)
        let up = PlotScale(
            .symmetric(knee: 5000), from: extent.lowerBound, to: extent.upperBound,
            start: height - PlotCanvas.labelHeight, end: PlotCanvas.titleHeight)
        canvas.grid(across, up, labels: time.label)
        canvas.titles(
            across: "time since the beginning, \(time.symbol)", up: "deviation from nominal",
            bottom: up.start)
        for run in runs(columns: Int(across.end - across.start)) { draw(run, across, up, &canvas) }
        canvas.line(across.start, up.position(0), across.end, up.position(0), "axis")
        if let period { canvas.periodAcross(period, across, up) }
        for event in marks(across) {
            canvas.mark(
                event.blame.rawValue, place(of: event, across), up.position(Double(event.lateNanoseconds)),
                says: "at \(time.moment(Double(event.nanoseconds))): "
                    + "\(duration(Double(event.lateNanoseconds))) late, \(event.blame.inWords)")
        }
        return canvas
    }

    private func place(of event: Series.Event, _ across: PlotScale) -> Double {
        across.position(Double(event.nanoseconds) / 1e9 / time.seconds)
    }

    /// The latest callback of each kind in each few pixels, in the order of time.
    private func marks(_ across: PlotScale) -> [Series.Event] {
        struct Place: Hashable {
            var column: Int
            var blame: Blame
        }
        var worst: [Place: Series.Event] = [:]
        for event in mode.series.events {
            let place = Place(column: Int(place(of: event, across) / Self.markDistance), blame: event.blame)
            if let other = worst[place], other.lateNanoseconds >= event.lateNanoseconds { continue }
            worst[place] = event
        }
        return worst.values.sorted { ($0.nanoseconds, $0.blame.rawValue) < ($1.nanoseconds, $1.blame.rawValue) }
    }

    /// A stretch of the run, and the extremes in it.
    private struct Stretch {
        /// In steps of the series.
        var start: Int
        var end: Int
        var step: Series.Step
    }

    /// Stretches without a gap between them, no more of them in all than there are columns.
    private func runs(columns: Int) -> [[Stretch]] {
        let steps = mode.series.steps
        let size = max(1, (steps.count + columns - 1) / max(1, columns))
        var runs: [[Stretch]] = [[]]
        for start in stride(from: 0, to: steps.count, by: size) {
            let end = min(start + size, steps.count)
            let known = steps[start..<end].compactMap(\.self)
            guard let least = known.map(\.earliest).min(), let most = known.map(\.latest).max() else {
                runs.append([])
                continue
            }
            runs[runs.count - 1].append(
                Stretch(start: start, end: end, step: Series.Step(earliest: least, latest: most)))
        }
        return runs.filter { !$0.isEmpty }
    }

    private func draw(_ run: [Stretch], _ across: PlotScale, _ up: PlotScale, _ canvas: inout PlotCanvas) {
        let width = Double(mode.series.stepNanoseconds) / 1e9 / time.seconds
        func edge(_ value: (Series.Step) -> Int64) -> [(x: Double, y: Double)] {
            run.flatMap { stretch in
                let y = up.position(Double(value(stretch.step)))
                return [stretch.start, stretch.end].map { (across.position(Double($0) * width), y) }
            }
        }
        canvas.polygon(edge(\.latest) + edge(\.earliest).reversed(), "band \(style.hue)")
    }
}
