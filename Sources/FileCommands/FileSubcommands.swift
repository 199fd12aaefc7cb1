import CommandSyntax

/// What works on files, without a server.
extension Subcommand {
    /// - Parameter effects: what files can be put through beside what is known here.
    package static func convert(_ effects: ConvertEffects) -> Subcommand {
        Subcommand(ConvertOptions.syntax(effects)) { words in
            let options = try ConvertOptions(words, effects)
            return {
                var command = ConvertCommand(options)
                return try command.run()
            }
        }
    }

    package static let picture = Subcommand(PictureOptions.syntax) { words in
        let options = try PictureOptions(words)
        return { try PictureCommand(options).run() }
    }

    package static let info = Subcommand(InfoOptions.syntax) { words in
        let options = try InfoOptions(words)
        return { try InfoCommand(options).run() }
    }
}
