/// A subcommand: what it understands, and how it is run.
package struct Subcommand: Sendable {
    private let makeSyntax: @Sendable () -> Syntax
    /// Reads the words behind it; what it returns runs it.
    let read: @Sendable ([String]) throws -> () throws -> ExitCode

    /// - Parameter syntax: evaluated at its use, because most runs need one subcommand's and not all.
    package init(
        _ syntax: @autoclosure @escaping @Sendable () -> Syntax,
        _ read: @escaping @Sendable ([String]) throws -> () throws -> ExitCode
    ) {
        makeSyntax = syntax
        self.read = read
    }

    var syntax: Syntax { makeSyntax() }
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
