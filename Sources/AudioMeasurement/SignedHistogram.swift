/// How many times each signed duration was seen: one histogram on either side of 0, and one rule of ranks for both.
public struct SignedHistogram: Sendable {
    /// Magnitudes of what lies below 0.
    private var negative = Histogram()
    private var positive = Histogram()

    public init() {}

    /// Counts a value in nanoseconds. As `Histogram.record`.
    public mutating func record(_ nanoseconds: Int64) {
        // The least number of all has no counterpart.
        if nanoseconds < 0 { negative.record(-max(nanoseconds, -.max)) } else { positive.record(nanoseconds) }
    }

    /// Counts all that the other has counted.
    public mutating func merge(_ other: SignedHistogram) {
        negative.merge(other.negative)
        positive.merge(other.positive)
    }

    /// The same values without their sign.
    public var magnitudes: Histogram {
        var magnitudes = positive
        magnitudes.merge(negative)
        return magnitudes
    }

    private var moments: Moments {
        var moments = negative.moments.negated
        moments.add(positive.moments)
        return moments
    }

    public var count: UInt64 { negative.count + positive.count }
    /// The least value, the farthest below 0; 0 where there is none.
    public var minimum: Int64 { moments.minimum }
    /// The greatest value; 0 where there is none.
    public var maximum: Int64 { moments.maximum }
    public var mean: Double { moments.mean }
    /// Of the values as a whole population.
    public var standardDeviation: Double { moments.standardDeviation }

    /// The value that a part of all values do not exceed: `Histogram.value(atPercentile:)`, with ranks counted from the
    /// farthest below 0.
    public func value(atPercentile percentile: Double) -> Int64 {
        guard percentile > 0, count > 0 else { return minimum }
        let rank = Histogram.rank(percentile, of: count)
        if rank > negative.count { return positive.value(atRank: rank - negative.count) }
        return -negative.lowestValue(atRank: negative.count - rank + 1)
    }

    /// All that a report says of the values.
    public var distribution: Distribution { Distribution(moments, value: value(atPercentile:)) }
}
