import Glibc
import Testing

@testable import AudioFigures

@Suite("The block bootstrap")
struct BlockBootstrapTests {
    private static let percentiles = [50.0, 90, 99]

    /// How many of so many pairs are told apart. With the same seeds it is the same number in every run.
    private func toldApart(_ pairs: Int, correlation: Double, scale: Double) -> Int {
        (0..<pairs).count { pair in
            var series = CorrelatedSeries(seed: UInt64(1000 + pair))
            let before = series.values(1500, correlation: correlation)
            let after = series.values(1500, correlation: correlation, scale: scale)
            let changes = SeriesChange.all(
                BlockBootstrap(before, percentiles: Self.percentiles, replicates: 200, seed: 1),
                BlockBootstrap(after, percentiles: Self.percentiles, replicates: 200, seed: 2))
            let bound = SeriesChange.bound(changes)
            return changes.contains { !$0.ratios(within: bound).contains(1) }
        }
    }

    /// About one in 20, and no more than chance makes of that with 60 pairs (1 of 100 such tests would have more than 8).
    @Test(arguments: [0, 0.6, 0.9]) func `tells hardly any two runs of the same kind apart`(correlation: Double) {
        #expect((0...8).contains(toldApart(60, correlation: correlation, scale: 1)))
    }

    @Test func `finds a change that is there`() {
        #expect(toldApart(20, correlation: 0.6, scale: 1.25) >= 19)
    }

    /// The other way round: values that hang together have wider intervals than as many that do not.
    @Test func `draws longer blocks where values hang together longer, and its intervals are wider`() {
        func spread(_ correlation: Double) -> (length: Int, width: Double) {
            var series = CorrelatedSeries(seed: 7)
            let bootstraps = [1, 2].map { seed in
                BlockBootstrap(
                    series.values(4000, correlation: correlation), percentiles: Self.percentiles, replicates: 200,
                    seed: UInt64(seed))
            }
            let changes = SeriesChange.all(bootstraps[0], bootstraps[1])
            let ratios = changes[2].ratios(within: SeriesChange.bound(changes))
            return (bootstraps[0].blockLength, ratios.upperBound / ratios.lowerBound)
        }
        let (independent, correlated) = (spread(0), spread(0.95))
        #expect(correlated.length > 3 * independent.length, "\(correlated.length) \(independent.length)")
        #expect(correlated.width - 1 > 2 * (independent.width - 1), "\(correlated.width) \(independent.width)")
    }

    @Test func `its percentiles are those of the histogram, within the width of its places`() {
        var series = CorrelatedSeries(seed: 3)
        let values = series.values(3000, correlation: 0.5)
        var histogram = Histogram()
        for value in values { histogram.record(value) }
        let estimates = BlockBootstrap(values, percentiles: Self.percentiles, replicates: 10, seed: 1).estimates
        #expect(estimates.count == 4)
        for estimate in estimates {
            guard case .percentile(let percentile) = estimate.statistic else {
                #expect(abs(estimate.value - histogram.mean) < 1e-6 * histogram.mean)
                continue
            }
            let other = Double(histogram.value(atPercentile: percentile))
            #expect(abs(estimate.value - other) <= 0.001 * other, "\(percentile)")
        }
    }

    @Test func `the same values and seed give the same replicates, another seed gives others`() {
        var series = CorrelatedSeries(seed: 5)
        let values = series.values(500, correlation: 0.5)
        func mean(seed: UInt64) -> [Double] {
            BlockBootstrap(values, percentiles: [50], replicates: 50, seed: seed).estimates[0].replicates
        }
        #expect(mean(seed: 1) == mean(seed: 1))
        #expect(mean(seed: 1) != mean(seed: 2))
    }

    @Test func `says nothing of a percentile that hardly a block reaches beyond`() {
        var series = CorrelatedSeries(seed: 9)
        let values = series.values(2000, correlation: 0.5)
        let known = BlockBootstrap(values, percentiles: [50, 99, 99.9, 99.99], replicates: 10, seed: 1).estimates
        #expect(known.map(\.statistic) == [.percentile(99), .percentile(50), .mean])
    }

