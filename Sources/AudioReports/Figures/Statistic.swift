import AudioFigures

/// What describes a distribution: its keys in the JSON.
package enum Statistic: String, CaseIterable, Sendable {
    case count, min, mean, p50, p90, p99
    case p999 = "p99.9"
    case p9999 = "p99.99"
    case max, standardDeviation

    /// What a limit calls it; `nil` for the number of values, which nobody limits.
    package var limit: String? {
        self == .count ? nil : self == .standardDeviation ? "deviation" : rawValue
    }

    /// As people read it.
    var word: String { self == .standardDeviation ? "standard deviation" : rawValue }

    /// How many values there must be for it to mean something.
    var leastCount: UInt64 { entry.leastCount }

    func value(of distribution: Distribution) -> Double { entry.value(distribution) }

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
