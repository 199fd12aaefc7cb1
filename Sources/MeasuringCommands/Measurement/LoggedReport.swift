import AudioFigures
import AudioMeasurement
import AudioReports
import CommandSyntax
import TerminalPages
import Threads

/// The report of a run, made again from the log that it wrote with `--csv`.
enum LoggedReport {
    /// The names of the log's lines that the records are completed from.
    static let run = "run"
    static func summary(of mode: String) -> String { "summary \(mode)" }

    /// - Parameters:
    ///   - path: of the log; `-` for the standard input.
    ///   - schema: of the report.
    static func read(_ path: String, schema: String) throws(FileError) -> Report {
        let descriptor = RunFile.open(path)
        let path = RunFile.name(path)
        guard descriptor >= 0 else { throw .cannotRead(path: path, reason: RunFile.reason) }
        let reader = CycleReader(path, descriptor: descriptor, beginning: [])
        return report(of: try CycleFile.contents(of: reader, keepsSamples: false), path, schema: schema)
    }

    /// Whether it says what was in the way of the sound, or that nothing was.
    static func tellsPlugins(_ log: CycleFile.Contents) -> Bool {
        let summary: RunSummary? = decodeJSON(log.facts[run])
        return summary?.plugins?.allSatisfy(\.isPossible) ?? false
    }

    /// Of a log that was read. Says where it was cut short.
    static func report(of log: CycleFile.Contents, _ path: String, schema: String) -> Report {
        func fact<Value: Decodable>(_ name: String) -> Value? { decodeJSON(log.facts[name]) }
        var report = Report(
            log: path, of: log.analyses, server: fact("server"), host: fact("host"), scheduling: fact("scheduling"),
            run: fact(run), schema: schema, summary: { fact(summary(of: $0)) })
        report.provenance = Nullable(fact("provenance"))
        // A log of ours ends with what its run was: one that does not was cut short, and of one that cannot be read it is not known.
        let told: RunSummary? = fact(run)
        if told == nil, log.knowsRest || log.cutLine != nil || log.facts[run] != nil { report.end = .interrupted }
        if let line = log.cutLine {
            let read = report.modes.reduce(0) { $0 + $1.cycles }
            StandardError.complain(
                "\(shown(path)) was cut short: line \(line) is not whole and left out, and what followed it is missing; "
                    + "\(counted(read, "callback")) before it \(read == 1 ? "is" : "are") read")
        }
        return report
    }
}

extension MeasurementOptions {
    /// Reports what an earlier run wrote with `--csv`.
    func report(log path: String, schema: String) throws -> ExitCode {
        let logged = try LoggedReport.read(path, schema: schema)
        // From here on a signal must not leave half a file.
        let signals = try Signals()
        let outputs = try MeasurementOutputs(outputs, modes: logged.modes.map(\.name))
        let report = logged.judged(limits)
        try outputs.write(report, releasing: signals)
        guard report.exceeded.isEmpty else { return .outsideLimits }
        guard report.limits.isEmpty || report.isComplete else {
            StandardError.complain(
                "the limits were held against a run that did not come to its end, in which less was counted: measure again"
            )
            return .outsideLimits
        }
        return .done
    }
}
