/// A latency for people at a terminal, in the manner of a `ReportTable`: what it comes to is in the last sentence.
public struct LatencyTable: Sendable {
    /// Lines without a line break after the last.
    public let text: String

    /// - Parameter hasColor: whether a terminal is to show limits that were met in green, and the others in red.
    public init(_ report: LatencyReport, hasColor: Bool = false) {
        let head = ReportFacts(report.head)
        var lines = head.warning.map { ReportTable.wrapped($0) + [""] } ?? []
        lines.append(head.command)
        lines += ReportTable.list(LatencySheet.path(report) + head.facts, width: 16)
        lines += [""] + ReportTable.list(LatencySheet.figures(report), width: 19)
        let limits = LatencySheet.limits(report)
        lines += ReportTable.colored(
            ReportTable.section("limits", limits.map { [$0.outcome, $0.limit, $0.value] }), limits.map(\.isMet),
            hasColor)
        lines += [""] + ReportTable.wrapped(report.verdict)
        text = lines.joined(separator: "\n")
    }
}

/// The figures of a latency, name and content: what its table and its page are made from.
enum LatencySheet {
    static func figures(_ report: LatencyReport) -> [(name: String, text: String)] {
        FigureTable.latency.flatMap(\.rows).compactMap { row in row.text?(report).map { (row.label, $0) } }
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
