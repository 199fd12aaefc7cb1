import AudioFigures
import Foundation
import Testing

@testable import AudioReports

@Suite("The plot of a figure over time")
struct TrendPlotTests {
    /// A run for each of the values, a day after the other.
    private func svg(
        _ name: String, _ values: [Int64], width: Double = 780, first: Int = 1_795_421_501,
        _ set: (inout Report, Int64) -> Void
    ) throws -> String {
        let runs = try values.enumerated().map { index, value in
            var report = SampleReport.jitter
            let date = Date(timeIntervalSince1970: Double(first + index * 86_400)).ISO8601Format()
            report.provenance = Nullable(Provenance(date: date, version: "1", host: "x", command: "iounit"))
            set(&report, value)
            let decoded = try JSONDecoder().decode(ReportValue.self, from: JSONEncoder().encode(report))
            return try #require(MeasuredRun(name: "\(index)", report: decoded))
        }
        let trend = try #require(RunHistory(runs, names: [name]).trends.first)
        return TrendPlot(trend, try #require(trend.figures.first))?.canvas(width: width).svg("", says: "") ?? ""
    }

    private func labels(_ svg: String) -> [String] { svg.matches(of: />([^<>\n]+)<\/text>/).map { String($0.1) } }

    @Test func `marks that are close hide neither each other nor the line`() throws {
        let set = { (report: inout Report, value: Int64) in report.modes[0].deviation.p99 = value }
        let close = try svg("p99", [Int64](repeating: 5000, count: 300), set)
        #expect(!close.contains("mark filled") && close.count(of: "<polygon class=\"filled mode1\"") == 300)
        let few = try svg("p99", [5000, 6000, 7000], set)
        #expect(few.count(of: "mark filled mode1") == 3)
    }

    @Test func `no two of many lines look the same`() {
        #expect(Set((0..<28).map { PlotStyle(mode: $0).sample }).count == 28)
    }

    @Test func `ticks of counts are whole, and those of times differ`() throws {
        let xruns = labels(try svg("xruns", [0, 1, 0]) { $0.modes[0].lost.xruns = UInt64($1) })
        #expect(xruns.contains("0") && xruns.contains("1") && !xruns.contains { $0.contains(".") }, "\(xruns)")
        let p99 = labels(try svg("p99", [0, 2]) { $0.modes[0].deviation.p99 = $1 }).filter {
            $0.hasSuffix("s") || $0 == "0"
        }
        #expect(p99.contains("1 µs") && Set(p99).count == p99.count, "\(p99)")
    }

    @Test func `dates do not lie over each other at the edges of a phone`() throws {
        let svg = try svg("p99", [Int64](repeating: 5000, count: 200), width: 340) { $0.modes[0].deviation.p99 = $1 }
        let places = svg.matches(
            of: /<text class="quiet" x="([0-9.]+)" y="[0-9.]+" text-anchor="middle">[0-9-]+<\/text>/
        )
        .compactMap { Double($0.1) }
        try #require(places.count > 1)
        for (one, next) in zip(places, places.dropFirst()) { #expect(next - one >= 10 * 6.8 + 10, "\(places)") }
    }

    @Test func `a run whose clock was not set is in no plot`() throws {
        let set = { (report: inout Report, value: Int64) in report.modes[0].deviation.p99 = value }
        #expect(try svg("p99", [5000], first: 5, set).isEmpty)
        #expect(RunDate("1970-01-01T00:00:05Z")?.isOfSetClock == false)
        #expect(RunDate("2026-01-01T00:00:05Z")?.isOfSetClock == true)
    }

    @Test func `the time of a short run has labels that differ`() {
        for length in [1e-6, 1e-5, 3e-4, 0.004, 0.05, 2, 100] {
            let time = RunTime(length: length)
            let scale = PlotScale(.linear, from: 0, to: length / time.seconds, start: 0, end: 700)
            let labels = scale.ticks(spacing: 90).map(time.label)
            #expect(Set(labels).count == labels.count && labels.count > 1, "\(length): \(labels)")
        }
        #expect(RunTime(length: 0.004).moment(3_000_000) == "0.003 s")
    }
}

extension String {
    fileprivate func count(of words: String) -> Int { ranges(of: words).count }
}
