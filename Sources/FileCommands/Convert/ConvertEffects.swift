import AudioFiles
import CommandSyntax

/// What `convert` puts files through that another module makes, as plug-ins, which what works on files does not load.
package struct ConvertEffects: Sendable {
    /// Looks for the effects, before a file is begun.
    package typealias Search = @Sendable () throws -> FileEffectMaker

    private let makeOptions: @Sendable () -> [Option]
    let search: @Sendable (Arguments) throws(Failure) -> Search?

    /// - Parameters:
    ///   - options: in the order of the help. Evaluated at their use, as a subcommand's syntax.
    ///   - search: reads them; `nil` where none of them is given.
    package init(
        _ options: @autoclosure @escaping @Sendable () -> [Option],
        search: @escaping @Sendable (Arguments) throws(Failure) -> Search?
    ) {
        (makeOptions, self.search) = (options, search)
    }

    var options: [Option] { makeOptions() }

    /// There are none.
    package static let none = ConvertEffects([]) { _ in nil }
}
