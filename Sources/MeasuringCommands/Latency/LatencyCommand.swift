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
        let files = try options.outputs.open()
        let server = try options.server.start()
        defer { server?.stop() }
        let session = try LatencySession(options, on: server)
        var loop = LatencyLoop(session, signals, seconds: options.seconds)
        let end = loop.run()
        let report = session.report(end)
        let finish = {
            try write(report, session.probe, to: files)
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

    private func write(_ report: LatencyReport, _ probe: LatencyProbe, to files: OpenOutputs) throws(FileError) {
        let readings = LatencyRows(probe.readings(), sampleRate: report.server.sampleRate)
        let json = try? encodeJSON(report)
        try files.finish("html", with: LatencyPage(report, correlation: probe.correlation(), json: json).text)
        try files.finish("hgrm", with: PercentileFile(readings.histogram).text)
        try files.finish("csv", with: readings.text)
        try files.finish("junit", with: JUnitFile(report.head).text)
    }
}
