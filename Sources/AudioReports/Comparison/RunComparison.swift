import AudioFigures

/// Two runs beside each other: which figures changed, by how much, and what of that chance explains.
package struct RunComparison: Sendable {
    /// What became of a figure. The less a figure, the better, but for an interval, which has a nominal length.
    package enum Outcome: String, Sendable {
        case better, worse
        /// Chance explains the change.
        case same
        /// Without an interval of the change, so that chance may explain it as well; or more than chance, but of a figure that is
        /// better neither where it is greater nor where it is less.
        case higher, lower
        case equal
        /// One of the two runs has no such figure.
        case unknown
    }

    /// One figure of one mode.
    package struct Row: Sendable {
        /// The mode's name.
        package let part: String
        let figure: Figure
        package let before: Double?
        package let after: Double?
        /// Of the change, in the figure's unit: what chance permits; `nil` where that is not known.
        package var interval: ClosedRange<Double>?
        /// Whether a terminal shows it.
        let isMain: Bool

        /// What `--fail-if` calls it.
        package var name: String { figure.limit ?? "" }
        package var change: Double? { before.flatMap { before in after.map { $0 - before } } }

        package var outcome: Outcome {
            guard let change else { return .unknown }
            if let interval, interval.contains(0) { return .same }
            guard interval != nil, figure.isBetterLess else {
                return change > 0 ? .higher : change < 0 ? .lower : .equal
            }
            return change > 0 ? .worse : .better
        }
    }

    package let before: MeasuredRun
    package let after: MeasuredRun
    /// In what the runs were not alike.
    package let differences: [String]
    /// Whether `limits` mean something: period, rate, modes, queues and path are the same.
    package let isOfSameSetting: Bool
    package private(set) var rows: [Row] = []
    /// Of the tolerances.
    package private(set) var limits: [LimitResult] = []
    /// The longest of the blocks that were drawn, in callbacks; `nil` where none were.
    package private(set) var blockCycles: Int?

    /// How many other runs are drawn of each, and how sure all intervals together are.
    package static let replicates = 1000
    package static let confidence = 0.95

    package init(_ before: MeasuredRun, _ after: MeasuredRun, tolerances: [Tolerance] = []) {
        self.before = before
        self.after = after
        differences = before.differences(from: after)
        isOfSameSetting = before.isOfSameSetting(as: after)
        var changes: [(row: Int, change: SeriesChange)] = []
        let others = Dictionary(after.parts.map { ($0.name, $0) }) { first, _ in first }
        for part in before.parts {
            guard let other = others[part.name] else { continue }
            let first = rows.count
            rows += Self.rows(part, other, before.subject)
            for (place, change) in sampledChanges(part, other) {
                guard let row = rows[first...].firstIndex(where: { $0.figure == place }) else { continue }
                changes.append((row, change))
            }
        }
        let bound = SeriesChange.bound(changes.map(\.change), level: Self.confidence)
        for (row, change) in changes { rows[row].interval = change.differences(within: bound) }
        for tolerance in tolerances { check(tolerance) }
    }

    /// Those of which something was measured.
    private static func rows(
        _ part: MeasuredRun.Part, _ other: MeasuredRun.Part, _ subject: Limit.Subject
    ) -> [Row] {
        // Of the least of all there is nothing to be learnt.
        subject.figures.filter { $0.statistic != .min }.compactMap { row($0, part, other) }
    }

    /// `nil` where neither has it.
    private static func row(_ figure: Figure, _ part: MeasuredRun.Part, _ other: MeasuredRun.Part) -> Row? {
        let (before, after) = (part.value(figure), other.value(figure))
        guard before != nil || after != nil else { return nil }
        var row = Row(
            part: part.name, figure: figure, before: before, after: after,
            isMain: figure.isMain && (before ?? 0, after ?? 0) != (0, 0))
        row.interval = latencyInterval(row, part, other)
        return row
    }

    /// A latency brings its own error with it.
    private static func latencyInterval(
        _ row: Row, _ part: MeasuredRun.Part, _ other: MeasuredRun.Part
    ) -> ClosedRange<Double>? {
        guard row.name == "latency", let change = row.change,
            let first = part.latencyError, let second = other.latencyError
        else { return nil }
        let both = max((first * first + second * second).squareRoot(), Limit.slackFrames)
        return (change - both)...(change + both)
    }

    /// What the cycles of both runs tell of each statistic, by the figure that it is.
    private mutating func sampledChanges(
        _ part: MeasuredRun.Part, _ other: MeasuredRun.Part
    ) -> [(figure: Figure, change: SeriesChange)] {
        guard let before = part.samples, let after = other.samples else { return [] }
        return SampledSeries.all.enumerated().flatMap { number, series in
            func bootstrap(_ samples: CallbackSamples, seed: Int) -> BlockBootstrap {
                BlockBootstrap(
                    series.values(samples), percentiles: series.statistics.compactMap(\.percentile),
                    replicates: Self.replicates, seed: UInt64(2 * number + seed))
            }
            let (first, second) = (bootstrap(before, seed: 1), bootstrap(after, seed: 2))
            blockCycles = max(blockCycles ?? 0, first.blockLength, second.blockLength)
            return SeriesChange.all(first, second).compactMap { change in
                series.figure(of: change.statistic).map { ($0, change) }
            }
        }
    }

    /// Against the mode that it names, or against callback mode, or where there is none against all.
    private mutating func check(_ tolerance: Tolerance) {
        let named = tolerance.mode ?? .callback
        let parts = before.parts.filter { $0.mode == nil || $0.mode == named }
        let held = parts.isEmpty && tolerance.mode == nil ? before.parts : parts
        let found = Dictionary(rows.filter { $0.figure == tolerance.figure }.map { ($0.part, $0) }) { first, _ in first
        }
        for part in held {
            let other = after.parts.first { $0.name == part.name }
            // What no row shows can be held to a limit all the same.
            let row = found[part.name] ?? other.flatMap { Self.row(tolerance.figure, part, $0) }
            var result = tolerance.result(of: row, in: part.name, sampleRate: after.sampleRate)
            let isSampled = part.samples != nil && other?.samples != nil
            if let row, !result.isMet, row.interval == nil, isSampled, SampledSeries.haveInterval(row.figure) {
                result.reservation = "without an interval: the run is too short; measure longer"
            }
            limits.append(result)
        }
        if held.isEmpty {
            limits.append(tolerance.result(of: nil, in: named.rawValue, sampleRate: after.sampleRate))
        }
    }

    /// Whether a tolerance was exceeded, or had nothing held against it, or only what was measured with another setting, or an
    /// incomplete run, whose counts are too small.
    package var isExceeded: Bool {
        !limits.isEmpty && (!isOfSameSetting || !after.isComplete || limits.contains { !$0.isMet })
    }
}

