import Testing

/// Whether the place of a sound drifts, by readings of which some are wrong: a machine that stalls disturbs single ones.
struct PlaceTrend: CustomStringConvertible {
    /// From the median of the first third to that of the last, in milliseconds.
    let shift: Double
    /// The median of the slopes between readings that are half of all apart, after Theil and Sen: in millionths.
    let slope: Double

    /// - Parameter places: in milliseconds, one for each second. `nil` where there are fewer than twelve.
    init?(_ places: [Double]) {
        guard places.count >= 12 else { return nil }
        func median(_ values: some Collection<Double>) -> Double { values.sorted()[values.count / 2] }
        let third = places.count / 3
        shift = median(places.suffix(third)) - median(places.prefix(third))
        let half = places.count / 2
        let slopes: [Double] = (half..<places.count).map { 1000 * (places[$0] - places[$0 - half]) / Double(half) }
        slope = median(slopes)
    }

    /// A loop that is at rest moves the place by less than 2 ms, and by no more than a good crystal's drift.
    var isLevel: Bool { abs(shift) < 2 && abs(slope) < 50 }

    var description: String { "the place moved by \(shift) ms, at \(slope) ppm" }
}

@Suite("The trend of a place") struct PlaceTrendTests {
    /// Within 0.3 ms, as a loop that works leaves it.
    private func places(_ count: Int, drift: Double = 0) -> [Double] {
        (0..<count).map { second in
            let wobble = Double((second * 7) % 11 - 5) * 0.06
            return wobble + drift * Double(second) / 1000
        }
    }

    @Test(arguments: [25, 55, 600]) func `is not that of single readings`(count: Int) throws {
        var disturbed = places(count)
        for second in [3, count / 2, count - 2] { disturbed[second] += 3.6 }
        #expect(try #require(PlaceTrend(disturbed)).isLevel)
    }

    @Test(arguments: [200, -200, 80.0]) func `is a drift where there is one, in 25 seconds too`(drift: Double) throws {
        for count in [25, 55, 600] {
            var disturbed = places(count, drift: drift)
            disturbed[count - 2] -= 3.6
            let trend = try #require(PlaceTrend(disturbed))
            #expect(!trend.isLevel && abs(trend.slope - drift) < 30, "\(trend)")
        }
    }

    @Test func `is a step too`() throws {
        var stepped = places(60)
        for second in 30..<60 { stepped[second] += 2.5 }
        let trend = try #require(PlaceTrend(stepped))
        #expect(!trend.isLevel)
    }
}
