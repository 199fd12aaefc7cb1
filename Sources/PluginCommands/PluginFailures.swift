import AudioPlugins
import CommandSyntax

extension PluginError: EndsCommand {
    package var failure: Failure {
        let code: ExitCode =
            switch kind {
            case .missing: .noInput
            case .unusable, .channels: .badInput
            case .unavailable: .noServer
            }
        return Failure(code, description)
    }
}
