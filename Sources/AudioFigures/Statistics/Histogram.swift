import func Glibc.log
import func Glibc.pow

/// How many times each duration was seen, in places that are at most 0.1 % wide.
///
/// Log-linear, as Gil Tene's HdrHistogram with three significant digits: up to 2047 ns each value has a place of its
/// own; beyond, each doubling is cut into 1024 places, up to 137 s. A longer value counts in the last place; a
/// negative one counts as 0. Number, extremes, mean and standard deviation are exact. 230 kB, whatever is recorded.
public struct Histogram: Sendable {
    /// How many doublings lie above the 2048 values that have places of their own.
    package static let doublings = 26
    /// Places of each doubling.
    package static let places = 1024
    private static let lastPlace = (doublings + 2) * places - 1

    private var counts = [UInt64](repeating: 0, count: lastPlace + 1)
    private(set) var moments = Moments()

    /// Empty.
    public init() {}

    /// Counts a value in nanoseconds. Takes a few nanoseconds itself, and allocates nothing unless the histogram has
    /// just been copied.
    public mutating func record(_ nanoseconds: Int64) {
        let value = min(max(nanoseconds, 0), Moments.limit)
        counts[Self.place(of: value)] &+= 1
        moments.add(value)
    }

    /// Counts all that the other has counted.
    public mutating func merge(_ other: Histogram) {
        for place in counts.indices { counts[place] += other.counts[place] }
        moments.add(other.moments)
    }

    /// Of recorded values.
    public var count: UInt64 { moments.count }
    /// The least value; 0 where there is none.
    public var minimum: Int64 { moments.minimum }
    /// The greatest value; 0 where there is none.
    public var maximum: Int64 { moments.maximum }
    /// Exact; 0 where it is empty.
    public var mean: Double { moments.mean }
    /// Of the values as a whole population.
    public var standardDeviation: Double { moments.standardDeviation }

    /// The value at a percentile.
    ///
    /// The rank is `percentile / 100 · count`, rounded half up, and at least 1; the value is the greatest that shares
    /// its place with the value of that rank, but no greater than the maximum. That is HdrHistogram's rule.
    ///
    /// - Parameter percentile: 0…100; what lies outside is moved to the nearest end. 0 is the minimum.
    /// - Returns: nanoseconds; 0 where nothing was recorded.
    public func value(atPercentile percentile: Double) -> Int64 {
        guard percentile > 0 else { return minimum }
        return value(atRank: Self.rank(percentile, of: count))
    }

    /// What the place of the value of this rank holds at most. Ranks begin with 1.
    func value(atRank rank: UInt64) -> Int64 {
        guard count > 0 else { return 0 }
        var seen: UInt64 = 0
        for place in counts.indices {
            seen += counts[place]
            if seen >= rank { return place == Self.lastPlace ? maximum : min(Self.highest(in: place), maximum) }
        }
        return maximum
    }

    /// What the place of the value of this rank holds at most, were all values of both in one.
    func highestValue(atRank rank: UInt64, together other: Histogram) -> Int64 {
        var seen: UInt64 = 0
        for place in counts.indices {
            seen += counts[place] + other.counts[place]
            if seen >= rank { return place == Self.lastPlace ? .max : Self.highest(in: place) }
        }
        return .max
    }

    /// The least that shares its place with the value of this rank, but no less than the minimum.
    func lowestValue(atRank rank: UInt64) -> Int64 {
        max(Self.lowest(in: Self.place(of: value(atRank: rank))), minimum)
    }

    static func rank(_ percentile: Double, of count: UInt64) -> UInt64 {
        // In this order, what is no number becomes 0.
        max(1, UInt64(min(max(0, percentile), 100) * Double(count) / 100 + 0.5))
    }

    /// All that a report says of the values.
    public var distribution: Distribution { Distribution(moments, value: value(atPercentile:)) }

    /// Percentiles from 0 to 100 that lie the closer the nearer to 100 they come: each step is a tenth of the rest.
    public var curve: [CurvePoint] {
        steps.map { CurvePoint(percentile: $0.percentile, nanoseconds: min($0.highest, maximum), count: $0.count) }
    }

    /// A level that HdrHistogram's percentile iterator stops at, and the place where it does.
    package struct Step {
        package var percentile: Double
        package var highest: Int64
        /// How many values lie in the place or before.
        package var count: UInt64
    }

    /// The steps of the percentile iterator of the Python package hdrhistogram, in the same floating-point operations. The way to half of
    /// the rest is cut into five.
    package var steps: [Step] {
        var steps: [Step] = []
        var level = 0.0
        var seen: UInt64 = 0
        for place in counts.indices where counts[place] > 0 {
            seen += counts[place]
            let reached = 100 * Double(seen) / Double(count)
            while reached >= level {
                // All that is longer than the histogram knows is in the last place.
                let highest = Self.highest(in: place)
                steps.append(
                    Step(
                        percentile: level, highest: place == Self.lastPlace ? max(highest, maximum) : highest,
                        count: seen))
                if level < 100 {
                    let halves = pow(2, log(100 / (100 - level)) / log(2) + 1)
                    level += 100 / (5 * halves)
                }
                if seen == count { break }
            }
        }
        if let last = steps.last { steps.append(Step(percentile: 100, highest: last.highest, count: count)) }
        return steps
    }

    private static func place(of value: Int64) -> Int {
        let doubling = 53 - (UInt64(bitPattern: value) | 2047).leadingZeroBitCount
        return min((doubling << 10) + Int(value >> Int64(doubling)), lastPlace)
    }

    private static func lowest(in place: Int) -> Int64 {
        let doubling = max(0, place >> 10 - 1)
        return Int64(place - doubling << 10) << Int64(doubling)
    }

    private static func highest(in place: Int) -> Int64 {
        let doubling = max(0, place >> 10 - 1)
        return Int64(place - doubling << 10 + 1) << Int64(doubling) - 1
    }
}
