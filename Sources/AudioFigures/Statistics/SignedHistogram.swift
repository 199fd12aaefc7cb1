/// How many times each signed duration was seen: one histogram on either side of 0, and one rule of ranks for both.
public struct SignedHistogram: Sendable {
    /// Magnitudes of what lies at 0 and above, and of what lies below.
    private var sides: InlineArray<2, Histogram> = [Histogram(), Histogram()]
    private var positive: Histogram { sides[0] }
    private var negative: Histogram { sides[1] }

    /// Empty.
    public init() {}

    /// Counts a value in nanoseconds. As `Histogram.record`.
    public mutating func record(_ nanoseconds: Int64) {
        // The least number of all has no counterpart.
        let value = max(nanoseconds, -.max)
        // By arithmetic: a branch on the sign, which a deviation has at random, would cost as much as all the rest.
        let sign = value >> 63
        sides[Int(sign & 1)].record((value ^ sign) - sign)
    }

    /// Counts all that the other has counted.
    public mutating func merge(_ other: SignedHistogram) {
        for side in sides.indices { sides[side].merge(other.sides[side]) }
    }

    /// The same values without their sign.
    public var magnitudes: Histogram {
        var magnitudes = positive
        magnitudes.merge(negative)
        return magnitudes
    }

    /// `magnitudes.value(atPercentile:)`, without a copy of them: for a look while values still come; 0 where there is none.
    public func magnitude(atPercentile percentile: Double) -> Int64 {
        guard count > 0 else { return 0 }
        let rank = Histogram.rank(percentile, of: count)
        return min(positive.highestValue(atRank: rank, together: negative), max(maximum, -minimum))
    }

    private var moments: Moments {
        var moments = negative.moments.negated
        moments.add(positive.moments)
        return moments
    }

    /// Of recorded values.
    public var count: UInt64 { negative.count + positive.count }
    /// The least value, the farthest below 0; 0 where there is none.
    public var minimum: Int64 { moments.minimum }
    /// The greatest value; 0 where there is none.
    public var maximum: Int64 { moments.maximum }
    /// Exact; 0 where it is empty.
    public var mean: Double { moments.mean }
    /// Of the values as a whole population.
    public var standardDeviation: Double { moments.standardDeviation }

    /// The value at a percentile, as `Histogram.value(atPercentile:)` has it, with ranks counted from the farthest below 0.
    public func value(atPercentile percentile: Double) -> Int64 {
        guard percentile > 0, count > 0 else { return minimum }
        let rank = Histogram.rank(percentile, of: count)
        if rank > negative.count { return positive.value(atRank: rank - negative.count) }
        return -negative.lowestValue(atRank: negative.count - rank + 1)
    }

    /// All that a report says of the values.
    public var distribution: Distribution { Distribution(moments, value: value(atPercentile:)) }
}
