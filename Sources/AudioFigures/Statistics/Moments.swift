import func Glibc.sqrt

/// Number, extremes, mean and deviation of some whole numbers, exactly: the sums are kept as integers, so that neither
/// their order nor their number costs precision.
struct Moments: Sendable, Equatable {
    /// What lies farther from 0 (13 days, in nanoseconds) is taken as this, so that 2²⁷ such values overflow no sum.
    static let limit: Int64 = 1 << 50

    private(set) var count: UInt64 = 0
    private var least = Int64.max
    private var greatest = Int64.min
    private var sum: Int128 = 0
    private var sumOfSquares: Int128 = 0

    /// 0 where there are no values.
    var minimum: Int64 { count == 0 ? 0 : least }
    var maximum: Int64 { count == 0 ? 0 : greatest }
    var mean: Double { count == 0 ? 0 : Double(sum) / Double(count) }

    /// Of the values as a whole population: the root of the mean square of their distance from the mean.
    ///
    /// By the shifted sums (Chan, Golub and LeVeque, The American Statistician 37, 1983), with the mean's whole part
    /// for the shift and integers up to the last step: nothing is left to cancel.
    var standardDeviation: Double {
        guard count > 0 else { return 0 }
        let number = Int128(count)
        let (shift, rest) = sum.quotientAndRemainder(dividingBy: number)
        let aboutShift = sumOfSquares - shift * (sum + rest)
        let variance = (Double(aboutShift) - Double(rest) * Double(rest) / Double(count)) / Double(count)
        return sqrt(max(0, variance))
    }

    /// Of the same numbers with the other sign.
    var negated: Moments {
        var negated = self
        (negated.least, negated.greatest) = count == 0 ? (least, greatest) : (-greatest, -least)
        negated.sum = -sum
        return negated
    }

    mutating func add(_ value: Int64) {
        count &+= 1
        least = min(least, value)
        greatest = max(greatest, value)
        sum &+= Int128(value)
        sumOfSquares &+= Int128(value) * Int128(value)
    }

    mutating func add(_ other: Moments) {
        count += other.count
        least = min(least, other.least)
        greatest = max(greatest, other.greatest)
        sum += other.sum
        sumOfSquares += other.sumOfSquares
    }
}

extension Distribution {
    /// - Parameter value: at a percentile.
    init(_ moments: Moments, value: (Double) -> Int64) {
        self.init()
        count = moments.count
        minimum = moments.minimum
        maximum = moments.maximum
        mean = moments.mean
        standardDeviation = moments.standardDeviation
        p50 = value(50)
        p90 = value(90)
        p99 = value(99)
        p999 = value(99.9)
        p9999 = value(99.99)
    }
}
