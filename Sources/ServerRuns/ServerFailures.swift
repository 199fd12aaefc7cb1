import AudioIO
import CommandSyntax
import Jack

extension JackError: EndsCommand {
    package var failure: Failure { Failure(kind == .invalidRequest ? .usage : .noServer, description) }
}

extension UnitError: EndsCommand {
    package var failure: Failure {
        switch self {
        case .jack(let error): error.failure
        // Each subcommand that connects ports has this option.
        case .nothingMatches: Failure(.usage, "\(description); --wait-ports waits until there is one")
        case .invalidConfiguration, .wrongState: Failure(.usage, description)
        }
    }
}
