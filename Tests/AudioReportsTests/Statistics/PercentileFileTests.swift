import AudioFigures
import AudioReports
import Foundation
import Testing

@Suite("A percentile file") struct PercentileFileTests {
    @Test(arguments: HistogramReference.all)
    func `has the very lines that the Python package writes`(_ reference: HistogramReference) {
        let lines = PercentileFile(reference.histogram).text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == reference.distribution.count + 1, "the last line is ended")
        for (line, expected) in zip(lines, reference.distribution) where !expected.hasPrefix("#[M") {
            #expect(line == expected)
        }
    }

    @Test func `has exact figures at its foot`() {
        var histogram = Histogram()
        for value in [1000, 2000, 3000] { histogram.record(Int64(value)) }
        let foot = PercentileFile(histogram).text.split(separator: "\n").suffix(3)
        #expect(
            Array(foot) == [
                "#[Mean    =        2.000, StdDeviation   =        0.816]",
                "#[Max     =        3.001, Total count    =            3]",
                "#[Buckets =           27, SubBuckets     =         2048]",
            ])
    }

    @Test func `of nothing has a head and a foot`() {
        let lines = PercentileFile(Histogram()).text.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[2] == "#[Max     =        0.000, Total count    =            0]")
    }
}
