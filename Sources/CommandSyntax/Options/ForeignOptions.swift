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
