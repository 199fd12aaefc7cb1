import AudioMeasurement
import AudioReports
import CommandSyntax
import Jack
import ServerRuns
import TerminalPages
import Threads

/// `iounit latency`: sends the signal along a path, listens, and says what the latency is.
struct LatencyCommand {
    let options: LatencyOptions

    func run() throws -> ExitCode {
        let signals = try Signals()
        // Before anything is started: a file that cannot be written would make all of it vain.
        let files = try LatencyFiles(options.outputs)
        let server = try options.server.start()
        defer { server?.stop() }
        let session = try LatencySession(options, on: server)
        var loop = LatencyLoop(session, signals, seconds: options.seconds)
        let end = loop.run()
        let report = session.report(end)
        let finish = {
            try files.write(report, session.probe)
            // Not before: an interruption must not leave a file half written. To print may take for ever, where nobody reads.
            signals.release()
            try StandardOutput.print(
                options.outputs.isJSON
                    ? encodeJSON(report) : LatencyTable(report, hasColor: PageFormat().hasColor).text)
        }
        Shutdown.perform(on: server, periodSeconds: report.server.periodSeconds) {
            // A failure to write is no news beside the other one.
            _ = try? finish()
        } leave: {
            session.probe.stop()
        }
        _ = try finish()
        return try code(report, reason: session.probe.lostServerReason)
    }

    private func code(_ report: LatencyReport, reason: String) throws -> ExitCode {
        switch report.end {
        case .serverLost:
            let reason = reason.isEmpty ? "" : " (JACK says: \(shown(reason)))"
            throw Failure(.noServer, "the JACK server went away\(reason); start it and run iounit again")
        case .interrupted:
            return .interrupted
        case .done:
            for complaint in report.complaints { StandardError.complain(complaint) }
            return report.complaints.isEmpty ? .done : .outsideLimits
        }
    }
}

/// The files that a latency's report is written to. That each of them can be written is known from the beginning.
struct LatencyFiles {
    private let page: OutputFile?
    private let percentiles: OutputFile?
    private let rows: OutputFile?
    private let cases: OutputFile?

    init(_ options: OutputOptions) throws(FileError) {
        page = try options.open("html")
        percentiles = try options.open("hgrm")
        rows = try options.open("csv")
        cases = try options.open("junit")
    }

    func write(_ report: LatencyReport, _ probe: LatencyProbe) throws(FileError) {
        let readings = LatencyRows(probe.readings(), sampleRate: report.server.sampleRate)
        let json = try? encodeJSON(report)
        try page?.finish(with: LatencyPage(report, correlation: probe.correlation(), json: json).text)
        try percentiles?.finish(with: PercentileFile(readings.histogram).text)
        try rows?.finish(with: readings.text)
        try cases?.finish(with: JUnitFile(report.head).text)
    }
}
