/// The figures of a latency, name and content: what its table and its page are made from.
struct LatencySheet {
    let figures: [(name: String, text: String)]

    init(_ report: LatencyReport) {
        figures = FigureTable.latency.flatMap(\.rows).compactMap { row in
            row.text?(report).map { (row.label, $0) }
        }
    }

    /// Where the signal goes.
    static func path(_ report: LatencyReport) -> [(name: String, text: String)] {
        [("sent to", shown(report.send)), ("heard at", shown(report.return))]
    }

    /// Limits and what was held against them. An expectation can be missed on either side.
    static func limits(_ report: LatencyReport) -> [(isMet: Bool, outcome: String, limit: String, value: String)] {
        report.limits.map { result in
            let value = result.measured.value.map { fixed($0, 3) + result.unitAfterSpace } ?? "not measured"
            return (result.isMet, result.isMet ? "met" : "NOT MET", shown(result.limit), value)
        }
    }
}
