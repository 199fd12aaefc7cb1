import AudioFigures
import AudioReports
import CommandSyntax
import Glibc
import TerminalPages
import Threads

struct HistoryOptions: SubcommandOptions {
    static let syntax = Syntax(
        name: "history", summary: "what became of the figures of many measurements: a trend of a folder of reports",
        groups: [
            optionGroup("History", names.option),
            optionGroup(
                "Output",
                Option("html", "FILE", "write a page with a plot of each figure"),
                Option("markdown", "FILE", "add it as Markdown to a file, as to $GITHUB_STEP_SUMMARY"),
                Option("openmetrics", "FILE", "write the figures and their times for Prometheus"),
                .force(of: ["html", "openmetrics"])),
        ],
        notes: """
            FOLDER holds reports (--json of jitter, compare and latency), in files of any name. Those that cannot be compared have
            tables of their own: iounit help comparing. Names of figures: iounit help figures.
            It needs no server.
            """,
        operands: "FOLDER")

    /// `nil` for the usual ones.
    private static let names = TypedOption<[String]?>(
        Option(
            "figures", "NAMES",
            "which figures, with commas between them (\(RunHistory.usualNames.joined(separator: ",")))"
        ).offering(Limit.Subject.allNames)
    ) { list, arguments throws(Failure) in
        let names = list?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for name in names ?? [] where !RunHistory.knows(name) {
            let near = didYouMean(name, among: Limit.Subject.allNames) ?? "see iounit help figures"
            throw arguments.usage("--figures: there is no figure \"\(shown(name))\"; \(near)", of: "figures")
        }
        return names
    }

    let folder: String
    let figures: [String]
    private let areFiguresGiven: Bool
    let outputs: OutputOptions

    init(_ arguments: Arguments) throws(Failure) {
        try arguments.require(
            arguments.operands.count == 1, "history needs a folder of reports: iounit history FOLDER")
        folder = arguments.operands[0]
        outputs = try OutputOptions(arguments, ["html", "markdown", "openmetrics"])
        let given = try arguments.value(of: Self.names)
        figures = given ?? RunHistory.usualNames
        areFiguresGiven = given != nil
    }

    /// Tells what became of the figures of the reports in the folder.
    func run() throws -> ExitCode {
        // Before a file is opened to be written: it may be one of those that are read.
        let history = RunHistory(try runs(), names: figures)
        guard history.count > 0 else {
            throw Failure(
                .noInput, "\(shown(folder)) holds no report of iounit jitter, compare or latency with a date")
        }
        for name in unknownFigures(history) { StandardError.complain("no run has the figure \(name)") }
        // From here on a signal must not leave half a file.
        let signals = try Signals()
        let files = try outputs.open()
        try files.finish("html", with: HistoryPage(history).text)
        try files.finish("openmetrics", with: MetricsExposition(history).text)
        try files.finish("markdown", with: history.markdown)
        guard !signals.release() else { return .interrupted }
        try StandardOutput.print(history.table)
        return .done
    }

    /// Those that were asked for and that no run has.
    private func unknownFigures(_ history: RunHistory) -> [String] {
        guard areFiguresGiven else { return [] }
        let known = history.trends.flatMap(\.figures)
        return figures.filter { name in
            let subjects: [Limit.Subject] = [.mode, .latency]
            return !subjects.contains { $0.figure(named: name).map(known.contains) ?? false }
        }
    }

    /// Of all files in the folder but hidden ones and those that are to be written. Warnings name the files that are left out.
    private func runs() throws -> [MeasuredRun] {
        guard let names = Folder.names(in: folder) else {
            throw Failure(.noInput, "cannot read the folder \(shown(folder)): it is none, or may not be read")
        }
        return try names.filter { !$0.hasPrefix(".") }.sorted().compactMap { name in
            let path = FilePath(folder).appending(name)
            let kind = Self.kind(of: path)
            guard kind != S_IFDIR else { return nil }
            let isOutput = outputs.contain(path)
            do {
                guard kind == S_IFREG else {
                    throw Failure(.badInput, "\(shown(path)) is no file, or leads to none")
                }
                let run = try RunFile.report(path)
                guard let date = run.date else { throw Self.undated(run, path) }
                guard !isOutput else {
                    throw Failure(
                        .usage, "\(shown(path)) is a report, which would be replaced; name another file to write")
                }
                if !date.isOfSetClock {
                    StandardError.complain(
                        "\(shown(path)) was made by a clock that was not set (\(date.text)); plots leave it out")
                }
                return run
            } catch let failure as Failure where failure.code == .usage {
                throw failure
            } catch {
                guard !isOutput else { return nil }
                StandardError.complain("\(Failure.from(error).message); it is left out")
                return nil
            }
        }
    }

    private static func undated(_ run: MeasuredRun, _ path: String) -> Failure {
        guard let date = run.provenance?.date else {
            return Failure(.badInput, "\(shown(path)) does not tell when it was made")
        }
        return Failure(
            .badInput, "\(shown(path)) was made at \"\(shown(date))\"; a date must be in UTC, as 2026-11-23T08:11:41Z")
    }

    /// As `stat` tells it; 0 where there is nothing behind a link.
    private static func kind(of path: String) -> mode_t {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? facts.st_mode & S_IFMT : 0
    }
}

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
                ("period_frames", "\(entry.run.periodFrames)"), ("queue", entry.part.queue ?? ""),
                ("server", entry.run.serverName ?? ""), ("backend", entry.run.backend ?? ""),
                ("sync", entry.run.isSync.map { "\($0)" } ?? ""),
                ("plugins", entry.run.plugins.joined(separator: ", ")),
                ("send", entry.run.path?.send ?? ""), ("return", entry.run.path?.heardAt ?? ""),
                ("complete", entry.run.isComplete ? "true" : "false"),
            ]
            let place = places[labels.map(\.1), default: series.count]
            if place == series.count {
                places[labels.map(\.1)] = place
                series.append([])
            }
            // A series has one value at a time: runs of the same second get times a millisecond apart.
            let free = series[place].last.map { $0.milliseconds + 1 } ?? 0
            let time = max(entry.date.seconds * 1000, free)
            series[place].append(Sample(labels: labels, value: value, milliseconds: time))
        }
        return series.flatMap { $0 }
    }
}
