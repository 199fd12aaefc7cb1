import CommandSyntax

/// What measures, and what judges what was measured. No codec is in reach.
extension Subcommand {
    package static let compare = Subcommand(CompareOptions.syntax) { words in
        let options = try CompareOptions(words)
        return { try CompareCommand(options).run() }
    }

    package static let jitter = Subcommand(JitterOptions.syntax) { words in
        let options = try JitterOptions(words)
        return { try JitterCommand(options).run() }
    }

    package static let latency = Subcommand(LatencyOptions.syntax) { words in
        let options = try LatencyOptions(words)
        return { try LatencyCommand(options).run() }
    }

    package static let diff = Subcommand(DiffOptions.syntax) { words in
        let options = try DiffOptions(words)
        return { try DiffCommand(options).run() }
    }

    package static let history = Subcommand(HistoryOptions.syntax) { words in
        let options = try HistoryOptions(words)
        return { try HistoryCommand(options).run() }
    }

    package static let ports = Subcommand(PortsCommand.syntax) { words in
        let command = try PortsCommand(words)
        return { try command.run() }
    }

    package static let doctor = Subcommand(DoctorCommand.syntax) { words in
        let command = try DoctorCommand(words)
        return { try command.run() }
    }
}
