import CommandSyntax
import Glibc

/// What stays on a server while sound goes through it.
extension Subcommand {
    package static let monitor = Subcommand(MonitorOptions.syntax) { words in
        try MonitorOptions(words)
    } run: {
        try MonitorCommand($0).run()
    }

    package static let serve = Subcommand(MonitorOptions.serveSyntax) { words in
        try MonitorOptions(words, servesPage: true)
    } run: {
        try MonitorCommand($0).run()
    }

    package static let record = Subcommand(RecordOptions.syntax, RecordOptions.init) { options in
        let signals = try Signals(alsoHandling: SIGUSR2)
        return try options.unit.perform(signals) { server in
            try RecordSession(options, server: server)
        } loop: {
            RecordLoop($0, signals)
        }
    }

    package static let play = Subcommand(PlayOptions.syntax, PlayOptions.init) { options in
        let signals = try Signals()
        // All files are looked at before a server is joined.
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
        return try chosen.unit.perform(signals) { server in
            try PlaySession(options, entries, outputs: outputs, server: server)
        } loop: {
            PlayLoop($0, signals, readsInput: options.readsInput)
        }
    }

    package static let send = Subcommand(SendOptions.syntax, SendOptions.init) { options in
        let signals = try Signals()
        return try options.unit.perform(signals) { server in
            try SendSession(options, server: server)
        } loop: {
            SendLoop($0, signals)
        }
    }

    package static let receive = Subcommand(ReceiveOptions.syntax, ReceiveOptions.init) { options in
        let signals = try Signals()
        // What cannot be read is said before a server is started.
        let origin = try options.origin()
        return try options.unit.perform(signals) { server in
            try ReceiveSession(options, origin, server: server)
        } loop: {
            ReceiveLoop($0, signals)
        }
    }

    package static let beat = Subcommand(BeatListener.syntax) { words in
        try ListenOptions(Arguments(words, BeatListener.syntax), BeatListener.syntax)
    } run: {
        try ListenCommand($0, BeatListener()).run()
    }

    package static let tune = Subcommand(TuneOptions.syntax, TuneOptions.init) { options in
        try ListenCommand(options.listen, TuneListener(reference: options.reference)).run()
    }
}
