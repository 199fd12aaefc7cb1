import AudioFigures

/// Runs in the order of their dates: what became of their figures.
package struct RunHistory: Sendable {
    /// One mode of one run.
    package struct Entry: Sendable {
        package let date: RunDate
        package let run: MeasuredRun
        package let part: MeasuredRun.Part

        package var version: String { run.provenance?.version ?? "" }
        package var host: String { run.provenance?.host ?? "" }
        /// What a line of a plot is for: the processor, or where that is not told the host.
        package var machine: String { run.machine ?? host }
    }

    /// Runs that measured the same, so that their figures can be held beside one another.
    package struct Trend: Sendable {
        /// `jitter callback, 64 frames at 48000 Hz, dummy backend, asynchronous`.
        package let title: String
        /// In the order of their dates.
        package fileprivate(set) var entries: [Entry]
        /// Those that are asked for and that one of the entries has at least.
        package let figures: [Figure]

        /// The machines, in the order in which they first ran.
        package var machines: [String] {
            var known: Set<String> = []
            return entries.map(\.machine).filter { known.insert($0).inserted }
        }
    }

    package let trends: [Trend]
    /// Of all runs.
    package let count: Int

    /// What is shown where nothing is asked for.
    package static let usualNames = ["p50", "p99", "max", "xruns", "lost", "overruns", "latency"]

    /// Whether there is a figure of this name: without a distribution before it a statistic is the deviation's.
    package static func knows(_ name: String) -> Bool {
        [Limit.Subject.mode, .latency].contains { $0.figure(named: name) != nil }
    }

    /// - Parameters:
    ///   - runs: those without a date are left out.
    ///   - names: of figures, as limits have them.
    package init(_ runs: [MeasuredRun], names: [String] = usualNames) {
        var titles: [String] = []
        var groups: [String: [Entry]] = [:]
        let dated = runs.compactMap { run in run.date.map { (date: $0, run: run) } }
        count = dated.count
        for (date, run) in dated.sorted(by: { ($0.date, $0.run.name) < ($1.date, $1.run.name) }) {
            for part in run.parts {
                let queue = part.queue.map { " (\($0))" } ?? ""
                let path = run.path.map { " \($0.inWords)" } ?? ""
                let what = run.subject == .mode ? "\(run.kind) \(part.name)\(queue)" : "\(run.kind)\(path)"
                let title = "\(what), \(frames(Double(run.periodFrames))) at \(run.sampleRate) Hz\(run.surroundings)"
                if groups[title] == nil { titles.append(title) }
                groups[title, default: []].append(Entry(date: date, run: run, part: part))
            }
        }
        trends = titles.compactMap { title in
            guard let entries = groups[title], let first = entries.first else { return nil }
            // A figure has several names.
            let figures = names.compactMap { name in first.run.subject.figure(named: name) }
                .reduce(into: [Figure]()) { figures, figure in if !figures.contains(figure) { figures.append(figure) } }
                .filter { figure in entries.contains { $0.part.value(figure) != nil } }
            return Trend(title: title, entries: entries, figures: figures)
        }
    }
}

extension MeasuredRun {
    /// When it was made; `nil` where its report does not tell.
    package var date: RunDate? { provenance.flatMap { RunDate($0.date) } }

    /// What else figures depend on, behind a title; empty where the report tells nothing of it.
    fileprivate var surroundings: String {
        let server = [
            serverName.map { "server \($0)" }, backend.map { "\($0) backend" },
            isSync.map { $0 ? "synchronous" : "asynchronous" },
        ]
        return (server.compactMap(\.self) + plugins).map { ", \($0)" }.joined()
    }
}

extension RunHistory.Trend {
    /// The names of columns, and a row for each run.
    var table: [[String]] {
        let head = ["date", "version", "host"] + figures.map { $0.limit ?? "" }
        return [head]
            + entries.map { entry in
                let complete = entry.run.isComplete ? "" : " (incomplete)"
                return [entry.date.text + complete, shown(entry.version), shown(entry.host)]
                    + figures.map { figure in entry.part.value(figure).map(figure.words) ?? "–" }
            }
    }
}

extension Figure {
    /// A value of it, with its unit.
    func words(_ value: Double) -> String {
        switch unit {
        case .nanoseconds: duration(value)
        case .milliseconds: "\(fixed(value, 3)) ms"
        case .frames: frames(value)
        case .share: "\(fixed(value * 100, 2)) %"
        default: fixed(value, value == value.rounded() ? 0 : 2)
        }
    }
}

extension RunHistory {
    /// For people at a terminal. Without a line break after the last line.
    package var table: String {
        let head = "iounit history: \(counted(count, "run"))"
        return ([head] + trends.flatMap { ReportTable.section(shown($0.title), $0.table) }).joined(separator: "\n")
    }

    /// For a job's summary.
    package var markdown: String {
        var lines = ["### iounit history: \(counted(count, "run"))"]
        for trend in trends {
            let table = trend.table
            lines += ["", "#### \(MarkdownText.escaped(trend.title))", ""]
            lines += MarkdownText.table(table[0], Array(table.dropFirst()), numbers: 3...max(3, table[0].count - 1))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
