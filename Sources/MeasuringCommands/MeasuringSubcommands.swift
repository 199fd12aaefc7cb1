import CommandSyntax

/// What measures, and what judges what was measured. No codec is in reach.
extension Subcommand {
    package static let compare = Subcommand(CompareOptions.self)
    /// - Parameter effects: what the sound of its unit can go through.
    package static func jitter(_ effects: JitterEffects) -> Subcommand {
        Subcommand(JitterOptions.syntax(effects)) { words in
            try JitterOptions(words, effects)
        } run: {
            try $0.run()
        }
    }
    package static let latency = Subcommand(LatencyOptions.self)
    package static let diff = Subcommand(DiffOptions.self)
    package static let history = Subcommand(HistoryOptions.self)
    package static let ports = Subcommand(PortsCommand.self)
    package static let doctor = Subcommand(DoctorCommand.self)
}
