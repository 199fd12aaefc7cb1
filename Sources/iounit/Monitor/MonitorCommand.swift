import AudioDSP
import AudioIO
import AudioRecording
import AudioReports
import Foundation
import Jack

/// `iounit monitor`: sets everything up in the order in which it can fail, runs, and takes it down in reverse.
struct MonitorCommand {
    let options: MonitorOptions

    init(_ options: MonitorOptions) { self.options = options }

    func run() throws -> ExitCode {
        let signals = try Signals()
        let server = try options.server.start()
        defer { server?.stop() }
        let session = try MonitorSession(options, server: server)
        let end: MonitorLoop.End
        do {
            try session.start()
            var loop = MonitorLoop(session, signals, seconds: options.seconds)
            end = loop.run()
            session.noteOutage()
        } catch {
            signals.release()
            session.abandon()
            throw error
        }
        signals.release()
        stop(session, server)
        let report = session.report()
        try Command.print(options.isJSON ? encodeJSON(report) : report.summary)
        return try code(end, session, report)
    }

    private func stop(_ session: MonitorSession, _ server: Server?) {
        session.noteEnd()
        let isJSON = options.isJSON
        Shutdown.perform(on: server) {
            session.saveRecording()
            session.noteEnd()
            let report = session.report()
            // A failure to print is no news beside the other one.
            _ = try? Command.print(isJSON ? encodeJSON(report) : report.summary)
        } leave: {
            session.leaveGraph()
        }
        session.finish()
    }

    private func code(_ end: MonitorLoop.End, _ session: MonitorSession, _ report: MonitorReport) throws -> ExitCode {
        switch end {
        case .serverLost(let reason):
            let reason = reason.isEmpty ? "" : " (JACK says: \(shown(reason)))"
            let patience = options.reconnect.consent == .never ? "" : " and did not come back in time"
            session.trouble.map { Command.complain($0.message) }
            throw Failure(
                .noServer, "the JACK server went away\(reason)\(patience); start it again and run iounit anew")
        case .notResumed:
            session.trouble.map { Command.complain($0.message) }
            throw Failure(
                .noServer,
                "the JACK server went away, and when it was back nobody let the sound go on; the key r or SIGUSR1 does, "
                    + "or --reconnect auto")
        case .interrupted, .done:
            if let failure = session.trouble { throw failure }
            return end == .interrupted ? .interrupted : .done
        }
    }
}
