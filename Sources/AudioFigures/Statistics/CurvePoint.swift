/// One point of a percentile curve.
public struct CurvePoint: Sendable, Equatable {
    /// 0…100.
    public var percentile: Double
    public var nanoseconds: Int64
    /// How many values lie at or below.
    public var count: UInt64
    public init(percentile: Double, nanoseconds: Int64, count: UInt64) {
        self.percentile = percentile
        self.nanoseconds = nanoseconds
        self.count = count
    }
}
