/// A subcommand: what it understands, and how it is run.
package struct Subcommand: Sendable {
    let syntax: Syntax
    /// Reads the words behind it; what it returns runs it.
    let read: @Sendable ([String]) throws -> () throws -> ExitCode

    package init(_ syntax: Syntax, _ read: @escaping @Sendable ([String]) throws -> () throws -> ExitCode) {
        self.syntax = syntax
        self.read = read
    }
}

extension Subcommand {
    /// `iounit preset`, for presets of the other subcommands.
    package static func preset(of others: [Subcommand]) -> Subcommand {
        Subcommand(PresetOptions.syntax) { words in
            let options = try PresetOptions(words)
            return { try PresetCommand(options: options, subcommands: others).run() }
        }
    }
}
