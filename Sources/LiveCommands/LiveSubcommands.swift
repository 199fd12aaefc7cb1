import CommandSyntax

/// What stays on a server while sound goes through it.
extension Subcommand {
    package static let monitor = Subcommand(MonitorOptions.syntax) { words in
        try MonitorOptions(words)
    } run: {
        try $0.run()
    }

    package static let serve = Subcommand(MonitorOptions.serveSyntax) { words in
        try MonitorOptions(words, servesPage: true)
    } run: {
        try $0.run()
    }

    package static let record = Subcommand(RecordOptions.self)
    package static let play = Subcommand(PlayOptions.self)
    package static let send = Subcommand(SendOptions.self)
    package static let receive = Subcommand(ReceiveOptions.self)

    package static let beat = Subcommand(BeatListener.syntax) { words in
        try ListenOptions(Arguments(words, BeatListener.syntax), BeatListener.syntax)
    } run: {
        try $0.run(BeatListener())
    }

    package static let tune = Subcommand(TuneOptions.syntax, TuneOptions.init) { options in
        try options.listen.run(TuneListener(reference: options.reference))
    }
}
