/// A latency as one page: a file that needs nothing else, in light, dark, print and on phones.
public struct LatencyPage: Sendable {
    /// XHTML-conformant HTML.
    public let text: String

    /// - Parameter correlation: of what was heard with what was sent, for each whole frame of delay; 1 is a wire's.
    public init(_ report: LatencyReport, correlation: [Float]) {
        let facts = ReportFacts(report.head)
        var body = PageStyle.header(facts, LatencySheet.path(report) + facts.facts, verdict: report.verdict)
        body += Self.limits(report)
        if let plot = CorrelationPlot(correlation, report) {
            body += """
                <h2>What was heard, by its delay</h2>
                <figure>
                <figcaption>The correlation of what was heard with what was sent: for a wire a single peak of 1 at its \
                delay. Smaller peaks are echoes and other paths, and a peak below zero is upside down.</figcaption>
                \(plot.markup)</figure>

                """
        }
        body += "<h2>Figures</h2>\n" + PageStyle.list(LatencySheet(report).figures)
        text = PageStyle.page(title: "\(facts.command): \(report.server.name)", body: body)
    }

    private static func limits(_ report: LatencyReport) -> String {
        guard !report.limits.isEmpty else { return "" }
        let rows = LatencySheet.limits(report).map { result in
            "<li><span class=\"\(result.isMet ? "good" : "bad")\">\(result.isMet ? "✓" : "✗") \(result.outcome)</span> "
                + "\(escaped("\(result.limit): \(result.value)"))</li>\n"
        }
        return "<h2>Limits</h2>\n<ul>\n" + rows.joined() + "</ul>\n"
    }
}

/// The correlation around its greatest peak.
private struct CorrelationPlot: Plot {
    private let values: [(frames: Int, value: Double)]
    private let peak: Int

    /// `nil` where nothing was heard.
    init?(_ correlation: [Float], _ report: LatencyReport) {
        guard let peak = correlation.indices.max(by: { abs(correlation[$0]) < abs(correlation[$1]) }),
            correlation[peak] != 0
        else { return nil }
        self.peak = peak
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
        let (top, bottom) = (8.0, 200.0)
        var canvas = PlotCanvas(width: width, height: bottom + 26)
        let across = PlotScale(
            .linear, from: Double(values.first?.frames ?? 0), to: Double(values.last?.frames ?? 1), start: 40,
            end: width - 8)
        let extent = values.map { abs($0.value) }.max() ?? 1
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
