import AudioFiles
import AudioMetering
import CommandSyntax

extension SoundFileError: EndsCommand {
    package var failure: Failure {
        let code: ExitCode =
            switch kind {
            case .noInput: .noInput
            case .badInput: .badInput
            case .cannotCreate, .exists: .cannotCreate
            case .io: .inputOutput
            case .unsupportedFormat: .usage
            }
        return Failure(code, description)
    }
}

extension LoudnessError: EndsCommand {
    package var failure: Failure {
        switch self {
        case .channels, .sampleRate: Failure(.usage, description)
        case .outOfMemory: Failure(.inputOutput, description)
        }
    }
}

extension MeterError: EndsCommand {
    package var failure: Failure { Failure(.usage, description) }
}
