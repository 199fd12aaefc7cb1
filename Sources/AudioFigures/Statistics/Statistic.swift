/// What describes a distribution, and how many values there must be for it to mean something: one rule for tables, JSON
/// and limits.
///
/// The raw values are the keys of the JSON. None of them needs quotes in a query, as `.p99.9` would.
package enum Statistic: String, CaseIterable, Sendable, CodingKey {
    case count, min, mean, p50, p90, p99, p999, p9999, max, standardDeviation

    /// What a limit calls it; `nil` for the number of values, which nobody limits.
    package var limit: String? {
        self == .count ? nil : self == .standardDeviation ? "standard-deviation" : rawValue
    }

    /// As people read it.
    package var word: String { self == .standardDeviation ? "standard deviation" : rawValue }

    /// How many values there must be for it to mean something.
    package var leastCount: UInt64 { entry.leastCount }

    /// - Returns: `nil` where there are too few values.
    package func value(of distribution: Distribution) -> Double? {
        distribution.count >= leastCount ? entry.value(distribution) : nil
    }

    private var entry: (leastCount: UInt64, value: (Distribution) -> Double) {
        switch self {
        case .count: (0, { Double($0.count) })
        case .min: (1, { Double($0.minimum) })
        case .mean: (1, \.mean)
        case .p50: (1, { Double($0.p50) })
        case .p90: (10, { Double($0.p90) })
        case .p99: (100, { Double($0.p99) })
        case .p999: (1000, { Double($0.p999) })
        case .p9999: (10000, { Double($0.p9999) })
        case .max: (1, { Double($0.maximum) })
        case .standardDeviation: (2, \.standardDeviation)
        }
    }
}
