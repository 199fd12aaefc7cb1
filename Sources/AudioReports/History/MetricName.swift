extension RunHistory {
    /// What OpenMetrics calls a figure: in base units, with the unit at its end, as `deviation_p99_seconds`. That of a
    /// count is empty.
    package typealias MetricName = (name: String, unit: String, help: String)

    package func metricName(of figure: Figure, in trend: Trend) -> MetricName {
        let isLatency = trend.entries.first?.run.subject == .latency
        var words = figure.limit ?? ""
        if isLatency && !words.hasPrefix("latency") { words = "latency_\(words)" }
        let unit = figure.unit.metric.name
        let name = words.replacing(".", with: "_").replacing("-", with: "_")
        return (unit.isEmpty ? name : "\(name)_\(unit)", unit, figure.meaningInWords)
    }
}

extension Figure {
    /// Of a statistic, what it is of too.
    var meaningInWords: String { statistic.map { "\($0.word): \(subject)" } ?? subject }
}

extension RunHistory.Entry {
    /// In the metric's unit; `nil` where it was not measured.
    package func metricValue(of figure: Figure) -> Double? {
        part.value(figure).map { $0 / figure.unit.metric.perBase }
    }
}
