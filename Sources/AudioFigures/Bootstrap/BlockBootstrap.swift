import struct Threads.SplitMix64

/// Percentiles and mean of a series, and what they would be in other runs of the same kind: the circular block bootstrap
/// (D. N. Politis and J. P. Romano, 1992), which draws blocks of successive values, as cycles are not independent.
///
/// The same values give the same replicates.
package struct BlockBootstrap: Sendable {
    /// What is estimated of the series.
    package enum Statistic: Sendable, Hashable {
        case mean
        /// 0…100, by the rule of `Histogram.value(atPercentile:)`.
        case percentile(Double)
    }

    /// How many blocks must reach beyond a percentile: of fewer the bootstrap knows too little (see the calibration in the
    /// tests). Extremes it does not know at all (P. J. Bickel and D. A. Freedman, Annals of Statistics 9, 1981).
    private static let leastBlocksBeyond = 10
    /// Likewise of a mean, which has as much on either side.
    package static let leastBlocks = 2 * leastBlocksBeyond

    /// An estimate, and how it scatters. In the unit of the values.
    package struct Estimate: Sendable {
        package var statistic: Statistic
        package var value: Double
        package var replicates: [Double]
    }

    /// In values.
    package let blockLength: Int
    /// Those of which enough is known.
    package private(set) var estimates: [Estimate] = []

    /// - Parameters:
    ///   - values: in the order of time.
    ///   - percentiles: 0…100.
    ///   - replicates: how many other runs to draw.
    package init(_ values: [Int64], percentiles: [Double], replicates: Int = 1000, seed: UInt64) {
        let order = values.indices.sorted { values[$0] > values[$1] }
        func value(_ percentile: Double) -> Int64 {
            values[order[values.count - Self.rank(percentile, of: values.count)]]
        }
        // Of each percentile what matters is when it is exceeded.
        var blockLength = BlockLength.automatic(values.map(Double.init))
        for percentile in percentiles where values.count > 3 {
            let bound = value(percentile)
            blockLength = max(blockLength, BlockLength.automatic(values.map { $0 > bound ? 1 : 0 }))
        }
        self.blockLength = blockLength
        guard values.count > 3 else { return }
        let known = percentiles.filter { percentile in
            let bound = value(percentile)
            // Of equal values each counts, wherever it was.
            let reaching = order.prefix { values[$0] >= bound }
            return Set(reaching.map { $0 / blockLength }).count >= Self.leastBlocksBeyond
        }.sorted(by: >)
        estimates = known.map { percentile in
            Estimate(statistic: .percentile(percentile), value: Double(value(percentile)), replicates: [])
        }
        if values.count >= Self.leastBlocks * blockLength {
            let mean = values.reduce(0.0) { $0 + Double($1) } / Double(values.count)
            estimates.append(Estimate(statistic: .mean, value: mean, replicates: []))
        }
        draw(values, order, replicates: replicates, seed: seed, percentiles: known)
    }

    private static func rank(_ percentile: Double, of count: Int) -> Int {
        Int(Histogram.rank(percentile, of: UInt64(count)))
    }

    /// Blocks begin at every fourth of a block, so that how often each value is drawn need only be known by fourths.
    private mutating func draw(
        _ values: [Int64], _ order: [Int], replicates: Int, seed: UInt64, percentiles: [Double]
    ) {
        let length = max(1, blockLength / 4)
        let partsPerBlock = max(1, Int((Double(blockLength) / Double(length)).rounded()))
        let parts = (values.count + length - 1) / length
        let blocks = (parts + partsPerBlock - 1) / partsPerBlock
        var sums = [Double](repeating: 0, count: parts)
        var sizes = [Int](repeating: 0, count: parts)
        for (index, value) in values.enumerated() {
            sums[index / length] += Double(value)
            sizes[index / length] += 1
        }
        let partOfRank = order.map { UInt32($0 / length) }
        var random = SplitMix64(seed: seed)
        var times = [Int](repeating: 0, count: parts)
        for _ in 0..<replicates {
            Self.drawTimes(&times, blocks: blocks, of: partsPerBlock, &random)
            var count = 0
            var sum = 0.0
            for part in 0..<parts {
                count += times[part] * sizes[part]
                sum += Double(times[part]) * sums[part]
            }
            if estimates.count > percentiles.count {
                estimates[percentiles.count].replicates.append(sum / Double(count))
            }
            var place = -1
            var seen = 0
            for (number, percentile) in percentiles.enumerated() {
                let rank = Self.rank(percentile, of: count)
                while seen < count - rank + 1 {
                    place += 1
                    seen += times[Int(partOfRank[place])]
                }
                estimates[number].replicates.append(Double(values[order[place]]))
            }
        }
    }

    /// How often each part is drawn, where so many blocks begin anywhere; behind the last part comes the first.
    private static func drawTimes(
        _ times: inout [Int], blocks: Int, of partsPerBlock: Int, _ random: inout SplitMix64
    ) {
        let parts = times.count
        for part in 0..<parts { times[part] = 0 }
        var running = 0
        for _ in 0..<blocks {
            let start = random.index(below: parts)
            times[start] += 1
            let end = start + partsPerBlock
            if end < parts {
                times[end] -= 1
            } else {
                running += 1
                if end > parts { times[end - parts] -= 1 }
                if end == parts { running -= 1 }
            }
        }
        for part in 0..<parts {
            running += times[part]
            times[part] = running
        }
    }
}

extension SplitMix64 {
    fileprivate mutating func index(below count: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(count)).high)
    }
}
