import CommandSyntax
import Jack
import TerminalPages

/// `iounit send`: sets everything up in the order in which it can fail, sends, and takes it down in reverse.
struct SendCommand {
    let options: SendOptions

    init(_ options: SendOptions) { self.options = options }

    func run() throws -> ExitCode {
        let signals = try Signals()
        let server = try options.server.start()
        defer { server?.stop() }
        guard try options.ear.portWait?.perform(for: options.ear.engine, options.server, on: server, signals) ?? true
        else { return .interrupted }
        let session = try SendSession(options, server: server)
        return try session.perform(signals, on: server, isJSON: options.isJSON) {
            var loop = SendLoop(session, signals)
            return try loop.run()
        }
    }
}
