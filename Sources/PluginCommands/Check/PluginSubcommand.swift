import CommandSyntax

/// `iounit plugin`: its first word says what is done.
extension Subcommand {
    package static let plugin = Subcommand(PluginCheckOptions.syntax) { words in
        let options = try PluginCheckOptions(words)
        return { try PluginCheckCommand(options).run() }
    }
}