extension Figure {
    /// An interval is best where it is nominal.
    fileprivate var isBetterLess: Bool { !path.hasPrefix("modes[].interval") }

    /// Whether a terminal shows it: not what says the same again, nor what nobody acts on.
    fileprivate var isMain: Bool {
        guard isBetterLess else { return false }
        switch statistic {
        case .mean, .standardDeviation, .count, .min: return false
        default: return true
        }
    }
}

/// A series of a log's cycles, and the distribution that a report makes of it.
private struct SampledSeries: Sendable {
    let values: @Sendable (CallbackSamples) -> [Int64]
    private let figures: [Figure]

    private init(_ path: String, _ values: @escaping @Sendable (CallbackSamples) -> [Int64]) {
        self.values = values
        figures = Report.figures.first { $0.path == path }?.statistics ?? []
    }

    static let all = [
        SampledSeries("modes[].deviation") { $0.deviations },
        SampledSeries("modes[].interval") { $0.intervals },
        SampledSeries("modes[].callbackTime") { $0.callbackTimes },
    ]

    /// Whether cycles tell how far a figure changes by chance, if only there are enough of them.
    static func haveInterval(_ figure: Figure) -> Bool {
        guard let statistic = figure.statistic, statistic == .mean || statistic.percentile != nil else { return false }
        return all.contains { $0.figures.contains(figure) }
    }

    var statistics: [Statistic] { figures.compactMap(\.statistic) }

    func figure(of statistic: BlockBootstrap.Statistic) -> Figure? {
        figures.first { figure in
            switch statistic {
            case .mean: figure.statistic == .mean
            case .percentile(let percentile): figure.statistic?.percentile == percentile
            }
        }
    }
}

extension Statistic {
    /// `nil` for what is no percentile, and for the extremes.
    fileprivate var percentile: Double? {
        switch self {
        case .p50: 50
        case .p90: 90
        case .p99: 99
        case .p999: 99.9
        case .p9999: 99.99
        default: nil
        }
    }
}
