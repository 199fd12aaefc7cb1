import AudioFiles
import CommandSyntax

/// What `convert` puts files through that another module makes, as plug-ins, which what works on files does not load.
package struct ConvertEffects: Sendable {
    /// Looks for the effects, before a file is begun.
    package typealias Search = @Sendable () throws -> FileEffectMaker

    let options: [Option]
    let search: @Sendable (Arguments) throws(Failure) -> Search?

    /// - Parameters:
    ///   - options: in the order of the help.
    ///   - search: reads them; `nil` where none of them is given.
    package init(
        _ options: [Option], search: @escaping @Sendable (Arguments) throws(Failure) -> Search?
    ) {
        (self.options, self.search) = (options, search)
    }

    /// There are none.
    package static let none = ConvertEffects([]) { _ in nil }
}
