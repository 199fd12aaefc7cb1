import CommandSyntax

/// What measures, and what judges what was measured. No codec is in reach.
extension Subcommand {
    package static let compare = Subcommand(CompareOptions.syntax, CompareOptions.init) {
        try CompareCommand(options: $0).run()
    }
    /// - Parameter effects: what the sound of its unit can go through.
    package static func jitter(_ effects: JitterEffects) -> Subcommand {
        Subcommand(JitterOptions.syntax(effects)) { words in
            try JitterOptions(words, effects)
        } run: {
            try JitterCommand(options: $0).run()
        }
    }

    package static let latency = Subcommand(LatencyOptions.syntax, LatencyOptions.init) {
        try LatencyCommand(options: $0).run()
    }
    package static let diff = Subcommand(DiffOptions.syntax, DiffOptions.init) { try DiffCommand(options: $0).run() }
    package static let history = Subcommand(HistoryOptions.syntax, HistoryOptions.init) {
        try HistoryCommand(options: $0).run()
    }
    package static let ports = Subcommand(PortsCommand.syntax, PortsCommand.init) { try $0.run() }
    package static let doctor = Subcommand(DoctorCommand.syntax, DoctorCommand.init) { try $0.run() }
}
