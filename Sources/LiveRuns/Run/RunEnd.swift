import AudioIO
import CommandSyntax
import ServerRuns
import TerminalPages

package enum RunEnd: Equatable {
    case done
    case interrupted
    /// The server was gone for good; why, in JACK's words if it said so.
    case serverLost(reason: String)
    /// It could not go on though there is a server.
    case failed(UnitError)
    /// Somebody ended it while it waited for the server.
    case endedWithoutServer(reason: String)
    /// The server was back, but nobody let the sound go on.
    case notResumed

    /// What the run comes to.
    ///
    /// - Parameters:
    ///   - policy: what was to be done when the server went away.
    ///   - trouble: what else went wrong.
    func code(_ policy: ReconnectPolicy, trouble: Failure?) throws(Failure) -> ExitCode {
        switch self {
        case .serverLost(let reason):
            trouble.map { StandardError.complain($0.message) }
            throw Failure.serverGone(reason, policy.consent == .never ? "" : " and did not come back in time")
        case .failed(let error):
            trouble.map { StandardError.complain($0.message) }
            throw error.failure
        case .endedWithoutServer(let reason):
            trouble.map { StandardError.complain($0.message) }
            throw Failure.serverGone(reason, ", and the run was ended before it came back")
        case .notResumed:
            trouble.map { StandardError.complain($0.message) }
            throw Failure(
                .noServer,
                "the JACK server went away, and when it was back nobody let the sound go on; the key r or SIGUSR1 does, "
                    + "or --reconnect auto")
        case .interrupted, .done:
            if let trouble { throw trouble }
            return self == .interrupted ? .interrupted : .done
        }
    }
}
