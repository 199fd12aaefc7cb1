import AudioFiles
import AudioMetering
import CommandSyntax
import Glibc

/// What works on files, without a server.
extension Subcommand {
    /// - Parameter effects: what files can be put through beside what is known here.
    package static func convert(_ effects: ConvertEffects) -> Subcommand {
        Subcommand(ConvertOptions.syntax(effects)) { words in
            try ConvertOptions(words, effects)
        } run: {
            try $0.run()
        }
    }

    package static let picture = Subcommand(PictureOptions.self)
    package static let info = Subcommand(InfoOptions.self)
}

extension SoundFileReader {
    /// What a command line names: a file, or the standard input as `-`. As much of it is read as can be.
    package convenience init(operand: String, standardInput: CInt = STDIN_FILENO) throws(SoundFileError) {
        if operand == "-" {
            try self.init(descriptor: standardInput, name: "standard input", accepting: .readablePart)
        } else {
            try self.init(path: operand, accepting: .readablePart)
        }
    }
}

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
