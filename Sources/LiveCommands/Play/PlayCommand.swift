import CommandSyntax
import Jack

/// `iounit play`: checks all files, then joins a server and plays them.
struct PlayCommand {
    let options: PlayOptions

    init(_ options: PlayOptions) { self.options = options }

    func run() throws -> ExitCode {
        let signals = try Signals()
        let entries: [PlayedEntry]
        do {
            entries = try options.paths.map { try PlayedEntry($0, options, signals) }
        } catch is PlayedEntry.Interruption {
            return .interrupted
        }
        let widest = entries.map(\.channels).max() ?? 1
        let outputs = options.channels ?? min(widest, PlayedEntry.mostChannels)
        var chosen = options
        // The pretended card of a private server has a port for each output.
        chosen.unit.server.dummy?.playbackChannels = max(2, outputs)
        return try chosen.perform(signals) { server in
            try PlaySession(options, entries, outputs: outputs, server: server)
        } loop: {
            PlayLoop($0, signals, readsInput: options.readsInput)
        }
    }
}
