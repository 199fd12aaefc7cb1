import CommandSyntax
import Jack
import TerminalPages

/// `iounit receive`: sets everything up in the order in which it can fail, receives, and takes it down in reverse.
struct ReceiveCommand {
    let options: ReceiveOptions

    init(_ options: ReceiveOptions) { self.options = options }

    func run() throws -> ExitCode {
        let signals = try Signals()
        // What cannot be read is said before a server is started.
        let origin = try options.origin()
        let server = try options.server.start()
        defer { server?.stop() }
        guard try options.portWait?.perform(for: options.engine, options.server, on: server, signals) ?? true
        else { return .interrupted }
        let session = try ReceiveSession(options, origin, server: server)
        return try session.perform(signals, on: server, isJSON: options.isJSON) {
            var loop = ReceiveLoop(session, signals)
            return try loop.run()
        }
    }
}
