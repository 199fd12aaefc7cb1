import CommandSyntax
import LiveRuns

extension MonitorOptions {
    /// Sets everything up in the order in which it can fail, runs, and takes it down in reverse.
    ///
    /// - Parameter managed: `nil` where no session manager has a say.
    func run(_ managed: ManagedSession? = nil) throws -> ExitCode {
        try StandardOutput.checkReport(isJSON: unit.isJSON, beside: usesOutput)
        if let offline {
            guard managed == nil else {
                throw Failure(
                    .usage, "--offline has no effect in a session, whose runs are on a server: leave it out",
                    of: "offline")
            }
            return try OfflineRun(self, offline).perform()
        }
        let signals = try Signals()
        let caller = managed.map { managed -> PortWait.Caller in
            (managed.manager.descriptor, { try managed.wait(for: self, $0) })
        }
        return try unit.perform(signals, answering: caller) { server in
            try MonitorSession(self, managed, server: server)
        } loop: { session in
            try managed?.begin(session)
            return MonitorLoop(session, signals)
        }
    }
}
