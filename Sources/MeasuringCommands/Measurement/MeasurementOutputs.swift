import AudioFigures
import AudioMeasurement
import AudioReports
import CommandSyntax
import TerminalPages
import Threads

/// A measurement's report and its files. These are opened before the run, so that what cannot be written is known then,
/// and written at its end.
struct MeasurementOutputs {
    let log: CycleWriter?
    private let files: OpenOutputs
    /// One for each mode, by its name.
    private var percentiles: [(mode: String, file: OutputFile)] = []
    private let percentilePath: String?
    private let replaces: Bool
    private let isJSON: Bool

    /// - Parameters:
    ///   - modes: the names that the report's modes will have, as far as they are known.
    ///   - hasMore: whether there will be others; see `with(modes:)`.
    /// - Throws: `FileError` for the first file that cannot be written.
    init(_ options: OutputOptions, modes: [String], hasMore: Bool = false) throws(FileError) {
        isJSON = options.isJSON
        replaces = options.replaces
        files = try options.open(["html", "junit"])
        percentilePath = options["hgrm"]
        log = try options["csv"].map { path throws(FileError) in
            try CycleWriter(path: path, replacing: options.replaces)
        }
        try open(modes, isAlone: modes.count == 1 && !hasMore)
    }

    /// The same, with files for all of several modes.
    func with(modes: [String]) throws(FileError) -> MeasurementOutputs {
        var outputs = self
        try outputs.open(modes.filter { mode in !percentiles.contains { $0.mode == mode } }, isAlone: false)
        return outputs
    }

    private mutating func open(_ modes: [String], isAlone: Bool) throws(FileError) {
        guard let percentilePath else { return }
        for mode in modes {
            let path = isAlone ? percentilePath : Self.path(percentilePath, of: mode)
            percentiles.append((mode, try OutputFile(path, replacing: replaces)))
        }
    }

    /// `run.hgrm` and `queued 480 (2)` make `run.queued-480-2.hgrm`.
    static func path(_ path: String, of mode: String) -> String {
        let word = mode.split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
        guard let dot = path.lastIndex(of: "."),
            dot > (path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)
        else { return "\(path).\(word)" }
        return "\(path[..<dot]).\(word)\(path[dot...])"
    }

    /// Writes all files and prints the report. What cannot be written keeps nothing else from being written.
    ///
    /// - Parameter signals: released between the two. A signal before would leave half a file; printing waits as long as nobody
    ///   reads, and a signal ends that.
    /// - Throws: what went wrong first.
    func write(_ report: Report, releasing signals: Signals? = nil) throws {
        var attempts = Attempts()
        writeFiles(report, &attempts)
        signals?.release()
        attempts.make {
            try StandardOutput.print(
                isJSON ? encodeJSON(report) : ReportTable(report, hasColor: PageFormat().hasColor).text)
        }
        try attempts.end()
    }

    /// What the log's records do not tell.
    private func noteSummaries(of report: Report) {
        guard let log else { return }
        func note(_ name: String, _ value: some Encodable) {
            if let text = try? encodeJSON(value) { log.note(name, text) }
        }
        var run = RunSummary(of: report)
        // A reader takes no line beyond 1 MB, and a plug-in may have thousands of parameters.
        if let text = try? encodeJSON(run), text.utf8.count > 1 << 19 { run.plugins = nil }
        note(LoggedReport.run, run)
        for mode in report.modes { note(LoggedReport.summary(of: mode.name), ModeSummary(of: mode)) }
    }

    private func writeFiles(_ report: Report, _ attempts: inout Attempts) {
        noteSummaries(of: report)
        attempts.make { try log?.finish() }
        // Its figures are text and numbers, which can be encoded; if not, a page without them is better than none.
        let json = try? encodeJSON(report)
        attempts.make { try files.finish("html", with: HTMLPage(report, json: json).text) }
        attempts.make { try files.finish("junit", with: JUnitFile(report).text) }
        for (name, file) in percentiles {
            guard let mode = report.modes.first(where: { $0.name == name }) else {
                // Its turn did not come.
                file.discard()
                continue
            }
            attempts.make { try file.finish(with: PercentileFile(mode.deviationHistogram).text) }
        }
    }
}

/// Things that are all tried: what fails keeps none of the others from being done.
struct Attempts {
    private var failure: (any Error)?

    mutating func make(_ attempt: () throws -> Void) {
        do { try attempt() } catch { failure = failure ?? error }
    }

    /// - Throws: what went wrong first.
    func end() throws {
        if let failure { throw failure }
    }
}
