import AudioFigures

/// What `iounit diff --json` prints.
package struct ComparisonReport: ReportDocument {
    private struct Run: Reported {
        var file: String
        var measurement: String
        var hasCycles: Bool
        var isComplete: Bool
        var provenance: Provenance?

        static let fields: [ReportField<Self>] = [
            .field("file", "in the order of the command line; the others are held against the first", \.file),
            .field("measurement", "jitter, compare or latency; log of a log of cycles", \.measurement),
            .field("hasCycles", "whether it is a log of cycles, which intervals can be made from", \.hasCycles),
            .field("isComplete", "whether the run came to its end", \.isComplete),
            .field("provenance", "as in the report; null where it does not tell", \.provenance),
        ]
    }

    private struct Change: Reported {
        var mode: String
        var name: String
        var unit: String
        var before: Double?
        var after: Double?
        var change: Double?
        var lower: Double?
        var upper: Double?
        var outcome: String

        static let fields: [ReportField<Self>] = [
            .field("mode", "of which mode; latency of a latency", \.mode),
            .field("name", "as --fail-if calls it", \.name),
            .field("unit", "of the five below", \.unit),
            .field("before", "in the first run; null where it has none", \.before),
            .field("after", "in the other", \.after),
            .field("change", "from one to the other", \.change),
            .field("lower", "the least change that chance permits; null where that is unknown", \.lower),
            .field("upper", "the greatest", \.upper),
            .field(
                "outcome",
                "better, worse, same; without an interval higher, lower, equal; unknown where one run has no such figure",
                \.outcome),
        ]
    }

    private struct Comparison: Reported {
        var file: String
        var differences: [String]
        var figures: [Change]
        var blockCycles: Int?
        var limits: [LimitResult]
        var verdict: String

        static let fields: [ReportField<Self>] = [
            .field("file", "the run that is held against the first", \.file),
            .field("differences", "in what the two were not measured alike", \.differences),
            .group("figures", \.figures),
            .field(
                "blockCycles", "the longest block that was drawn, in callbacks; null without cycles", \.blockCycles),
            .group("limits", \.limits),
            .field("verdict", "one sentence: what changed", \.verdict),
        ]
    }

    package static let name = "diff"
    package static let version = 1
    package static let fields: [ReportField<Self>] = [
        .group("runs", \.runs),
        .field("confidence", "of all intervals of a comparison together", unit: .share, \.confidence),
        .field("replicates", "how many other runs were drawn of each", \.replicates),
        .group("comparisons", \.comparisons),
    ]

    private let runs: [Run]
    private let confidence = RunComparison.confidence
    private let replicates = RunComparison.replicates
    private let comparisons: [Comparison]

    package init(_ sheet: ComparisonSheet) {
        runs = sheet.runs.map { run in
            Run(
                file: run.name, measurement: run.kind, hasCycles: run.parts.contains { $0.samples != nil },
                isComplete: run.isComplete, provenance: run.provenance)
        }
        comparisons = sheet.comparisons.map { comparison in
            Comparison(
                file: comparison.after.name, differences: comparison.differences,
                figures: comparison.rows.map { row in
                    Change(
                        mode: row.part, name: row.name, unit: row.figure.unit.rawValue, before: row.before,
                        after: row.after, change: row.change,
                        lower: row.interval?.lowerBound, upper: row.interval?.upperBound,
                        outcome: row.outcome.rawValue)
                },
                blockCycles: comparison.blockCycles, limits: comparison.limits, verdict: comparison.verdict)
        }
    }
}
