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

    /// Takes the session down. libjack asks the server for leave to close a client and waits for the answer for ever:
    /// where a server does not give it, a private one is ended, and of a foreign one we take leave without asking.
    private func stop(_ session: MonitorSession, _ server: Server?) {
        session.noteEnd()
        // Safe to share: until the call below this thread does nothing but close clients, and changes nothing that
        // the report is made of; and where the watchdog was first, this thread goes no further.
        nonisolated(unsafe) let shared = session
        let isJSON = options.isJSON
        let watchdog = Watchdog(seconds: 8) {
            if let server { return server.stop() }
            unsafe shared.saveRecording()
            let report = unsafe shared.report()
            // A failure to print is no news beside the other one.
            _ = try? Command.print(isJSON ? encodeJSON(report) : report.summary)
            Command.complain("the JACK server does not answer; end it, start it again and run iounit anew")
            _exit(ExitCode.noServer.rawValue)
        }
        session.leaveGraph()
        // A private server was ended, and all goes on; else the program ends at any moment.
        while !watchdog.call() && server == nil { pause() }
        session.finish()
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
