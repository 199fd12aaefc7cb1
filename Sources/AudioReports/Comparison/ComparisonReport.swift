import AudioFigures

/// What `iounit diff --json` prints.
package struct ComparisonReport: Encodable, Sendable {
    private struct Run: Encodable, Sendable {
        var file: String
        var measurement: String
        var hasCycles: Bool
        var isComplete: Bool
        var provenance: Nullable<Provenance>
    }

    private struct Change: Encodable, Sendable {
        var mode: String
        var name: String
        var unit: String
        var before: Nullable<Double>
        var after: Nullable<Double>
        var change: Nullable<Double>
        var lower: Nullable<Double>
        var upper: Nullable<Double>
        var outcome: RunComparison.Outcome
    }

    private struct Comparison: Encodable, Sendable {
        var file: String
        var differences: [String]
        var figures: [Change]
        var blockCycles: Nullable<Int>
        var limits: [LimitResult]
        var verdict: String
    }

    private let schema = "iounit.diff/1"
    private let runs: [Run]
    private let confidence = RunComparison.confidence
    private let replicates = RunComparison.replicates
    private let comparisons: [Comparison]

    package init(_ sheet: ComparisonSheet) {
        runs = sheet.runs.map { run in
            Run(
                file: run.name, measurement: run.kind, hasCycles: run.parts.contains { $0.samples != nil },
                isComplete: run.isComplete, provenance: Nullable(run.provenance))
        }
        comparisons = sheet.comparisons.map { comparison in
            Comparison(
                file: comparison.after.name, differences: comparison.differences,
                figures: comparison.rows.map { row in
                    Change(
                        mode: row.part, name: row.name, unit: row.figure.unit.rawValue, before: Nullable(row.before),
                        after: Nullable(row.after), change: Nullable(row.change),
                        lower: Nullable(row.interval?.lowerBound), upper: Nullable(row.interval?.upperBound),
                        outcome: row.outcome)
                },
                blockCycles: Nullable(comparison.blockCycles), limits: comparison.limits, verdict: comparison.verdict)
        }
    }
}

extension FigureTable {
    /// What `iounit diff --json` prints.
    package static let comparison =
        [
            Figure("schema", "iounit.diff/1").of(.text),
            Figure("runs[].file", "in the order of the command line; the others are held against the first").of(.text),
            Figure("runs[].measurement", "jitter, compare or latency; log of a log of cycles").of(.text),
            Figure("runs[].hasCycles", "whether it is a log of cycles, which intervals can be made from").of(.flag),
            Figure("runs[].isComplete", "whether the run came to its end").of(.flag),
            Figure("runs[].provenance", "as in the report; null where it does not tell").orNull,
            Figure("runs[].provenance.date", "when that program began, in UTC").of(.text),
            Figure("runs[].provenance.version", "of iounit").of(.text),
            Figure("runs[].provenance.host", "the machine's name").of(.text),
            Figure("runs[].provenance.command", "its command line").of(.text),
            Figure("confidence", "of all intervals of a comparison together", .share),
            Figure("replicates", "how many other runs were drawn of each"),
            Figure("comparisons[].file", "the run that is held against the first").of(.text),
            Figure("comparisons[].differences[]", "in what the two were not measured alike").of(.text),
            Figure("comparisons[].figures[].mode", "of which mode; latency of a latency").of(.text),
            Figure("comparisons[].figures[].name", "as --fail-if calls it").of(.text),
            Figure("comparisons[].figures[].unit", "of the five below").of(.text),
            Figure("comparisons[].figures[].before", "in the first run; null where it has none").of(.number).orNull,
            Figure("comparisons[].figures[].after", "in the other").of(.number).orNull,
            Figure("comparisons[].figures[].change", "from one to the other").of(.number).orNull,
            Figure("comparisons[].figures[].lower", "the least change that chance permits; null where that is unknown")
                .of(.number).orNull,
            Figure("comparisons[].figures[].upper", "the greatest").of(.number).orNull,
            Figure(
                "comparisons[].figures[].outcome",
                "better, worse, same; without an interval higher, lower, equal; unknown where one run has no such figure"
            ).of(.text),
            Figure("comparisons[].blockCycles", "the longest block that was drawn, in callbacks; null without cycles")
                .orNull,
            Figure("comparisons[].limits[].limit", "--fail-if as it was given").of(.text),
            Figure("comparisons[].limits[].mode", "what it was held against").of(.text),
            Figure("comparisons[].limits[].measured", "the change; null where there was none to hold against it").of(
                .number
            ).orNull,
            Figure("comparisons[].limits[].unit", "of measured").of(.text),
            Figure("comparisons[].limits[].isMet", "whether it was met").of(.flag),
            Figure("comparisons[].verdict", "one sentence: what changed").of(.text),
        ] + provenance
}
