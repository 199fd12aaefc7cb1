package struct ComparisonReport: ReportDocument {
    private let sheet: ComparisonSheet

    package init(_ sheet: ComparisonSheet) { self.sheet = sheet }

    package static let kind = document("diff", 1)
    package static let fields: [ReportField<Self>] = [
        .group("runs", \.sheet.runs),
        .field("confidence", "of all intervals of a comparison together", unit: .share) { _ in
            RunComparison.confidence
        },
        .field("replicates", "how many other runs were drawn of each") { _ in RunComparison.replicates },
        .group("comparisons", \.sheet.comparisons),
    ]
}

extension MeasuredRun: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("file", "in the order of the command line; the others are held against the first", \.name),
        .field("measurement", "jitter, compare or latency; log of a log of cycles", \.kind),
        .field("hasCycles", "whether it is a log of cycles, which intervals can be made from") {
            $0.parts.contains { $0.samples != nil }
        },
        .field("isComplete", "whether the run came to its end", \.isComplete),
        .field("provenance", "as in the report; null where it does not tell", \.provenance),
    ]
}

extension RunComparison: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("file", "the run that is held against the first", \.after.name),
        .field("differences", "in what the two were not measured alike", \.differences),
        .field(
            "isOfSameSetting", "false where period, rate, modes, queues or path differ: then --fail-if fails",
            \.isOfSameSetting),
        .group("figures", \.rows),
        .field("blockCycles", "the longest block that was drawn, in callbacks; null without cycles", \.blockCycles),
        .group("limits", \.limits),
        .field("verdict", "one sentence: what changed", \.verdict),
    ]
}

extension RunComparison.Row: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("mode", "of which mode; latency of a latency", \.part),
        .field("name", "as --fail-if calls it", \.name),
        .field("unit", "of the five below", \.figure.unit.rawValue),
        .field("before", "in the first run; null where it has none", \.before),
        .field("after", "in the other", \.after),
        .field("change", "from one to the other", \.change),
        .field("lower", "the least change that chance permits; null where that is unknown", \.interval?.lowerBound),
        .field("upper", "the greatest", \.interval?.upperBound),
        .field(
            "outcome",
            "better, worse, same; without an interval higher, lower, equal; unknown where one run has no such figure",
            \.outcome.rawValue),
    ]
}
