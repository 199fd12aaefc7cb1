import AudioMeasurement
import Foundation
import Jack

/// `iounit latency`: makes the way, listens, and says how long it is.
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
        let show = { _ = try Command.print(options.outputs.isJSON ? encodeJSON(report) : report.table) }
        Departure.take(from: server) {
            // A failure to print is no news beside the other one.
            try? show()
        } leave: {
            session.leaveGraph()
        }
        try files.write(report, session)
        try show()
        return try code(report, reason: session.lostServerReason)
    }

    private func code(_ report: LatencyReport, reason: String) throws -> ExitCode {
        switch report.end {
        case .serverLost:
            let reason = reason.isEmpty ? "" : " (JACK says: \(shown(reason)))"
            throw Failure(.noServer, "the JACK server went away\(reason); start it again and run iounit anew")
        case .interrupted:
            return .interrupted
        case .done:
            for complaint in report.complaints { Command.complain(complaint) }
            return report.complaints.isEmpty ? .done : .outsideLimits
        }
    }
}