    /// With 50 values of the same kind a mean told 11 of 100 pairs apart, where 5 are to be expected.
    @Test func `says nothing of the mean of a few blocks`() {
        var series = CorrelatedSeries(seed: 9)
        let estimates = BlockBootstrap(series.values(50, correlation: 0), percentiles: [], replicates: 10, seed: 1)
            .estimates
        #expect(estimates.isEmpty)
    }

    /// As of a clock with steps of 40 ns: it does not matter at which of the equal values a percentile is found.
    @Test func `knows a percentile among equal values`() {
        let values = (0..<2000).map { Int64($0 % 500 == 7 ? 1040 : 1000) }
        let known = BlockBootstrap(values, percentiles: [50, 99], replicates: 10, seed: 1).estimates
        #expect(known.map(\.statistic) == [.percentile(99), .percentile(50), .mean])
    }

    @Test func `a series of zeros is told from one that is not`() {
        let (zeros, others) = ([Int64](repeating: 0, count: 2000), [Int64](repeating: 50_000, count: 2000))
        let changes = SeriesChange.all(
            BlockBootstrap(zeros, percentiles: [50], replicates: 20, seed: 1),
            BlockBootstrap(others, percentiles: [50], replicates: 20, seed: 2))
        #expect(changes.count == 2)
        for change in changes {
            let differences = change.differences(within: SeriesChange.bound(changes))
            #expect(differences.lowerBound > 49_000 && differences.upperBound < 51_000, "\(differences)")
        }
    }

    @Test(arguments: [[], [7], [7, 7, 7], [Int64](repeating: 1333, count: 400)])
    func `takes series that are short, or always the same`(_ values: [Int64]) {
        let bootstrap = BlockBootstrap(values, percentiles: [50, 99], replicates: 20, seed: 1)
        #expect(bootstrap.estimates.allSatisfy { $0.replicates.allSatisfy { $0 == 1333 } })
        let changes = SeriesChange.all(bootstrap, bootstrap)
        #expect(changes.allSatisfy { $0.ratios(within: SeriesChange.bound(changes)).contains(1) })
    }

    /// By the rule of Politis and White, of an autoregressive series of the first order: (6·ρ²/(1 − ρ²)²)^⅓ · n^⅓.
    @Test func `the length of blocks is near the best one of a series whose best one is known`() {
        let (count, correlation) = (20_000, 0.7)
        var series = CorrelatedSeries(seed: 11)
        // The slow part alone: what is independent of it changes the correlation.
        var value = 0.0
        let values = series.values(count, correlation: 0).map { noise in
            value = correlation * value + Double(noise) - 12_000
            return value
        }
        let ratio = correlation / (1 - correlation * correlation)
        let best = pow(6 * ratio * ratio * Double(count), 1.0 / 3)
        let length = Double(BlockLength.automatic(values)) / 2
        #expect((0.6...1.7).contains(length / best), "\(length), best \(best)")
    }

    @Test func `of a day's values some stretches tell as much, and there are never more blocks than 1000`() {
        var noise = CongruentNoise(state: 1)
        var value = 0.0
        let values = (0..<1_500_000).map { _ in
            value = 0.99 * value + noise.next()
            return value
        }
        let ratio = 0.99 / (1 - 0.99 * 0.99)
        let best = pow(6 * ratio * ratio * Double(values.count), 1.0 / 3)
        let length = Double(BlockLength.automatic(values)) / 2
        #expect((0.6...1.7).contains(length / best), "\(length), best \(best)")
        let independent = (0..<1_500_000).map { _ in noise.next() }
        #expect(BlockLength.automatic(independent) >= 1500)
    }
}

/// Noise between −1 and 1, fast enough in a debug build for millions of values (a linear congruence; Knuth, TAOCP 2, 3.3.4).
private struct CongruentNoise {
    var state: UInt64

    mutating func next() -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(Int64(bitPattern: state) >> 11) * 0x1p-52
    }
}
