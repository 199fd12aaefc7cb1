/// How some times are spread: what a report says of intervals, deviations or durations. In nanoseconds.
///
/// `minimum`, `maximum`, `mean` and `count` are exact; the percentiles are a histogram's, at most 0.1 % off.
public struct Distribution: Sendable, Equatable, Encodable {
    public var count: UInt64 = 0
    public var minimum: Int64 = 0
    public var mean: Double = 0
    public var standardDeviation: Double = 0
    public var p50: Int64 = 0
    public var p90: Int64 = 0
    public var p99: Int64 = 0
    public var p999: Int64 = 0
    public var p9999: Int64 = 0
    public var maximum: Int64 = 0

    public init() {}

    private enum CodingKeys: String, CodingKey {
        case count, mean, standardDeviation, p50, p90, p99
        case minimum = "min"
        case maximum = "max"
        case p999 = "p99.9"
        case p9999 = "p99.99"
    }
}
