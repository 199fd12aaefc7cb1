import CommandSyntax
import LiveRuns

/// `iounit monitor`: sets everything up in the order in which it can fail, runs, and takes it down in reverse.
struct MonitorCommand {
    let options: MonitorOptions
    /// `nil` where no session manager has a say.
    let managed: ManagedSession?

    init(_ options: MonitorOptions, _ managed: ManagedSession? = nil) {
        self.options = options
        self.managed = managed
    }

    func run() throws -> ExitCode {
        var hasBegun = false
        do {
            return try perform { hasBegun = true }
        } catch {
            if !hasBegun { managed?.refuse(Failure.from(error)) }
            throw error
        }
    }

    private func perform(whenBegun: () -> Void) throws -> ExitCode {
        if let offline = options.offline {
            guard managed == nil else {
                throw Failure(
                    .usage, "--offline has no effect in a session, whose runs are on a server: leave it out",
                    of: "offline")
            }
            return try OfflineRun(options, offline).perform()
        }
        let signals = try Signals()
        let server = try options.server.start()
        defer { server?.stop() }
        let caller = managed.map { managed in
            PortWait.Caller(descriptor: managed.manager.descriptor) { try managed.wait(for: options, $0) }
        }
        let isReady = try options.portWait?.perform(
            for: options.unit.engine, options.server, on: server, signals, answering: caller)
        guard isReady ?? true else { return .interrupted }
        let session = try MonitorSession(options, server: server)
        session.managed = managed
        return try session.perform(signals, on: server, isJSON: options.isJSON) {
            whenBegun()
            try managed?.begin(session)
            var loop = MonitorLoop(session, signals, seconds: options.isUntimed ? nil : options.seconds)
            return try loop.run()
        }
    }
}
