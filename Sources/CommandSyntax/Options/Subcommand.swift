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

/// What a subcommand was asked to do, and how it does that.
package protocol SubcommandOptions: SendableMetatype {
    static var syntax: Syntax { get }
    /// Reads the words behind it.
    init(_ words: [String]) throws(Failure)
    func run() throws -> ExitCode
}

extension Subcommand {
    package init<Options: SubcommandOptions>(_: Options.Type) {
        self.init(Options.syntax, Options.init) { try $0.run() }
    }

    /// `iounit preset`, for presets of the other subcommands.
    package static func preset(of others: [Subcommand]) -> Subcommand {
        Subcommand(PresetOptions.syntax, PresetOptions.init) {
            try PresetCommand(options: $0, subcommands: others).run()
        }
    }
}
