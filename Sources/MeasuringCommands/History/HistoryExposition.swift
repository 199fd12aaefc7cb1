import AudioFigures
import AudioReports

extension MetricsExposition {
    /// The figures of many runs, each at the time of its run.
    init(_ history: RunHistory) {
        self.init()
        var families: [(name: RunHistory.MetricName, samples: [Sample])] = []
        for trend in history.trends {
            for figure in trend.figures {
                let name = history.metricName(of: figure, in: trend)
                let samples = Self.samples(figure, of: trend)
                if let place = families.firstIndex(where: { $0.name.name == name.name }) {
                    families[place].samples += samples
                } else {
                    families.append((name, samples))
                }
            }
        }
        for (name, samples) in families { add(name.name, .gauge, unit: name.unit, name.help, samples) }
    }

    /// A series for each machine and version, whose times grow.
    private static func samples(_ figure: Figure, of trend: RunHistory.Trend) -> [Sample] {
        var series: [[Sample]] = []
        var places: [[String]: Int] = [:]
        for entry in trend.entries {
            guard let value = entry.metricValue(of: figure) else { continue }
            let labels = [
                ("measurement", entry.run.kind), ("mode", entry.part.name), ("host", entry.host),
                ("version", entry.version), ("sample_rate", "\(entry.run.sampleRate)"),
                ("period_frames", "\(entry.run.periodFrames)"),
            ]
            let sample = Sample(labels: labels, value: value, seconds: entry.date.seconds)
            let place = places[labels.map(\.1), default: series.count]
            if place == series.count {
                places[labels.map(\.1)] = place
                series.append([])
            }
            // Of two runs in one second the later one counts: a series has one value at a time.
            if series[place].last?.seconds == sample.seconds { series[place].removeLast() }
            series[place].append(sample)
        }
        return series.flatMap { $0 }
    }
}
