import AudioFigures
import Jack

extension Section {
    static let jitter = Section(
        name: "jitter",
        introduction: """
            How regularly the unit is called, against a C client that does as little as a client can, in the same
            graph at the same time: 64 frames at 48 kHz on a private server, five runs of ten seconds. Each run is in
            halves, with either started first, because the one that the server wakes first has it easier.
            The unit's figures are those of a report, from its records through the analysis and the histogram; the
            client's are from its own stamps alone, by sorting: that the two agree is the test of the instrument.
            p50, p99: |interval - period| in microseconds. ratio: unit's / client's.
            """
    ) { workshop in
        let server = try Server()
        defer { server.stop() }
        var rows: [[String]] = []
        var medians: [Double] = []
        var tails: [Double] = []
        for run in 1...5 {
            var unit = Histogram()
            var client: [Double] = []
            for unitIsFirst in [run % 2 == 1, run % 2 == 0] {
                let pair = try SideBySide(on: server, unitIsFirst: unitIsFirst, cycles: 3750, workshop)
                unit.merge(pair.report.deviationHistogram)
                client += pair.clientDeviations
            }
            func microseconds(_ percentile: Double) -> Double { Double(unit.value(atPercentile: percentile)) / 1000 }
            let figures = [microseconds(50), client.median, microseconds(99), client.percentile(99)]
            medians.append(figures[0] / figures[1])
            tails.append(figures[2] / figures[3])
            rows.append(
                ["\(run)", "\(unit.count)"] + figures.map { $0.text(1) }
                    + [medians[run - 1].text(2), tails[run - 1].text(2)])
        }
        let head = ["run", "intervals", "unit p50", "client p50", "unit p99", "client p99", "ratio p50", "ratio p99"]
        print(Table(head, rows).text)
        func difference(_ ratios: [Double]) -> Double { abs(ratios.median - 1) * 100 }
        return [
            Goal("interval deviation, p99, ratio to a C client, median of 5 runs", tails.median, atMost: 1.1),
            Goal("the same, p50, differs from the client's own by", difference(medians), atMost: 15, unit: " %"),
            Goal("the same, p99, differs from the client's own by", difference(tails), atMost: 15, unit: " %"),
        ]
    }
}
