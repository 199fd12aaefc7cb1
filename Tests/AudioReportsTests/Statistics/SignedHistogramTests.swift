import AudioFigures
import TestSupport
import Testing

@Suite("A histogram of signed values") struct SignedHistogramTests {
    @Test(arguments: [Int64(-3_000_000), -1_000_000, 0])
    func `has ranks that go on from below 0 to above`(_ from: Int64) {
        var random = SeededGenerator(seed: 21)
        let values = (0..<10_000).map { _ in from + Int64(random.next() % 2_000_000) }
        var histogram = SignedHistogram()
        for value in values { histogram.record(value) }
        let sorted = values.sorted()
        for percentile in stride(from: 0.5, through: 100, by: 0.5) {
            let rank = max(1, Int(percentile * Double(sorted.count) / 100 + 0.5))
            let exact = sorted[rank - 1]
            let shown = histogram.value(atPercentile: percentile)
            #expect(shown >= exact, "percentile \(percentile)")
            #expect(Double(shown - exact) <= Double(abs(exact)) * 0.001, "percentile \(percentile)")
        }
        #expect(histogram.count == 10_000)
        #expect(histogram.minimum == sorted.first)
        #expect(histogram.maximum == sorted.last)
        #expect(histogram.value(atPercentile: 0) == sorted.first)
        #expect(histogram.value(atPercentile: 100) == sorted.last)
        let mean = values.map(Double.init).reduce(0, +) / Double(values.count)
        let variance = values.map { (Double($0) - mean) * (Double($0) - mean) }.reduce(0, +) / Double(values.count)
        #expect(abs(histogram.mean - mean) < 1e-3)
        #expect(abs(histogram.standardDeviation - variance.squareRoot()) < 1e-3)
    }

    @Test func `tells a percentile of the magnitudes as these themselves do`() {
        var random = SeededGenerator(seed: 22)
        var histogram = SignedHistogram()
        #expect(histogram.magnitude(atPercentile: 99) == 0)
        for _ in 0..<5000 { histogram.record(Int64(random.next() % 3_000_000) - 2_000_000) }
        histogram.record(200_000_000_000)
        for percentile in [0.5, 50, 90, 99, 99.9, 100] {
            let whole = histogram.magnitudes.value(atPercentile: percentile)
            #expect(histogram.magnitude(atPercentile: percentile) == whole, "percentile \(percentile)")
        }
    }

    @Test func `takes a percentile out of range for the nearest end, and what is no number for the lowest`() {
        var histogram = SignedHistogram()
        for value in 1...1000 { histogram.record(Int64(value)) }
        for low in [-Double.infinity, -1e9, -10, .nan] {
            #expect(histogram.magnitude(atPercentile: low) == 1 && histogram.value(atPercentile: low) == 1)
            #expect(histogram.magnitudes.value(atPercentile: low) == 1)
        }
        for high in [100.1, 1e300, .infinity] {
            #expect(histogram.magnitude(atPercentile: high) == 1000 && histogram.value(atPercentile: high) == 1000)
        }
    }

    @Test func `says no value from −100 s to −2 ns too low, or more than 0.1 % too high`() {
        var random = SeededGenerator(seed: 23)
        var values: Set<Int64> = [-2, -100_000_000_000]
        for power in 1...36 {
            let octave = Int64(1) << power
            values.formUnion([1 - octave, -octave, -1 - octave, -octave - Int64(random.next() % UInt64(octave))])
        }
        let sorted = values.filter { -100_000_000_000 ... -2 ~= $0 }.sorted()
        var histogram = SignedHistogram()
        for value in sorted { histogram.record(value) }
        // Or the one nearest to 0 would be exact.
        histogram.record(-1)
        for (index, value) in sorted.enumerated() {
            let shown = histogram.value(atPercentile: Double(index + 1) / Double(sorted.count + 1) * 100)
            #expect(shown >= value, "\(value) ns")
            #expect(shown - value <= -value / 1000, "\(value) ns")
        }
    }

    @Test func `has magnitudes that are a histogram of the values without their sign`() {
        var random = SeededGenerator(seed: 22)
        var signed = SignedHistogram()
        var unsigned = Histogram()
        for _ in 0..<1000 {
            let value = Int64(random.next() % 100_000) - 40_000
            signed.record(value)
            unsigned.record(abs(value))
        }
        #expect(signed.magnitudes.distribution == unsigned.distribution)
    }

    @Test func `takes the most absurd values`() {
        var histogram = SignedHistogram()
        histogram.record(.min)
        histogram.record(.max)
        #expect(histogram.minimum == -1 << 50)
        #expect(histogram.maximum == 1 << 50)
        #expect(histogram.mean == 0)
        #expect(SignedHistogram().distribution == Distribution())
    }

    @Test func `is the same whether its values came at once or in parts`() {
        var whole = SignedHistogram()
        var first = SignedHistogram()
        var second = SignedHistogram()
        for value in Int64(-500)..<700 {
            whole.record(value * 1000)
            if value % 3 == 0 { first.record(value * 1000) } else { second.record(value * 1000) }
        }
        first.merge(second)
        #expect(first.distribution == whole.distribution)
    }
}
