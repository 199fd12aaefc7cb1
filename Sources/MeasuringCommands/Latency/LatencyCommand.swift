import AudioReports
import CommandSyntax
import Foundation
import Jack
import ServerRuns
import TerminalPages

/// `iounit latency`: sends the signal along a path, listens, and says what the latency is.
struct LatencyCommand {
    let options: LatencyOptions

    init(_ options: LatencyOptions) { self.options = options }

    func run() throws -> ExitCode {
        let signals = try Signals()
        // Before anything is started: a file that cannot be written would make all of it vain.
        let files = try LatencyFiles(options.outputs)
        let server = try options.server.start()
        defer { server?.stop() }
        let session = try LatencySession(options, on: server)
        var loop = LatencyLoop(session, signals, seconds: options.seconds)
        let end = loop.run()
        signals.release()
        let report = session.report(end)
        let finish = {
            try files.write(report, session)
            try StandardOutput.print(
                options.outputs.isJSON
                    ? encodeJSON(report) : LatencyTable(report, hasColor: PageFormat().hasColor).text)
        }
        Shutdown.perform(on: server) {
            // A failure to write is no news beside the other one.
            _ = try? finish()
        } leave: {
            session.leaveGraph()
        }
        _ = try finish()
        return try code(report, reason: session.lostServerReason)
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
