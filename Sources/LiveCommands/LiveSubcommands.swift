import CommandSyntax

/// What stays on a server while sound goes through it.
extension Subcommand {
    package static let monitor = Subcommand(MonitorOptions.syntax) { words in
        let options = try MonitorOptions(words)
        return { try MonitorCommand(options).run() }
    }

    package static let record = Subcommand(RecordOptions.syntax) { words in
        let options = try RecordOptions(words)
        return { try RecordCommand(options).run() }
    }

    package static let play = Subcommand(PlayOptions.syntax) { words in
        let options = try PlayOptions(words)
        return { try PlayCommand(options).run() }
    }

    package static let send = Subcommand(SendOptions.syntax) { words in
        let options = try SendOptions(words)
        return { try SendCommand(options).run() }
    }

    package static let receive = Subcommand(ReceiveOptions.syntax) { words in
        let options = try ReceiveOptions(words)
        return { try ReceiveCommand(options).run() }
    }

    package static let beat = Subcommand(BeatOptions.syntax) { words in
        let options = try BeatOptions(words)
        return { try ListenCommand(options.listen, BeatListener()).run() }
    }

    package static let tune = Subcommand(TuneOptions.syntax) { words in
        let options = try TuneOptions(words)
        return { try ListenCommand(options.listen, TuneListener(reference: options.reference)).run() }
    }

    package static let serve = Subcommand(MonitorOptions.serveSyntax) { words in
        let options = try MonitorOptions(words, servesPage: true)
        return { try MonitorCommand(options).run() }
    }
}
