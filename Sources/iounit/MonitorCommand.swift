import AudioDSP
import AudioIO
import AudioRecording
import Foundation
import Jack

/// `iounit monitor`: sets everything up in the order in which it can fail, runs, and takes it down in reverse.
struct MonitorCommand {
    let options: MonitorOptions

    init(_ options: MonitorOptions) { self.options = options }

    func run() throws -> ExitCode {
        let signals = try Signals()
        let server = try options.dummy.map { configuration throws(JackError) in try Server(configuration) }
        defer { server?.stop() }
        let session = try session(on: server)
        let end: MonitorLoop.End
        do {
            try session.start()
            var loop = MonitorLoop(session, signals, seconds: options.seconds)
            end = loop.run()
        } catch {
            session.abandon()
            throw error
        }
        signals.release()
        session.stop()
        let report = session.report()
        try Command.print(options.isJSON ? encodeJSON(report) : report.summary)
        return try code(end, session, report)
    }

    private func session(on server: Server?) throws -> MonitorSession {
        do {
            return try MonitorSession(options, server: server)
        } catch let error as JackError where error.kind == .noServer && server == nil {
            throw Failure(.noServer, "\(error.reason), or let iounit start one of its own with --dummy")
        }
    }

    private func code(_ end: MonitorLoop.End, _ session: MonitorSession, _ report: MonitorReport) throws -> ExitCode {
        switch end {
        case .serverLost(let reason):
            let reason = reason.isEmpty ? "" : " (JACK says: \(shown(reason)))"
            throw Failure(.noServer, "the JACK server went away\(reason); start it again and run iounit anew")
        case .interrupted, .done:
            if let failure = session.trouble { throw failure }
            return end == .interrupted ? .interrupted : .done
        }
    }
}
