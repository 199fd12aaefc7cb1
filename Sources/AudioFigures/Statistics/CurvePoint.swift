/// One point of a percentile curve.
public struct CurvePoint: Sendable, Equatable {
    /// 0…100.
    public var percentile: Double
    /// No value up to that percentile is greater.
    public var nanoseconds: Int64
    /// How many values lie at or below.
    public var count: UInt64
    /// - Parameter percentile: 0 to 100.
    public init(percentile: Double, nanoseconds: Int64, count: UInt64) {
        self.percentile = percentile
        self.nanoseconds = nanoseconds
        self.count = count
    }
}
