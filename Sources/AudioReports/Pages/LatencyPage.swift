/// A latency as one page: a file that needs nothing else, in light, dark, print and on phones.
public struct LatencyPage: Sendable {
    /// XHTML-conformant HTML.
    public let text: String

    /// - Parameters:
    ///   - correlation: of what was heard with what was sent, for each whole frame of delay; 1 is a wire's.
    ///   - json: the report as one JSON object, to be kept in the page for programs; nothing where it is `nil`.
    public init(_ report: LatencyReport, correlation: [Float], json: String? = nil) {
        let facts = ReportFacts(report.head)
        var body = PageStyle.header(
            facts, LatencySheet.path(report) + facts.facts, verdict: report.verdict, tiles: Self.tiles(report))
        body += Self.limits(report)
        body += PageParts.section(
            "What was heard, by its delay", CorrelationPlot(correlation, report),
            "The correlation of what was heard with what was sent: for a wire a single peak of 1 at its delay. Smaller "
                + "peaks are echoes and other paths, and a peak below zero is upside down.")
        body += PageParts.section("Figures") + PageParts.list(LatencySheet.figures(report))
        body += json.map(PageParts.data) ?? ""
        text = PageStyle.page(title: "\(facts.command): \(report.server.name)", body: body)
    }

    private static func tiles(_ report: LatencyReport) -> [PageTile] {
        func state(_ names: [String]) -> PageTile.State {
            let own = report.limits.filter { result in
                // An expectation is no limit.
                names.contains(
                    (try? Limit(result.limit, of: .latency))?.name ?? String(result.limit.prefix { $0 != "=" }))
            }
            return own.isEmpty ? .plain : own.allSatisfy(\.isMet) ? .good : .bad
        }
        var tiles: [PageTile] = []
        if let trip = report.latency.value {
            tiles.append(
                PageTile(
                    name: "latency", value: "\(fixed(trip.milliseconds, 3)) ms",
                    details: ["\(fixed(trip.frames, 3)) frames", "± \(fixed(trip.shownErrorFrames, 3)) frames"],
                    state: state(["latency", "expect", "latency.error"])))
        } else {
            let word =
                switch report.outcome {
                case .absent: "not heard"
                case .ambiguous: "ambiguous"
                case .moving: "moving"
                case .disturbed: "disturbed"
                case .measured, .tooShort: "not known"
                }
            tiles.append(PageTile(name: "latency", value: word, state: .bad))
        }
        if let extra = report.extraFrames.value, let declared = report.declared.value {
            tiles.append(
                PageTile(
                    name: "beyond declared", value: frames(abs(extra) < 0.0005 ? 0 : extra),
                    details: ["the ports declare \(declared.framesInWords)"], state: state(["extra"])))
        }
        if let trip = report.latency.value {
            tiles.append(
                PageTile(
                    name: "level", value: "\(fixed(trip.levelDecibels, 1)) dB",
                    details: ["signal to noise \(fixed(trip.signalToNoiseDecibels, 1)) dB"]
                        + (trip.polarity == .inverted ? ["upside down"] : []) + (report.isClipped ? ["clipped"] : []),
                    state: report.isClipped ? .bad : .plain))
        }
        let isTorn = report.discarded > 0
        tiles.append(
            PageTile(
                name: "rounds heard", value: "\(report.blocks)",
                details: [isTorn ? "\(report.discarded) left out" : "none left out"],
                state: isTorn ? .bad : state(["discarded"])))
        return tiles
    }

    private static func limits(_ report: LatencyReport) -> String {
        let rows = LatencySheet.limits(report).map { result in
            [
                PageParts.Cell.outcome(result.outcome, isMet: result.isMet), PageParts.Cell(result.limit),
                PageParts.Cell(result.value),
            ]
        }
        return PageParts.section("Limits", PageParts.table(["outcome", "limit", "measured"], rows))
    }
}

/// The correlation around its greatest peak.
private struct CorrelationPlot: Plot {
    private let values: [(frames: Int, value: Double)]
    private let peak: Int
    private let periodFrames: Int

    /// `nil` where nothing was heard.
    init?(_ correlation: [Float], _ report: LatencyReport) {
        guard let peak = correlation.indices.max(by: { abs(correlation[$0]) < abs(correlation[$1]) }),
            correlation[peak] != 0
        else { return nil }
        self.peak = peak
        periodFrames = report.server.periodFrames
        // From before the peak to some way behind it, where echoes are; both paths of an ambiguous one.
        let farthest = report.candidateFrames.map { abs(Int($0) - peak) }.max() ?? 0
        let reach = min(correlation.count / 2 - 1, max(64, farthest + 16))
        values = (-reach...reach).map { offset in
            let place = (peak + offset + correlation.count) % correlation.count
            return (peak + offset, Double(correlation[place]))
        }
    }

    var description: String {
        "The correlation from \(values.first?.frames ?? 0) to \(values.last?.frames ?? 0) frames of delay, with its peak"
            + " at \(peak)."
    }

    func canvas(width: Double) -> PlotCanvas {
        // One line is the title's, another the period's.
        let (top, bottom) = (2 * PlotCanvas.titleHeight, 250.0)
        var canvas = PlotCanvas(width: width, height: bottom + PlotCanvas.labelHeight)
        let across = PlotScale(
            .linear, from: Double(values.first?.frames ?? 0), to: Double(values.last?.frames ?? 1), start: 40,
            end: width - 8)
        // A little more, so that a peak of nearly 1 has its tick.
        let extent = (values.map { abs($0.value) }.max() ?? 1) * 1.02
        let up = PlotScale(.linear, from: -extent, to: extent, start: bottom, end: top)
        for tick in across.ticks(spacing: 70) {
            let x = across.position(tick)
            canvas.line(x, top, x, bottom, "grid")
            canvas.text(fixed(tick, 0), x, bottom + 16, .middle, "quiet")
        }
        for tick in up.ticks(spacing: 40) {
            let y = up.position(tick)
            canvas.line(across.start, y, across.end, y, "grid")
            canvas.text(rounded(tick, significantDigits: 2), across.start - 6, y + 4, .end, "quiet")
        }
        canvas.line(across.start, up.position(0), across.end, up.position(0), "axis")
        canvas.titles(across: "delay, frames", up: "correlation; 1: as it was sent", bottom: bottom)
        if (across.least...across.greatest).contains(Double(periodFrames)) {
            let label = "period \(frames(Double(periodFrames)))"
            canvas.periodUp(Double(periodFrames), label, across, top: top, bottom: bottom)
        }
        // Of a long stretch the extremes of each pixel are all that can be seen.
        let each = max(1, values.count / Int(width))
        var points: [(x: Double, y: Double)] = []
        for start in stride(from: 0, to: values.count, by: each) {
            let part = values[start..<min(start + each, values.count)]
            let extremes = [part.min { $0.value < $1.value }, part.max { $0.value < $1.value }].compactMap { $0 }
            for point in extremes.sorted(by: { $0.frames < $1.frames }).prefix(each == 1 ? 1 : 2) {
                points.append((across.position(Double(point.frames)), up.position(point.value)))
            }
        }
        canvas.polyline(points, "line drawn mode1")
        return canvas
    }
}
