import AudioFiles
import AudioReports
import CommandSyntax
import Jack
import TerminalPages

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
        var chosen = options.server
        // The pretended card of a private server has a port for each output.
        chosen.dummy?.playbackChannels = max(2, outputs)
        let server = try chosen.start()
        defer { server?.stop() }
        guard try options.portWait?.perform(for: options.engine, options.server, on: server, signals) ?? true
        else { return .interrupted }
        let session = try PlaySession(options, entries, outputs: outputs, server: server)
        return try session.perform(signals, on: server, isJSON: options.isJSON) {
            var loop = PlayLoop(session, signals, readsInput: options.readsInput)
            return loop.run()
        }
    }
}
