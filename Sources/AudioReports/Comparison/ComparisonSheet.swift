/// Runs beside the first of them: what tables, pages and Markdown are made from.
package struct ComparisonSheet: Sendable {
    /// Each against the same first run; one at least.
    package let comparisons: [RunComparison]

    package init(_ comparisons: [RunComparison]) { self.comparisons = comparisons }

    /// `A`, `B`, … by which tables name runs.
    package static func letter(_ index: Int) -> String {
        index < 26 ? String(UnicodeScalar(UInt8(65 + index))) : "run \(index + 1)"
    }

    package var runs: [MeasuredRun] { comparisons.prefix(1).map(\.before) + comparisons.map(\.after) }

    /// What each run was, behind its letter.
    var runFacts: [(name: String, text: String)] {
        runs.enumerated().map { index, run in
            var parts = [shown(run.name), run.kindInWords]
            if let made = run.provenance {
                parts += [made.momentAndPlace, "version \(shown(made.version))"]
            }
            parts.append("\(fixed(run.seconds, 1)) s")
            if run.kind != MeasuredRun.log { parts.append("figures alone") }
            if !run.isComplete { parts.append("INCOMPLETE") }
            if run.impossibleRecords > 0 { parts.append(impossibleTimes(run.impossibleRecords)) }
            return (Self.letter(index), parts.joined(separator: ", "))
        }
    }

    /// Why figures may differ for another reason than what is looked for; `nil` where nothing is known of one.
    package func warning(_ index: Int) -> String? {
        let comparison = comparisons[index]
        guard !comparison.differences.isEmpty else { return nil }
        return "NOT COMPARABLE: A and \(Self.letter(index + 1)) differ in what was measured: "
            + comparison.differences.joined(separator: "; ") + "."
    }

    package static let head = ["figure", "before", "after", "change", "interval", ""]

    /// A row for each figure of a comparison.
    ///
    /// - Parameter isMain: whether only those that a terminal shows.
    package func rows(_ index: Int, isMain: Bool) -> [[String]] {
        let comparison = comparisons[index]
        return comparison.rows.filter { $0.isMain || !isMain }.map { row in
            [
                comparison.label(row), row.beforeInWords, row.afterInWords, row.changeInWords, row.intervalInWords,
                row.outcomeInWords,
            ]
        }
    }

    /// What the intervals are, in a sentence; `nil` where there are none.
    package func method(_ index: Int) -> String? {
        guard let cycles = comparisons[index].blockCycles else { return nil }
        let percent = fixed(RunComparison.confidence * 100, 0)
        return
            "Intervals hold with \(percent) % for all figures together, by \(RunComparison.replicates) draws of blocks of up "
            + "to \(cycles) callbacks (circular block bootstrap). – is where the cycles tell too little."
    }

    /// A table for people at a terminal. Without a line break after the last line.
    package var table: String {
        var lines = ["iounit diff"]
        lines += ReportTable.list(runFacts, width: 6)
        for index in comparisons.indices {
            lines.append("")
            if let warning = warning(index) { lines += ReportTable.wrapped(warning) + [""] }
            let title = "A against \(Self.letter(index + 1))"
            lines += ReportTable.section(title, [Self.head] + rows(index, isMain: true)).drop { $0.isEmpty }
            lines += ReportTable.section("limits", ReportTable.limits(comparisons[index].limits))
            if let method = method(index) { lines += [""] + ReportTable.wrapped(method) }
            lines += [""] + ReportTable.wrapped(comparisons[index].verdict)
        }
        return lines.joined(separator: "\n")
    }

    /// For a job's summary, as GitHub's and GitLab's are.
    package var markdown: String {
        var lines = ["### iounit diff", ""]
        lines += runFacts.map { "- **\($0.name)**: \(MarkdownText.escaped($0.text))" }
        for index in comparisons.indices {
            lines += ["", "#### A against \(Self.letter(index + 1))", ""]
            if let warning = warning(index) { lines += ["**\(MarkdownText.escaped(warning))**", ""] }
            lines += [MarkdownText.escaped(comparisons[index].verdict), ""]
            lines += MarkdownText.table(Self.head, rows(index, isMain: true), numbers: 1...4)
            let limits = comparisons[index].limits
            if !limits.isEmpty {
                let results = limits.map {
                    [$0.isMet ? "✓" : "✗", shown($0.limit), shown($0.mode), $0.measuredInWords]
                }
                lines += [""] + MarkdownText.table(["", "limit", "mode", "change"], results, numbers: 3...3)
            }
            if let method = method(index) { lines += ["", MarkdownText.escaped(method)] }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
