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
    /// Reads what stands behind it.
    init(_ arguments: Arguments) throws(Failure)
    func run() throws -> ExitCode
}

extension SubcommandOptions {
    package init(_ words: [String]) throws(Failure) { try self.init(Arguments(words, Self.syntax)) }
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

/// Options of a subcommand that another module reads, as those about plug-ins. The module of the subcommand does not depend on
/// that one, so that a program can have the subcommand without plug-ins.
package struct ForeignOptions<Found: Sendable>: Sendable {
    private let makeOptions: @Sendable () -> [Option]
    /// Reads them; `nil` where none of them is given.
    package let search: @Sendable (Arguments) throws(Failure) -> Found?

    /// - Parameters:
    ///   - options: in the order of the help. Evaluated at their use, as a subcommand's syntax.
    ///   - search: reads them; `nil` where none of them is given.
    package init(
        _ options: @autoclosure @escaping @Sendable () -> [Option],
        search: @escaping @Sendable (Arguments) throws(Failure) -> Found?
    ) {
        (makeOptions, self.search) = (options, search)
    }

    package var options: [Option] { makeOptions() }

    /// There are none.
    package static var none: Self { Self([]) { _ throws(Failure) in nil } }
}
