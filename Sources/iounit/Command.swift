import AudioIO
import CommandSyntax
import FileCommands
import LiveCommands
import MeasuringCommands
import PluginCommands
import ServerRuns

/// The command: a table of contents.
@main
struct Command {
    /// In the order of the overview.
    static let subcommands: [Subcommand] = {
        let all: [Subcommand] = [
            .monitor, .compare, .jitter(measured), .latency, .diff, .history, .record, .play, .send, .receive, .beat,
            .tune, .serve, .convert(plugins), .picture, .info, .plugin, .ports, .doctor,
        ]
        return all + [.preset(of: all)]
    }()

    private static let plugins = ConvertEffects(PluginPath.options("after the curve"), search: PluginPath.fileEffect)

    private static let measured = JitterEffects(PluginPath.options("in the unit")) { arguments throws(Failure) in
        let path = try PluginPath(arguments)
        guard !path.words.isEmpty else { return nil }
        return { channels, sampleRate in try path.make(channels: channels, sampleRate: sampleRate) }
    }

    static func main() {
        Program(subcommands, details: Release.details, session: SessionCommand.run).main()
    }
}

extension PluginChain: MeasuredEffects {
    package var row: [any Node] { nodes }
    package var flaw: (any Error)? { failure }
}
