/// A latency for people at a terminal, in the manner of a `ReportTable`: what it comes to is in the last sentence.
public struct LatencyTable: Sendable {
    /// Lines without a line break after the last.
    public let text: String

    public init(_ report: LatencyReport) {
        let head = ReportFacts(report.head)
        var lines = head.warning.map { ReportTable.wrapped($0) + [""] } ?? []
        lines.append(head.command)
        lines += Self.list(LatencySheet.path(report) + head.facts, width: 16)
        lines += [""] + Self.list(LatencySheet(report).figures, width: 19)
        lines += ReportTable.section("limits", LatencySheet.limits(report).map { [$0.outcome, $0.limit, $0.value] })
        lines += [""] + ReportTable.wrapped(report.verdict)
        text = lines.joined(separator: "\n")
    }

    private static func list(_ entries: [(name: String, text: String)], width: Int) -> [String] {
        entries.flatMap { ReportTable.entry($0.name, $0.text, width: width) }
    }
}
