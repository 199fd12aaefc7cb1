import Jack

extension Section {
    static let jitter = Section(
        name: "jitter",
        introduction: """
            How regularly the unit is called, against a C client that does as little as a client can, in the same
            graph at the same time: 64 frames at 48 kHz on a private server, five runs of ten seconds. Each run is in
            halves, with either started first, because the one that the server wakes first has it easier.
            p50, p99: |interval - period| in microseconds. ratio: unit's p99 / client's.
            """
    ) { workshop in
        let server = try Server()
        defer { server.stop() }
        var rows: [[String]] = []
        var ratios: [Double] = []
        for run in 1...5 {
            var unit: [Double] = []
            var client: [Double] = []
            for unitIsFirst in [run % 2 == 1, run % 2 == 0] {
                let pair = try SideBySide(on: server, unitIsFirst: unitIsFirst, cycles: 3750, workshop)
                unit += pair.deviations(pair.unit)
                client += pair.deviations(pair.client)
            }
            ratios.append(unit.percentile(99) / client.percentile(99))
            let figures = [unit.median, client.median, unit.percentile(99), client.percentile(99)]
            rows.append(["\(run)", "\(unit.count)"] + figures.map { $0.text(1) } + [ratios[run - 1].text(2)])
        }
        print(Table(["run", "intervals", "unit p50", "client p50", "unit p99", "client p99", "ratio"], rows).text)
        return [Goal("interval deviation, p99, ratio to a C client, median of 5 runs", ratios.median, atMost: 1.1)]
    }
}
