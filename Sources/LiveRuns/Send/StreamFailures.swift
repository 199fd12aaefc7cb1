import AudioStreaming
import CommandSyntax

extension StreamError: EndsCommand {
    package var failure: Failure {
        let code: ExitCode =
            switch kind {
            case .unsupported: .usage
            case .badData: .badInput
            case .unreadable: .noInput
            case .codec, .resources: .inputOutput
            case .unresolved: .noHost
            case .network, .missing: .noServer
            case .denied, .permission: .noPermission
            case .untrusted, .protocolError, .otherVersion: .wrongProtocol
            case .file, .occupied: .cannotCreate
            }
        return Failure(code, description)
    }
}
