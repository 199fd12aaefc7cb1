import AudioFiles
import AudioIO
import AudioMeasurement
import AudioMetering
import AudioRecording
import AudioStreaming
import Jack
import Threads

extension Failure {
    init(_ error: JackError) {
        self.init(error.kind == .invalidRequest ? .usage : .noServer, error.description)
    }

    init(_ error: UnitError) {
        switch error {
        case .jack(let error): self.init(error)
        case .invalidConfiguration, .nothingMatches, .wrongState: self.init(.usage, error.description)
        }
    }

    init(_ error: SoundFileError) {
        let code: ExitCode =
            switch error.kind {
            case .noInput: .noInput
            case .badInput: .badInput
            case .cannotCreate, .exists: .cannotCreate
            case .io: .inputOutput
            case .unsupportedFormat: .usage
            }
        self.init(code, error.description)
    }

    init(_ error: StreamError) {
        let code: ExitCode =
            switch error.kind {
            case .unsupported: .usage
            case .badData: .badInput
            case .codec, .resources: .inputOutput
            case .unresolved: .noHost
            case .network: .noServer
            case .denied, .permission: .noPermission
            case .untrusted, .protocolError, .otherVersion: .wrongProtocol
            case .file, .occupied: .cannotCreate
            }
        self.init(code, error.description)
    }

    init(_ error: LoudnessError) {
        switch error {
        case .channels, .sampleRate: self.init(.usage, error.description)
        case .outOfMemory: self.init(.inputOutput, error.description)
        }
    }

    init(_ error: MeterError) { self.init(.usage, error.description) }

    init(_ error: FileError) {
        let code: ExitCode =
            switch error {
            case .cannotCreate: .cannotCreate
            case .cannotWrite: .inputOutput
            case .cannotRead: .noInput
            case .malformed: .badInput
            }
        self.init(code, error.description)
    }

    /// Whatever a library of ours throws.
    static func from(_ error: any Error) -> Failure {
        switch error {
        case let failure as Failure: failure
        case let error as JackError: Failure(error)
        case let error as ResourceError: Failure(JackError(error))
        case let error as UnitError: Failure(error)
        case let error as SoundFileError: Failure(error)
        case let error as StreamError: Failure(error)
        case let error as LoudnessError: Failure(error)
        case let error as MeterError: Failure(error)
        case let error as FileError: Failure(error)
        default: Failure(.inputOutput, "\(error)")
        }
    }
}
