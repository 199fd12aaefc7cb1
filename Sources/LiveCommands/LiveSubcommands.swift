import CommandSyntax

/// What stays on a server while sound goes through it.
extension Subcommand {
    package static let monitor = Subcommand(MonitorOptions.syntax, { try MonitorOptions($0) }, run: { try $0.run() })
    package static let serve = Subcommand(
        MonitorOptions.serveSyntax, { try MonitorOptions($0, servesPage: true) }, run: { try $0.run() })
    package static let record = Subcommand(RecordOptions.self)
    package static let play = Subcommand(PlayOptions.self)
    package static let send = Subcommand(SendOptions.self)
    package static let receive = Subcommand(ReceiveOptions.self)
    package static let beat = Subcommand(
        BeatListener.syntax, { try ListenOptions(Arguments($0, BeatListener.syntax), BeatListener.syntax) },
        run: { try $0.run(BeatListener()) })
    package static let tune = Subcommand(TuneOptions.syntax, TuneOptions.init) { options in
        try options.listen.run(TuneListener(reference: options.reference))
    }
}
