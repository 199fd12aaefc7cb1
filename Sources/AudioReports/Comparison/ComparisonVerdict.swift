extension RunComparison {
    /// What changed, in one sentence for people: never more than the figures tell.
    package var verdict: String {
        let main = rows.filter(\.isMain)
        var parts = [finding(main)]
        parts += plainChanges(main)
        parts += limitsInWords
        let text = parts.joined(separator: "; ")
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    private func finding(_ main: [Row]) -> String {
        if let missing = missingLatency { return missing }
        guard !main.isEmpty else { return "the two runs have no figure in common" }
        // That a latency is the same says nothing of what else a mode has.
        let tested = main.filter { row in
            row.interval != nil && (row.name != "latency" || before.subject == .latency || row.outcome != .same)
        }
        guard !tested.isEmpty else {
            let areLogs = [before, after].allSatisfy { $0.parts.contains { $0.samples != nil } }
            let reason = areLogs ? "the logs are too short" : "only two logs of cycles (--csv) tell that"
            return "whether a change is more than chance is not known: \(reason)"
        }
        func changes(_ outcome: Outcome) -> String? {
            let found = tested.filter { $0.outcome == outcome }
            guard !found.isEmpty else { return nil }
            return "\(outcome.rawValue) in "
                + found.map { "\(label($0)) (\($0.changeInWords))" }.joined(separator: ", ")
        }
        let found = [changes(.worse), changes(.better)].compactMap(\.self)
        let same = tested.count { $0.outcome == .same }
        let figures = "\(same) \(found.isEmpty ? "" : "other ")\(same == 1 ? "figure" : "figures")"
        guard !found.isEmpty else { return "the two runs cannot be told apart in \(figures) with an interval" }
        let rest = same == 0 ? "" : "; \(figures) cannot be told apart"
        return "the other run is " + found.joined(separator: " and ") + rest
    }

    /// Of a measurement of a latency that heard none.
    private var missingLatency: String? {
        guard before.subject == .latency else { return nil }
        let row = rows.first { $0.name == "latency" }
        switch (row?.before, row?.after) {
        case (nil, nil): return "no latency was measured in either run"
        case (nil, _): return "no latency was measured in the first run"
        case (_, nil): return "no latency was measured in the other run"
        default: return nil
        }
    }

    /// A sentence of more is read by nobody; the table has them all.
    private static let mostTold = 5

    /// Of figures without an interval.
    private func plainChanges(_ main: [Row]) -> [String] {
        let changed = main.filter { $0.outcome == .higher || $0.outcome == .lower }
        guard !changed.isEmpty else { return [] }
        let words = changed.prefix(Self.mostTold).map { "\(label($0)) \($0.beforeInWords) → \($0.afterInWords)" }
        let rest = changed.count - words.count
        return ["without an interval: " + words.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")]
    }

    private var limitsInWords: [String] {
        guard !limits.isEmpty else { return [] }
        guard isOfSameSetting else { return ["limits were held against another setting"] }
        let exceeded = limits.filter { !$0.isMet }
        let broken = after.isComplete ? [] : ["limits were held against an incomplete run"]
        guard exceeded.isEmpty else { return broken + ["not met: \(exceeded.map(\.inWords).joined(separator: ", "))"] }
        return broken.isEmpty ? [limits.count == 1 ? "the limit was met" : "all limits were met"] : broken
    }

    /// With the mode, where there are several.
    func label(_ row: Row) -> String {
        before.parts.count > 1 ? "\(shown(row.part)).\(row.name)" : row.name
    }
}

extension RunComparison.Row {
    var beforeInWords: String { before.map(words) ?? "–" }
    var afterInWords: String { after.map(words) ?? "–" }

    /// As a share of the figure before, or of a count and of nothing as a difference.
    var changeInWords: String { change.map(signed) ?? "–" }

    /// From the least to the greatest change.
    var intervalInWords: String {
        interval.map { "\(signed($0.lowerBound)) … \(signed($0.upperBound))" } ?? "–"
    }

    var outcomeInWords: String {
        switch outcome {
        case .worse: "WORSE"
        case .unknown: "–"
        default: outcome.rawValue
        }
    }

    private func words(_ value: Double) -> String { figure.words(value) }

    private func signed(_ change: Double) -> String {
        let sign = change < 0 ? "−" : change > 0 ? "+" : ""
        guard let before, before > 0, figure.unit == .nanoseconds || figure.unit == .share else {
            let size = words(abs(change))
            return (size.contains { $0.isNumber && $0 != "0" } ? sign : "") + size
        }
        let percent = abs(change) / before * 100
        // Of a tenth of a percent a histogram knows nothing.
        guard percent >= 0.05 else { return "0 %" }
        return "\(sign)\(fixed(percent, percent < 9.95 ? 1 : 0)) %"
    }
}
