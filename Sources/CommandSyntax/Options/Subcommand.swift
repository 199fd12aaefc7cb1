/// A subcommand: what it understands, and how it is run.
package struct Subcommand: Sendable {
    private let makeSyntax: @Sendable () -> Syntax
    /// Reads the words behind it; what it returns runs it.
    let read: @Sendable ([String]) throws -> () throws -> ExitCode

    /// - Parameters:
    ///   - syntax: evaluated at its use, because most runs need one subcommand's and not all.
    ///   - read: makes of the words behind it what was asked for.
    ///   - run: does that.
    package init<Options>(
        _ syntax: @autoclosure @escaping @Sendable () -> Syntax,
        _ read: @escaping @Sendable ([String]) throws -> Options,
        run: @escaping @Sendable (Options) throws -> ExitCode
    ) {
        makeSyntax = syntax
        self.read = { words in
            let options = try read(words)
            return { try run(options) }
        }
    }

    var syntax: Syntax { makeSyntax() }
}

extension Subcommand {
    /// `iounit preset`, for presets of the other subcommands.
    package static func preset(of others: [Subcommand]) -> Subcommand {
        Subcommand(PresetOptions.syntax, PresetOptions.init) {
            try PresetCommand(options: $0, subcommands: others).run()
        }
    }
}
