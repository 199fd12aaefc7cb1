import AudioReports
import CommandSyntax
import Glibc
import Jack
import TerminalPages

/// `iounit record`: sets everything up in the order in which it can fail, records, and takes it down in reverse.
struct RecordCommand {
    let options: RecordOptions

    init(_ options: RecordOptions) { self.options = options }

    func run() throws -> ExitCode {
        let signals = try Signals(alsoHandling: SIGUSR2)
        let server = try options.server.start()
        defer { server?.stop() }
        guard try options.ear.portWait?.perform(for: options.ear.engine, options.server, on: server, signals) ?? true
        else { return .interrupted }
        let session = try RecordSession(options, server: server)
        return try session.perform(signals, on: server, isJSON: options.isJSON) {
            var loop = RecordLoop(session, signals)
            return loop.run()
        }
    }
}
