import AudioIO

/// `iounit monitor`: sets everything up in the order in which it can fail, runs, and takes it down in reverse.
struct MonitorCommand {
    let options: MonitorOptions

    init(_ options: MonitorOptions) { self.options = options }

    func run() throws -> ExitCode {
        let signals = try Signals()
        let server = try options.server.start()
        defer { server?.stop() }
        let session = try MonitorSession(options, server: server)
        return try session.perform(signals, on: server, isJSON: options.isJSON) {
            var loop = MonitorLoop(session, signals, seconds: options.seconds)
            return loop.run()
        }
    }
}
