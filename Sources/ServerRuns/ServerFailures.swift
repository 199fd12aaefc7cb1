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
        case .invalidConfiguration, .nothingMatches, .wrongState: Failure(.usage, description)
        }
    }
}
