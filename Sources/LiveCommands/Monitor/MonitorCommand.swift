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
        let caller = managed.map { managed in
            PortWait.Caller(descriptor: managed.manager.descriptor) { try managed.wait(for: options, $0) }
        }
        return try options.perform(signals, answering: caller) { server in
            try MonitorSession(options, managed, server: server)
        } loop: { session in
            whenBegun()
            try managed?.begin(session)
            return MonitorLoop(session, signals)
        }
    }
}
