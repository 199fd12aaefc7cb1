/// How some times are spread: what a report says of intervals, deviations or durations. In nanoseconds.
///
/// `minimum`, `maximum`, `mean` and `count` are exact; the percentiles are a histogram's, at most 0.1 % off, by the rule of
/// `Histogram.value(atPercentile:)`. A statistic that there are too few values for is `null` in the JSON: `p999` of 100
/// values would be their maximum by another name.
public struct Distribution: Sendable, Equatable, Encodable {
    /// Of values.
    public var count: UInt64 = 0
    /// The least value.
    public var minimum: Int64 = 0
    /// 0 where there are no values.
    public var mean: Double = 0
    /// Of the values themselves, not of their mean.
    public var standardDeviation: Double = 0
    /// The median.
    public var p50: Int64 = 0
    /// About one of 10 is greater.
    public var p90: Int64 = 0
    /// About one of 100 is greater.
    public var p99: Int64 = 0
    /// About one of 1000 is greater.
    public var p999: Int64 = 0
    /// About one of 10 000 is greater.
    public var p9999: Int64 = 0
    /// The greatest value.
    public var maximum: Int64 = 0

    /// Of no values.
    public init() {}

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Statistic.self)
        for statistic in Statistic.allCases {
            // A nanosecond is whole; a mean need not be.
            if let value = statistic.value(of: self), let whole = Int64(exactly: value) {
                try fields.encode(whole, forKey: statistic)
            } else {
                try fields.encode(statistic.value(of: self), forKey: statistic)
            }
        }
    }
}
