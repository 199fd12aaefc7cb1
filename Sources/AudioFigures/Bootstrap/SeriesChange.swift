import func Glibc.exp
import func Glibc.log

/// How a statistic differs between two series, as a ratio, and how much of that chance explains.
package struct SeriesChange: Sendable {
    package let statistic: BlockBootstrap.Statistic
    package let before: Double
    package let after: Double
    /// Of the logarithm of the ratio.
    fileprivate let change: Double
    fileprivate let standardError: Double
    /// Of each replicate: how far from the change it was, in standard errors.
    fileprivate let scatter: [Double]

    /// A nanosecond is the least that a clock tells.
    private static let least = 1.0
    /// A histogram's places are as wide: less than this is no change.
    private static let resolution = 0.0005

    fileprivate init(_ before: BlockBootstrap.Estimate, _ after: BlockBootstrap.Estimate) {
        statistic = before.statistic
        self.before = before.value
        self.after = after.value
        func logarithm(_ value: Double) -> Double { log(max(value, Self.least)) }
        let change = logarithm(after.value) - logarithm(before.value)
        let drawn = zip(before.replicates, after.replicates).map { logarithm($1) - logarithm($0) - change }
        let mean = drawn.reduce(0, +) / Double(max(1, drawn.count))
        let variance = drawn.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(1, drawn.count - 1))
        let standardError = max(variance.squareRoot(), Self.resolution)
        self.change = change
        self.standardError = standardError
        scatter = drawn.map { $0 / standardError }
    }

    /// Those of all statistics that both have an estimate of.
    package static func all(_ before: BlockBootstrap, _ after: BlockBootstrap) -> [SeriesChange] {
        before.estimates.compactMap { first in
            after.estimates.first { $0.statistic == first.statistic }.map { SeriesChange(first, $0) }
        }
    }

    /// By how many standard errors a change may differ from 0 before it is more than chance: chance stays within it in
    /// 95 of 100 comparisons *for all the changes together*, as the greatest of them has it in the replicates (J. P. Romano
    /// and M. Wolf, Econometrica 73 (2005) 1237–1282).
    package static func bound(_ changes: [SeriesChange], level: Double = 0.95) -> Double {
        guard let count = changes.map(\.scatter.count).min(), count > 0 else { return 0 }
        let greatest = (0..<count).map { number in changes.map { abs($0.scatter[number]) }.max() ?? 0 }.sorted()
        return greatest[min(count - 1, Int((level * Double(count)).rounded(.up)))]
    }

    /// What `after` is of `before`, with all that chance permits.
    package func ratios(within bound: Double) -> ClosedRange<Double> {
        exp(change - bound * standardError)...exp(change + bound * standardError)
    }

    /// What `after` is more than `before`, with all that chance permits. In the unit of the values.
    package func differences(within bound: Double) -> ClosedRange<Double> {
        let ratios = ratios(within: bound)
        let before = max(before, Self.least)
        return before * (ratios.lowerBound - 1)...before * (ratios.upperBound - 1)
    }
}
