import CommandSyntax

/// What works on files, without a server.
extension Subcommand {
    package static let convert = Subcommand(ConvertOptions.syntax) { words in
        let options = try ConvertOptions(words)
        return {
            var command = ConvertCommand(options)
            return try command.run()
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
