import AudioFigures
import TestSupport
import Testing

@Suite("A histogram") struct HistogramTests {
    @Test func `has a reference to be held against`() {
        #expect(HistogramReference.all.count == 7)
    }

    @Test(
        .enabled(
            if: HistogramReference.hasPackage, "the Python package hdrhistogram is missing; see Tools/setup --tests"))
    func `is held against what the Python package says today`() throws {
        #expect(try HistogramReference.generate() == HistogramReference.all)
    }

    @Test(arguments: HistogramReference.all)
    func `has the percentiles of the Python package, but none beyond its maximum`(_ reference: HistogramReference) {
        let histogram = reference.histogram
        for pair in reference.percentiles where pair[0] > 0 {
            let expected = min(Int64(pair[1]), histogram.maximum)
            #expect(histogram.value(atPercentile: pair[0]) == expected, "percentile \(pair[0])")
        }
        #expect(abs(histogram.mean - reference.mean) <= reference.mean * 0.001)
        // The package's is that of the middles of the places.
        let tolerance = reference.standardDeviation * 0.002 + 1e-9
        #expect(abs(histogram.standardDeviation - reference.standardDeviation) <= tolerance)
    }

    @Test(arguments: HistogramReference.all)
    func `has exact extremes, number and moments`(_ reference: HistogramReference) throws {
        let values = reference.values
        let histogram = reference.histogram
        #expect(histogram.count == UInt64(values.count))
        #expect(histogram.minimum == values.min())
        #expect(histogram.maximum == values.max())
        let mean = values.map(Double.init).reduce(0, +) / Double(values.count)
        let variance = values.map { (Double($0) - mean) * (Double($0) - mean) }.reduce(0, +) / Double(values.count)
        #expect(abs(histogram.mean - mean) <= mean * 1e-12)
        #expect(abs(histogram.standardDeviation - variance.squareRoot()) <= variance.squareRoot() * 1e-9)
        #expect(histogram.value(atPercentile: 0) == values.min())
        #expect(histogram.value(atPercentile: 100) == values.max())
    }

    @Test(arguments: HistogramReference.all)
    func `is at most 0.1 % above the value of each rank`(_ reference: HistogramReference) {
        let sorted = reference.values.sorted()
        let histogram = reference.histogram
        for percentile in stride(from: 0.5, through: 100, by: 0.5) {
            let rank = max(1, Int(percentile * Double(sorted.count) / 100 + 0.5))
            let exact = sorted[rank - 1]
            let shown = histogram.value(atPercentile: percentile)
            #expect(shown >= exact && Double(shown - exact) <= Double(exact) * 0.001, "percentile \(percentile)")
        }
    }

    /// Both sides of each power of two, where places change their width, and as many values between them.
    private static var valuesOfWholeRange: [Int64] {
        var random = SeededGenerator(seed: 12)
        var values: Set<Int64> = [2, 100_000_000_000]
        for power in 1...36 {
            let octave = Int64(1) << power
            values.formUnion([octave - 1, octave, octave + 1, octave + Int64(random.next() % UInt64(octave))])
        }
        return values.filter { 2...100_000_000_000 ~= $0 }.sorted()
    }

    @Test func `says no value from 2 ns to 100 s too low, or more than 0.1 % too high`() {
        let values = Self.valuesOfWholeRange
        var histogram = Histogram()
        for value in values { histogram.record(value) }
        // Or the greatest would be exact.
        histogram.record(120_000_000_000)
        for (index, value) in values.enumerated() {
            let shown = histogram.value(atPercentile: Double(index + 1) / Double(values.count + 1) * 100)
            #expect(shown >= value, "\(value) ns")
            #expect(shown - value <= value / 1000, "\(value) ns")
        }
    }

    @Test func `keeps each value below 2048 ns apart`() {
        for value in Int64(0)..<2048 {
            var histogram = Histogram()
            histogram.record(value)
            histogram.record(value + 1)
            #expect(histogram.value(atPercentile: 50) == value)
        }
    }

    @Test func `keeps a deviation of one nanosecond in a second's values, which squares of floating point lose`() {
        var histogram = Histogram()
        for index in 0..<1_000_000 { histogram.record(1_000_000_000 + Int64(index % 2) * 2) }
        #expect(histogram.mean == 1_000_000_001)
        #expect(histogram.standardDeviation == 1)
        var constant = Histogram()
        for _ in 0..<1000 { constant.record(987_654_321_987) }
        #expect(constant.standardDeviation == 0)
    }

    @Test func `takes what is out of range for the nearest end, and counts it`() {
        var histogram = Histogram()
        for value in [-5, Int64.min, 300_000_000_000, Int64.max] { histogram.record(value) }
        #expect(histogram.count == 4)
        #expect(histogram.minimum == 0)
        #expect(histogram.maximum == 1 << 50)
        #expect(histogram.value(atPercentile: 50) == 0)
        #expect(histogram.value(atPercentile: 75) == histogram.maximum, "beyond 137 s it never says too little")
        #expect(histogram.curve.last?.nanoseconds == histogram.maximum)
        #expect(histogram.steps.last?.highest == histogram.maximum)
        #expect(histogram.value(atPercentile: .nan) == 0)
        #expect(histogram.value(atPercentile: 1e300) == histogram.maximum)
    }

    @Test func `says 0 of nothing`() {
        let histogram = Histogram()
        #expect(histogram.distribution == Distribution())
        #expect(histogram.curve.isEmpty)
    }

    @Test func `is the same whether its values came at once or in parts`() {
        var random = SeededGenerator(seed: 11)
        let values = (0..<4000).map { _ in Int64(random.next() % 5_000_000) }
        var whole = Histogram()
        var first = Histogram()
        var second = Histogram()
        for (index, value) in values.enumerated() {
            whole.record(value)
            if index % 3 == 0 { first.record(value) } else { second.record(value) }
        }
        first.merge(second)
        #expect(first.distribution == whole.distribution)
        #expect(first.curve == whole.curve)
    }

    @Test(arguments: HistogramReference.all)
    func `has a curve that rises from the lowest place to all values`(_ reference: HistogramReference) throws {
        let histogram = reference.histogram
        let curve = histogram.curve
        #expect(curve.first?.percentile == 0)
        #expect(curve.last == CurvePoint(percentile: 100, nanoseconds: histogram.maximum, count: histogram.count))
        for (point, next) in zip(curve, curve.dropFirst()) {
            #expect(point.percentile < next.percentile)
            #expect(point.nanoseconds <= next.nanoseconds)
            #expect(point.count <= next.count)
        }
    }
}
